// SPDX-License-Identifier: Apache-2.0
#include "serve/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

#include "serve/toml_file.h"

namespace glint {
namespace {

using std::chrono::milliseconds;

std::string Replaced(std::string text, char from, char to) {
  std::ranges::replace(text, from, to);
  return text;
}

/// A number at the start of the text, which loses it.
template <class Number>
std::optional<Number> ParseNumber(std::string_view& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

template <class Number>
std::string SetNumber(const std::string& value, Number least, Number most, Number& field) {
  std::string_view rest = value;
  const auto number = ParseNumber<Number>(rest);
  if (!number || !rest.empty() || !(*number >= least && *number <= most)) {
    return fmt::format("'{}' is no number from {} to {}", value, least, most);
  }
  field = *number;
  return "";
}

std::string FormatDuration(milliseconds duration) {
  const auto count = duration.count();
  if (count % 3'600'000 == 0 && count > 0) return fmt::format("{}h", count / 3'600'000);
  if (count % 60'000 == 0 && count > 0) return fmt::format("{}m", count / 60'000);
  return count % 1'000 == 0 ? fmt::format("{}s", count / 1'000) : fmt::format("{}ms", count);
}

std::optional<std::int64_t> ParseSize(std::string_view text) {
  const auto number = ParseNumber<std::int64_t>(text);
  const std::map<std::string_view, int> shifts = {{"", 0}, {"k", 10}, {"M", 20}, {"G", 30}};
  const auto shift = shifts.find(text);
  if (!number || *number < 0 || shift == shifts.end()) return std::nullopt;
  if (*number > (std::int64_t{1} << 62) >> shift->second) return std::nullopt;
  return *number << shift->second;
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> parts;
  constexpr std::string_view kSeparators = ", \t\n";
  for (auto begin = text.find_first_not_of(kSeparators); begin != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(kSeparators, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kSeparators, end);
  }
  return parts;
}

std::string SetSwitch(const std::string& value, bool& field) {
  if (value != "true" && value != "1" && value != "false" && value != "0") {
    return fmt::format("'{}' is neither true nor false", value);
  }
  field = value == "true" || value == "1";
  return "";
}

}  // namespace

std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  const auto number = ParseNumber<double>(text);
  if (!number || !std::isfinite(*number) || *number < 0 || *number > 1e9) return std::nullopt;
  const std::map<std::string_view, double> units = {{"ms", 1},   {"", 1e3},     {"s", 1e3},
                                                    {"m", 60e3}, {"h", 3600e3}, {"d", 86400e3}};
  const auto unit = units.find(text);
  if (unit == units.end()) return std::nullopt;
  return milliseconds(std::llround(*number * unit->second));
}

std::string Setting::flag() const { return "--" + Replaced(key, '.', '-'); }

std::string Setting::environment() const {
  std::string name = Replaced(Replaced(key, '.', '_'), '-', '_');
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return "GLINT_" + name;
}

Setting& SettingList::Add(std::string key, std::string help) {
  settings_.push_back({.key = std::move(key), .help = std::move(help)});
  return settings_.back();
}

void SettingList::Text(std::string key, std::string& field, std::string help) {
  Setting& setting = Add(std::move(key), std::move(help));
  setting.default_text = field;
  setting.set = [&field](const auto& values) {
    field = values.back();
    return "";
  };
}

void SettingList::OneOf(std::string key, std::string& field, std::vector<std::string> choices,
                        std::string help) {
  Setting& setting = Add(std::move(key), fmt::format("{}: {}", help, fmt::join(choices, ", ")));
  setting.default_text = field;
  setting.set = [&field, choices = std::move(choices)](const auto& values) -> std::string {
    if (std::ranges::find(choices, values.back()) == choices.end()) {
      return fmt::format("'{}' is none of {}", values.back(), fmt::join(choices, ", "));
    }
    field = values.back();
    return "";
  };
}

void SettingList::Path(std::string key, std::filesystem::path& field, std::string help) {
  Setting& setting = Add(std::move(key), std::move(help));
  setting.default_text = field.string();
  setting.set = [&field](const auto& values) {
    field = values.back();
    return "";
  };
}

void SettingList::List(std::string key, std::vector<std::string>& field, std::string help) {
  Setting& setting = Add(std::move(key), std::move(help));
  setting.default_text = fmt::format("{}", fmt::join(field, ","));
  setting.is_list = true;
  setting.set = [&field](const auto& values) {
    field = values;
    return "";
  };
}

void SettingList::Switch(std::string key, bool& field, std::string help) {
  Setting& setting = Add(std::move(key), std::move(help));
  setting.is_switch = true;
  setting.default_text = field ? "true" : "";
  setting.set = [&field](const auto& values) { return SetSwitch(values.back(), field); };
}

