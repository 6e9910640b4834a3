// SPDX-License-Identifier: Apache-2.0
#include "cli/scan_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <system_error>

#include "base/utf8.h"
#include "glint/error.h"
#include "glint/url_fetcher.h"
#include "http/url.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxIdLength = 100;  // room for the hash within the 128 of a scan id

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsOfOtherScript(char c) { return (c & 0x80) != 0; }

/// FNV-1a, 32 bits: enough to tell apart the few inputs of one name.
std::uint32_t Hash(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

}  // namespace

std::string ScanIdFor(std::string_view input, Names names) {
  const std::string stem = fs::path(ShownInput(input)).stem().string();
  const bool utf8 = names == Names::kUtf8 && ValidUtf8(stem) == stem;
  std::string id;
  for (const char c : stem) {
    const bool kept =
        IsWordCharacter(c) || c == '-' || (c == '.' && !id.empty()) || (utf8 && IsOfOtherScript(c));
    if (kept) {
      id += c;
    } else if (id.empty() || id.back() != '_') {
      id += '_';
    }
  }
  if (std::ranges::none_of(id, [](char c) { return IsWordCharacter(c) || IsOfOtherScript(c); })) {
    return "scan";
  }
  std::size_t length = std::min(id.size(), kMaxIdLength);
  while (length < id.size() && (id[length] & 0xC0) == 0x80) --length;  // between whole characters
  return id.substr(0, length);
}

std::string InputKey(std::string_view input) {
  // The record of a batch must not hold the secrets that a URL may carry.
  if (IsWebUrl(input)) return fmt::format("{}#{:08x}", ShownInput(input), Hash(input));
  std::error_code error;
  const fs::path absolute = fs::absolute(fs::path(input), error);
  return (error ? fs::path(input) : absolute).lexically_normal().string();
}

std::vector<ScanJob> MakeScanJobs(const std::vector<std::string>& inputs,
                                  const std::map<std::string, std::string>& taken, Names names) {
  std::vector<std::string> distinct;
  std::set<std::string> keys;
  std::map<std::string, int> uses;
  for (const std::string& input : inputs) {
    if (!keys.insert(InputKey(input)).second) continue;
    distinct.push_back(input);
    ++uses[ScanIdFor(input, names)];
  }
  std::vector<ScanJob> jobs;
  for (const std::string& input : distinct) {
    std::string id = ScanIdFor(input, names);
    const bool lost_letters = names == Names::kAscii && ScanIdFor(input, Names::kUtf8) != id;
    const std::string key = InputKey(input);
    const auto owner = taken.find(id);
    if (lost_letters || uses[id] > 1 || (owner != taken.end() && owner->second != key)) {
      id += fmt::format("-{:08x}", Hash(key));
    }
    jobs.push_back({.input = input, .scan_id = id});
  }
  return jobs;
}

absl::StatusOr<std::vector<std::string>> ReadInputList(const std::string& file) {
  std::ifstream opened;
  if (file != "-") {
    std::error_code error;
    if (fs::is_directory(file, error)) {
      return Error(Reason::kInputUnreadable,
                   fmt::format("the list '{}' is a directory; give a text file with one video per "
                               "line",
                               file));
    }
    opened.open(file);
    if (!opened) {
      const int cause = errno;
      return Error(cause == ENOENT ? Reason::kInputNotFound : Reason::kInputUnreadable,
                   fmt::format("the list '{}' cannot be opened: {}; check the path", file,
                               std::generic_category().message(cause)));
    }
  }
  std::istream& lines = file == "-" ? std::cin : opened;
  std::vector<std::string> inputs;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty() && line.front() != '#') inputs.push_back(line);
  }
  if (inputs.empty()) {
    return Error(Reason::kInvalidOption,
                 fmt::format("the list '{}' names no video; write one path per line", file));
  }
  return inputs;
}

}  // namespace glint
