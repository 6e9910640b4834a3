// SPDX-License-Identifier: Apache-2.0
#include "report/json_file.h"

#include <fstream>
#include <iterator>
#include <system_error>

namespace glint {

namespace fs = std::filesystem;

absl::Status Unusable(const fs::path& file, std::string_view why) {
  return Error(Reason::kInputUnreadable, fmt::format("cannot use '{}': {}", file.string(), why));
}

absl::Status Unusable(const fs::path& file, const nlohmann::json::exception& wrong) {
  constexpr int kNoSuchKey = 403;
  if (const auto* parse = dynamic_cast<const nlohmann::json::parse_error*>(&wrong)) {
    return Unusable(file, fmt::format("it is no JSON (byte {})", parse->byte));
  }
  const std::string_view text = wrong.what();  // "[...] key 'clip' not found"
  if (wrong.id != kNoSuchKey) {                // "[...] type must be string, but is number"
    const std::size_t must = text.find("must be");
    return Unusable(file, must == std::string_view::npos
                              ? "a value in it is of another type than it has to be"
                              : fmt::format("a value in it {}", text.substr(must)));
  }
  const std::size_t begin = text.find('\''), end = text.rfind('\'');
  if (begin == end) return Unusable(file, "a key is missing");
  return Unusable(file, fmt::format("it has no {}", text.substr(begin, end + 1 - begin)));
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