void SettingList::Secret(std::string key, std::string& field, std::string help) {
  Setting& setting = Add(std::move(key), std::move(help));
  setting.is_secret = true;
  setting.set = [&field](const auto& values) {
    field = values.back();
    return "";
  };
}

void SettingList::Number(std::string key, int& field, int least, int most, std::string help) {
  Setting& setting = Add(std::move(key), std::move(help));
  setting.default_text = fmt::format("{}", field);
  setting.set = [&field, least, most](const auto& values) {
    return SetNumber(values.back(), least, most, field);
  };
}

void SettingList::Number(std::string key, std::int64_t& field, std::int64_t least,
                         std::int64_t most, std::string help) {
  Setting& setting = Add(std::move(key), std::move(help));
  setting.default_text = fmt::format("{}", field);
  setting.set = [&field, least, most](const auto& values) {
    return SetNumber(values.back(), least, most, field);
  };
}

void SettingList::Number(std::string key, double& field, double least, double most,
                         std::string help) {
  Setting& setting = Add(std::move(key), std::move(help));
  setting.default_text = fmt::format("{}", field);
  setting.set = [&field, least, most](const auto& values) {
    return SetNumber(values.back(), least, most, field);
  };
}

void SettingList::Duration(std::string key, milliseconds& field, milliseconds least,
                           std::string help) {
  Setting& setting = Add(std::move(key), std::move(help));
  setting.default_text = FormatDuration(field);
  setting.set = [&field, least](const auto& values) -> std::string {
    const auto duration = ParseDuration(values.back());
    if (!duration || *duration < least) {
      return fmt::format("'{}' is no duration of {} or more, such as 30s or 5m", values.back(),
                         FormatDuration(least));
    }
    field = *duration;
    return "";
  };
}

void SettingList::Size(std::string key, std::int64_t& field, std::int64_t least, std::string help) {
  Setting& setting = Add(std::move(key), std::move(help));
  setting.default_text = fmt::format("{}", field);
  setting.set = [&field, least](const auto& values) -> std::string {
    const auto size = ParseSize(values.back());
    if (!size || *size < least) {
      return fmt::format("'{}' is no size of {} bytes or more, such as 512k or 4G", values.back(),
                         least);
    }
    field = *size;
    return "";
  };
}

std::vector<std::string> Apply(const SettingList& settings, const SettingSources& sources) {
  std::vector<std::string> wrong;
  const SettingValues file = ReadTomlFile(sources.file, wrong);
  std::set<std::string> known;
  for (const Setting& setting : settings.all()) {
    known.insert(setting.key);
    std::string where = setting.flag();
    std::vector<std::string> values;
    const auto flag = sources.flags.find(setting.key);
    const auto variable = sources.environment.find(setting.environment());
    const auto line = file.find(setting.key);
    if (setting.is_secret && line != file.end()) {
      wrong.push_back(fmt::format("{} in {}: secrets are given as {} or in a file of their own",
                                  setting.key, sources.file.string(), setting.environment()));
      continue;
    }
    if (flag != sources.flags.end()) {
      values = flag->second;
    } else if (variable != sources.environment.end()) {
      where = setting.environment();
      values = setting.is_list ? SplitList(variable->second) : std::vector{variable->second};
    } else if (line != file.end()) {
      where = fmt::format("{} in {}", setting.key, sources.file.string());
      values = line->second;
    } else {
      continue;
    }
    const bool several = values.size() != 1 && !setting.is_list;
    const std::string error = several ? "takes one value" : setting.set(values);
    if (!error.empty()) wrong.push_back(fmt::format("{}: {}", where, error));
  }
  for (const auto& [key, values] : file) {
    if (known.contains(key)) continue;
    wrong.push_back(fmt::format("{} in {}: there is no such setting", key, sources.file.string()));
  }
  return wrong;
}

std::vector<std::string> UnknownVariables(const SettingList& settings,
                                          const std::map<std::string, std::string>& environment) {
  const std::set<std::string_view> others = {"GLINT_CONFIG", "GLINT_SERVER", "GLINT_TOKEN"};
  std::vector<std::string> unknown;
  for (const auto& [name, value] : environment) {
    const bool known = others.contains(name) ||
                       std::ranges::any_of(settings.all(), [&, wanted = name](const Setting& s) {
                         return s.environment() == wanted;
                       });
    if (!known) unknown.push_back(name);
  }
  return unknown;
}

std::map<std::string, std::string> GlintEnvironment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (!text.starts_with("GLINT_") || equals == std::string_view::npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

}  // namespace glint
