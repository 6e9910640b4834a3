// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_list.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "base/status_macros.h"
#include "cli/scan_jobs.h"
#include "cli/text.h"
#include "glint/error.h"
#include "http/digest.h"
#include "scan/request_check.h"

namespace glint {
namespace {

constexpr std::size_t kHashDigits = 16;
constexpr std::string_view kBlank = " \t";

std::string_view Trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace

absl::StatusOr<BatchList> MakeBatchList(const std::vector<std::string>& lines,
                                        std::string_view batch) {
  BatchList list;
  std::unordered_map<std::string, std::size_t> known;  // by id
  for (const std::string& line : lines) {
    const std::string_view text = Trimmed(line);
    if (text.empty()) continue;
    const auto gap = text.find_first_of(kBlank);
    const bool has_id = gap != std::string_view::npos;
    BatchEntry entry{.scan_id = std::string(has_id ? text.substr(0, gap) : ""),
                     .url = std::string(has_id ? Trimmed(text.substr(gap)) : text)};
    if (!has_id) {
      entry.scan_id = fmt::format("{}.{}", batch, Sha256Hex(entry.url).substr(0, kHashDigits));
    }
    if (!IsScanId(entry.scan_id) || entry.url.find_first_of(kBlank) != std::string::npos) {
      return Error(
          Reason::kInvalidOption,
          fmt::format("'{}' is neither a URL nor an id (1 to 128 of A-Z a-z 0-9 . _ -) and "
                      "a URL",
                      OneLine(Fitted(text, 80))));
    }
    const auto [place, added] = known.try_emplace(entry.scan_id, list.entries.size());
    if (added) {
      list.entries.push_back(std::move(entry));
    } else if (list.entries[place->second].url == entry.url) {
      ++list.repeated;
    } else {
      return Error(Reason::kInvalidOption,
                   fmt::format("the id '{}' stands before two URLs of the list", entry.scan_id));
    }
  }
  return list;
}

absl::StatusOr<BatchList> ReadBatchList(const std::string& file, std::string_view batch) {
  GLINT_ASSIGN_OR_RETURN(const auto lines, ReadInputList(file));
  return MakeBatchList(lines, batch);
}

}  // namespace glint
