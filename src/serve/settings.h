// SPDX-License-Identifier: Apache-2.0
// Settings that come from flags, the environment and a TOML file, in that order of strength.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glint {

/// "500ms", "30s", "5m", "2h", "1d"; a bare number means seconds. Nothing: it is none.
std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text);

/// One setting and the field that it fills.
struct Setting {
  std::string key;   ///< in the file; "." becomes "-" in the flag and "_" in the environment
  std::string help;  ///< one line
  std::string default_text;  ///< what holds when nobody says anything, as text
  bool is_switch = false;    ///< a flag without a value
  bool is_list = false;      ///< several values
  bool is_secret = false;    ///< from the environment only
  /// Fills the field. @return what is wrong with the values; empty when nothing is
  std::function<std::string(const std::vector<std::string>& values)> set;

  std::string flag() const;         ///< "--tls-cert"
  std::string environment() const;  ///< "GLINT_TLS_CERT"
};

/// The settings of a program, in the order of its help.
class SettingList {
 public:
  void Text(std::string key, std::string& field, std::string help);
  void OneOf(std::string key, std::string& field, std::vector<std::string> choices,
             std::string help);
  void Path(std::string key, std::filesystem::path& field, std::string help);
  void List(std::string key, std::vector<std::string>& field, std::string help);
  void Switch(std::string key, bool& field, std::string help);
  void Secret(std::string key, std::string& field, std::string help);
  void Number(std::string key, int& field, int least, int most, std::string help);
  void Number(std::string key, std::int64_t& field, std::int64_t least, std::int64_t most,
              std::string help);
  void Number(std::string key, double& field, double least, double most, std::string help);
  /// "500ms", "30s", "5m", "2h"; a bare number means seconds.
  void Duration(std::string key, std::chrono::milliseconds& field, std::chrono::milliseconds least,
                std::string help);
  /// Bytes; "k", "M", "G" are powers of 1024.
  void Size(std::string key, std::int64_t& field, std::int64_t least, std::string help);

  const std::vector<Setting>& all() const { return settings_; }

 private:
  Setting& Add(std::string key, std::string help);

  std::vector<Setting> settings_;
};

/// What one source says: values by key.
using SettingValues = std::map<std::string, std::vector<std::string>>;

/// Where settings come from.
struct SettingSources {
  SettingValues flags;
  /// The environment's variables by name.
  std::map<std::string, std::string> environment;
  std::filesystem::path file;  ///< TOML; empty: none
};

/// Fills every field from the strongest source that names it.
/// @return everything that is wrong, one sentence each: values that are none, keys that the file
/// must not have, secrets in the wrong place, a file that cannot be read
std::vector<std::string> Apply(const SettingList& settings, const SettingSources& sources);

/// Variables that look like settings and are none: probably misspelt.
std::vector<std::string> UnknownVariables(const SettingList& settings,
                                          const std::map<std::string, std::string>& environment);

/// The variables of this process that begin with "GLINT_".
std::map<std::string, std::string> GlintEnvironment();

}  // namespace glint
