// SPDX-License-Identifier: Apache-2.0
#include "observe/trace_context.h"

#include <algorithm>

namespace glint {
namespace {

constexpr std::size_t kBytes = 55;  // 00-<32 hex>-<16 hex>-<2 hex>
constexpr std::size_t kTraceBegin = 3, kTraceSize = 32;
constexpr std::size_t kParentBegin = 36, kParentSize = 16;

bool IsHex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsZero(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '0'; });
}

}  // namespace

std::string TraceParent(std::string_view header) {
  if (header.size() < kBytes) return "";
  const std::string_view version = header.substr(0, 2);
  // Later versions may append fields after another dash; the first four stay.
  if (header.size() > kBytes && (version == "00" || header[kBytes] != '-')) return "";
  header = header.substr(0, kBytes);
  const std::string_view trace = header.substr(kTraceBegin, kTraceSize);
  const std::string_view parent = header.substr(kParentBegin, kParentSize);
  const std::string_view flags = header.substr(kBytes - 2);
  const bool dashes = header[2] == '-' && header[kParentBegin - 1] == '-' && header[52] == '-';
  if (!dashes || !IsHex(version) || version == "ff" || !IsHex(trace) || IsZero(trace) ||
      !IsHex(parent) || IsZero(parent) || !IsHex(flags)) {
    return "";
  }
  std::string passed_on(header);
  passed_on.replace(0, 2, "00");
  return passed_on;
}

std::string_view TraceId(std::string_view traceparent) {
  return traceparent.empty() ? "" : traceparent.substr(kTraceBegin, kTraceSize);
}

}  // namespace glint
