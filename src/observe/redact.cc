// SPDX-License-Identifier: Apache-2.0
#include "observe/redact.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace glint {
namespace {

constexpr std::string_view kHidden = "[redacted]";
constexpr const char* kStore = "the store";
constexpr std::size_t kShortestSecret = 6;

/// What is hidden, and what stays of it.
struct Rule {
  const char* pattern;
  const char* rewrite;
};

// In this order: a URL's query goes as a whole before its parameters are looked at one by one.
constexpr std::array kRules = {
    // scheme://user:password@host
    Rule{R"((?i)([a-z][a-z0-9+.-]*://)[^\s/?#"<>]*@)", R"(\1[redacted]@)"},
    // scheme://host/path?query#fragment
    Rule{R"((?i)([a-z][a-z0-9+.-]*://[^\s?#"<>]*)[?#][^\s"<>]*)", R"(\1?[redacted])"},
    // Authorization: anything up to the end of the line or of the quoted text
    Rule{R"re((?i)\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s*[:=]\s*["']?)[^\r\n"']+)re",
         R"(\1\2[redacted])"},
    // name=value and "name": "value"
    Rule{
        R"re((?i)([a-z0-9_.-]*(?:secret|token|passw(?:or)?d|passwd|credential|signature|api[_-]?key|access[_-]?key|private[_-]?key)[a-z0-9_.-]*)(["']?\s*=\s*["']?|["']\s*:\s*["']?|\s*:["'])[^\s"'&,;)\]}]+)re",
        R"(\1\2[redacted])"},
    Rule{R"re((?i)\b(sig)(=)[^\s"'&,;]+)re", R"(\1\2[redacted])"},
    Rule{R"((?i)(sb_(?:secret|publishable)_)[a-z0-9_-]+)", R"(\1[redacted])"},
    Rule{R"(eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2})", "[redacted]"},
    Rule{R"(\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,})", "[redacted]"},
};

/// "name: value" and "bearer value" in plain text: the value may also be the next word.
constexpr const char* kMaybeSecret =
    R"re((?i)((?:[a-z0-9_.-]*(?:secret|token|passw(?:or)?d|passwd|credential|signature|api[_-]?key|access[_-]?key|private[_-]?key)[a-z0-9_.-]*\s*:\s*)|\bbearer\s+)([^\s"'&,;)\]}]+))re";

/// Words are short, or of small letters alone.
bool LooksSecret(std::string_view value) {
  constexpr std::size_t kLongestWord = 15;
  while (!value.empty() && std::string_view(".:!?").find(value.back()) != std::string_view::npos) {
    value.remove_suffix(1);
  }
  if (value.size() < kShortestSecret) return false;
  return value.size() > kLongestWord ||
         !std::ranges::all_of(value, [](char c) { return c >= 'a' && c <= 'z'; });
}

void HideValues(std::string& text) {
  static const RE2* const pattern = new RE2(kMaybeSecret, RE2::Latin1);
  std::string shown;
  re2::StringPiece rest(text);
  const char* copied = text.data();
  re2::StringPiece name;
  re2::StringPiece value;
  while (RE2::FindAndConsume(&rest, *pattern, &name, &value)) {
    if (!LooksSecret({value.data(), value.size()})) continue;
    shown.append(copied, value.data());
    shown += kHidden;
    copied = value.data() + value.size();
  }
  const char* const end = text.data() + text.size();
  shown.append(copied, end);
  text = std::move(shown);
}

struct Secrets {
  Mutex mutex;
  /// Longest first, so that no part of one is left standing.
  std::vector<std::string> values ABSL_GUARDED_BY(mutex);
};

/// Never destroyed: threads may log while the process ends.
Secrets& RegisteredSecrets() {
  static auto* secrets = new Secrets;
  return *secrets;
}

/// One RE2 per rule; never destroyed, as above.
const std::array<const RE2*, kRules.size()>& CompiledRules() {
  static const auto* compiled = [] {
    auto* made = new std::array<const RE2*, kRules.size()>;
    for (std::size_t i = 0; i < kRules.size(); ++i) {
      (*made)[i] = new RE2(kRules[i].pattern, RE2::Latin1);  // a log line may hold any bytes
    }
    return made;
  }();
  return *compiled;
}

void HideRegistered(std::string& text) {
  Secrets& secrets = RegisteredSecrets();
  const MutexLock lock(secrets.mutex);
  for (const std::string& value : secrets.values) {
    for (std::size_t at = text.find(value); at != std::string::npos;
         at = text.find(value, at + kHidden.size())) {
      text.replace(at, value.size(), kHidden);
    }
  }
}

/// Its bucket may stand before the host, and its port and path behind it.
void HideStore(std::string_view host, std::string& text) {
  const std::string name = RE2::QuoteMeta(host);
  const RE2 url(
      R"(https?://\[?(?:[\w-]+\.)*)" + name + R"(\]?(?::\d+)?(?:/(?:[^\s'"]*[^\s'",;:).])?)?)",
      RE2::Latin1);
  const RE2 alone(
      R"((^|[^\w./-])(?:[\w-]+\.)*)" + name + R"((?::\d+| port \d+)?($|[^\w/:-]|:(?:\s|$)))",
      RE2::Latin1);
  RE2::GlobalReplace(&text, url, kStore);
  RE2::GlobalReplace(&text, alone, fmt::format(R"(\1{}\2)", kStore));
}

}  // namespace

std::string Redact(std::string_view text) {
  std::string shown(text);
  HideRegistered(shown);
  const auto& compiled = CompiledRules();
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    RE2::GlobalReplace(&shown, *compiled[i], kRules[i].rewrite);
  }
  HideValues(shown);
  return shown;
}

std::string WithoutPlaces(std::string_view text, std::string_view store_host) {
  static const auto* const path =
      new RE2(R"((^|[\s'"(=])/(?:[^\s'"():,;/]+/)+([^\s'"():,;/]*))", RE2::Latin1);
  // Not of a URL's host: that is what the caller said.
  static const auto* const inner = new RE2(
      R"((^|[^/0-9.])(?:(?:10|127)(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}|169\.254(?:\.\d{1,3}){2})\b)",
      RE2::Latin1);
  std::string shown(text);
  if (!store_host.empty()) HideStore(store_host, shown);
  RE2::GlobalReplace(&shown, *path, R"(\1\2)");
  RE2::GlobalReplace(&shown, *inner, R"(\1[inner address])");
  return shown;
}

void RegisterSecret(std::string_view value) {
  if (value.size() < kShortestSecret) return;
  Secrets& secrets = RegisteredSecrets();
  const MutexLock lock(secrets.mutex);
  if (std::ranges::find(secrets.values, value) != secrets.values.end()) return;
  secrets.values.emplace_back(value);
  std::ranges::stable_sort(secrets.values, std::ranges::greater(), &std::string::size);
}

}  // namespace glint
