// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace glint {

/// The values of a TOML file by dotted key ("tls.cert"), as text. Arrays give several values.
/// @param file   empty: nothing is read
/// @param wrong  gets what is wrong: a file that cannot be read or parsed, values of other kinds
std::map<std::string, std::vector<std::string>> ReadTomlFile(const std::filesystem::path& file,
                                                             std::vector<std::string>& wrong);

}  // namespace glint
