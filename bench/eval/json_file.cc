// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/json_file.h"

#include <fstream>
#include <iterator>
#include <system_error>

namespace glint {

namespace fs = std::filesystem;

absl::Status Unusable(const fs::path& file, std::string_view why) {
  return Error(Reason::kInputUnreadable, fmt::format("cannot use '{}': {}", file.string(), why));
}

absl::StatusOr<std::string> ReadFile(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error) && !error) {
    return Error(Reason::kInputNotFound,
                 fmt::format("'{}' does not exist; check the path", file.string()));
  }
  if (fs::is_directory(file, error)) return Unusable(file, "it is a folder; name a file in it");
  std::ifstream stream(file, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) return Unusable(file, "it cannot be read");
  return content;
}

Quadrilateral ToCorners(const nlohmann::json& json) {
  Quadrilateral corners;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    corners[i] = {json.at(i).at(0).get<double>(), json.at(i).at(1).get<double>()};
  }
  return corners;
}

}  // namespace glint
