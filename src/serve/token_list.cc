// SPDX-License-Identifier: Apache-2.0
#include "serve/token_list.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <spdlog/spdlog.h>

#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

using Hash = std::array<unsigned char, 32>;

Hash HashOf(std::string_view token) {
  Hash hash;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), hash.data());
  return hash;
}

absl::Status Add(std::string_view token, std::string_view where, std::vector<Hash>& hashes) {
  if (token.size() < TokenList::kMinBytes) {
    return Error(Reason::kInvalidOption,
                 fmt::format("a token in {} has {} bytes; tokens need {} or more, for example from "
                             "`openssl rand -hex 32`",
                             where, token.size(), TokenList::kMinBytes));
  }
  hashes.push_back(HashOf(token));
  return absl::OkStatus();
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

absl::StatusOr<std::unique_ptr<TokenList>> TokenList::Load(std::string_view fixed,
                                                           std::filesystem::path file) {
  std::unique_ptr<TokenList> list(new TokenList(std::move(file)));
  constexpr std::string_view kSeparators = ", \t\r\n";
  for (auto begin = fixed.find_first_not_of(kSeparators); begin != std::string_view::npos;) {
    const auto end = std::min(fixed.find_first_of(kSeparators, begin), fixed.size());
    GLINT_RETURN_IF_ERROR(Add(fixed.substr(begin, end - begin), "GLINT_TOKENS", list->fixed_));
    begin = fixed.find_first_not_of(kSeparators, end);
  }
  if (list->file_.empty()) return list;
  const MutexLock lock(list->mutex_);
  list->version_ = list->FileVersion();
  GLINT_RETURN_IF_ERROR(list->ReadFile());
  return list;
}

bool TokenList::empty() const {
  const MutexLock lock(mutex_);
  return fixed_.empty() && from_file_.empty() && file_.empty();
}

absl::Status TokenList::ReadFile() {
  std::ifstream file(file_);
  if (!file) {
    std::error_code error;
    return std::filesystem::exists(file_, error)
               ? Error(Reason::kInputUnreadable,
                       fmt::format("the token file {} cannot be read", file_.string()))
               : Error(Reason::kInputNotFound,
                       fmt::format("there is no token file {}", file_.string()));
  }
  std::vector<Hash> hashes;
  for (std::string line; std::getline(file, line);) {
    const std::string_view token = Trimmed(line);
    if (token.empty() || token.front() == '#') continue;
    GLINT_RETURN_IF_ERROR(Add(token, file_.string(), hashes));
  }
  if (hashes.empty()) {
    return Error(Reason::kInvalidOption,
                 fmt::format("the token file {} holds no token", file_.string()));
  }
  from_file_ = std::move(hashes);
  return absl::OkStatus();
}

std::optional<TokenList::Version> TokenList::FileVersion() const {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(file_, error);
  if (error) return std::nullopt;
  const auto size = std::filesystem::file_size(file_, error);
  if (error) return std::nullopt;
  return Version(time, size);
}

void TokenList::ReloadIfChanged() {
  constexpr std::chrono::seconds kPollPeriod(1);
  const auto now = std::chrono::steady_clock::now();
  if (file_.empty() || now - last_poll_ < kPollPeriod) return;
  last_poll_ = now;
  const auto version = FileVersion();
  if (version == version_) return;
  version_ = version;
  if (const auto read = ReadFile(); !read.ok()) {
    spdlog::error("the tokens stay as they were: {}", Message(read));
  } else {
    spdlog::info("read {} tokens from {}", from_file_.size(), file_.string());
  }
}

bool TokenList::Contains(std::string_view token) {
  const Hash hash = HashOf(token);
  const MutexLock lock(mutex_);
  ReloadIfChanged();
  bool known = false;
  for (const auto* hashes : {&fixed_, &from_file_}) {
    for (const Hash& other : *hashes) {  // all of them: the time must not tell which one it was
      known |= CRYPTO_memcmp(hash.data(), other.data(), hash.size()) == 0;
    }
  }
  return known;
}

}  // namespace glint
