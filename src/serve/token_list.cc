// SPDX-License-Identifier: Apache-2.0
#include "serve/token_list.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <sstream>
#include <system_error>
#include <utility>

#include "api/request.h"
#include "base/descriptor.h"
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

absl::Status CheckLength(std::string_view token, std::string_view where) {
  if (token.size() >= TokenList::kMinBytes) return absl::OkStatus();
  return Error(Reason::kInvalidOption,
               fmt::format("a token in {} has {} bytes; tokens need {} or more, for example from "
                           "`openssl rand -hex 32`",
                           where, token.size(), TokenList::kMinBytes));
}

/// What stands between blanks.
std::vector<std::string_view> Words(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::vector<std::string_view> words;
  for (auto begin = text.find_first_not_of(kSpace); begin != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(kSpace, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kSpace, end);
  }
  return words;
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// A whole number above 0.
absl::Status ReadQuota(std::string_view text, std::int64_t& quota) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quota);
  if (error == std::errc() && end == text.data() + text.size() && quota > 0) {
    return absl::OkStatus();
  }
  return Error(Reason::kInvalidOption, fmt::format("'{}' is no whole number above 0", text));
}

absl::Status ReadTiers(std::string_view text, std::vector<std::string>& tiers) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    tiers.emplace_back(text.substr(begin, end - begin));
    if (!IsTierName(tiers.back())) {
      return Error(Reason::kInvalidOption, fmt::format("'{}' is no tier's name", tiers.back()));
    }
    begin = end + 1;
  }
  return absl::OkStatus();
}

/// Takes over what a word of a line says; nothing where it is no setting but a part of the name.
std::optional<absl::Status> ReadSetting(std::string_view word, Identity& identity,
                                        std::optional<Rights>& rights) {
  const auto equals = std::min(word.find('='), word.size());
  const std::string_view key = word.substr(0, equals);
  const std::string_view value = word.substr(std::min(equals + 1, word.size()));
  if (equals == word.size()) return std::nullopt;
  if (key == "tiers") return ReadTiers(value, identity.tiers);
  if (key == "queued") return ReadQuota(value, identity.quotas.queued);
  if (key == "running") return ReadQuota(value, identity.quotas.running);
  if (key == "frames-per-day") return ReadQuota(value, identity.quotas.frames_per_day);
  if (key == "rights") {
    auto read = Rights::Parse(value);
    if (read.ok()) rights = *read;
    return read.status();
  }
  if (key != "owner") return std::nullopt;
  identity.owner = value;
  if (IsTierName(value)) return absl::OkStatus();
  return Error(Reason::kInvalidOption,
               fmt::format("'{}' is no owner's name: 1 to 64 of the characters A-Z a-z 0-9 . _ - "
                           "without a leading dot",
                           value));
}

/// What stands before the token of a line: a name, and what the token allows.
absl::StatusOr<Identity> ReadIdentity(std::string_view text, const std::string& where) {
  Identity identity;
  std::optional<Rights> rights;
  std::vector<std::string> doubtful;
  std::string names;  // as it stands, where the line has no settings
  bool settings = false;
  for (const std::string_view word : Words(text)) {
    const auto read = ReadSetting(word, identity, rights);
    if (!read) {
      names += (names.empty() ? "" : " ") + std::string(word);
      if (word.find('=') != std::string_view::npos) doubtful.emplace_back(word);
    } else if (!read->ok()) {
      return Error(Reason::kInvalidOption, fmt::format("{}: {}", where, Message(*read)));
    }
    settings = settings || read;
  }
  if (settings && !doubtful.empty()) {
    return Error(
        Reason::kInvalidOption,
        fmt::format("{}: '{}' is nothing that a token can be told; there are owner, tiers, "
                    "rights, queued, running and frames-per-day",
                    where, doubtful.front()));
  }
  if (!doubtful.empty()) {
    spdlog::warn("{}: '{}' is taken for a part of the token's name", where, doubtful.front());
  }
  if (identity.owner.empty() && identity.quotas != OwnerQuotas()) {
    return Error(Reason::kInvalidOption,
                 fmt::format("{}: quotas are an owner's; say whose: owner=NAME", where));
  }
  identity.rights = rights.value_or(identity.owner.empty() ? Rights::All() : Rights::Usual());
  identity.name = !settings ? std::string(Trimmed(text)) : names;
  if (identity.name.empty()) identity.name = identity.owner;
  if (identity.name.empty()) identity.name = fmt::format("the token in {}", where);
  return identity;
}

/// The whole file. Errors: INPUT_NOT_FOUND, INPUT_UNREADABLE; OUT_OF_MEMORY the machine lacks what
/// it takes to look, which says nothing about the file
absl::StatusOr<std::string> ReadWhole(const std::filesystem::path& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string content;
  std::array<char, 4096> block;
  for (ssize_t bytes = 1; file.open() && (bytes > 0 || errno == EINTR);) {
    bytes = read(file.number(), block.data(), block.size());
    if (bytes == 0) return content;
    if (bytes > 0) content.append(block.data(), static_cast<std::size_t>(bytes));
  }
  if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
    return Error(Reason::kOutOfMemory,
                 fmt::format("the token file {} cannot be read now: {}", path.string(),
                             std::generic_category().message(errno)));
  }
  return errno == ENOENT ? Error(Reason::kInputNotFound,
                                 fmt::format("there is no token file {}", path.string()))
                         : Error(Reason::kInputUnreadable,
                                 fmt::format("the token file {} cannot be read", path.string()));
}

/// What changes with the file, seen without opening it. Nothing where there is none, and where it
/// changed in the last second: it may again, within what clocks of files tell apart.
std::optional<std::array<std::int64_t, 5>> StampOf(const std::filesystem::path& path) {
  struct stat state {};
  if (stat(path.c_str(), &state) != 0) return std::nullopt;
  const auto changed = std::chrono::system_clock::from_time_t(state.st_ctim.tv_sec + 1);
  if (changed + std::chrono::seconds(1) > std::chrono::system_clock::now()) return std::nullopt;
  return std::array<std::int64_t, 5>{static_cast<std::int64_t>(state.st_dev),
                                     static_cast<std::int64_t>(state.st_ino), state.st_size,
                                     state.st_ctim.tv_sec, state.st_ctim.tv_nsec};
}

void WarnOfReaders(const std::filesystem::path& path) {
  std::error_code error;
  const auto may = std::filesystem::status(path, error).permissions();
  if (error || (may & std::filesystem::perms::others_read) == std::filesystem::perms::none) return;
  spdlog::warn("every user of this machine can read the tokens in {}: chmod o-r", path.string());
}

}  // namespace

absl::StatusOr<std::unique_ptr<TokenList>> TokenList::Load(std::string_view fixed,
                                                           std::filesystem::path file) {
  std::unique_ptr<TokenList> list(new TokenList(std::move(file)));
  constexpr std::string_view kSeparators = ", \t\r\n";
  for (auto begin = fixed.find_first_not_of(kSeparators); begin != std::string_view::npos;) {
    const auto end = std::min(fixed.find_first_of(kSeparators, begin), fixed.size());
    const std::string_view token = fixed.substr(begin, end - begin);
    GLINT_RETURN_IF_ERROR(CheckLength(token, "GLINT_TOKENS"));
    list->fixed_.push_back(
        {HashOf(token),
         std::make_shared<Identity>(
             Identity{.name = fmt::format("token {} of GLINT_TOKENS", list->fixed_.size() + 1)})});
    begin = fixed.find_first_not_of(kSeparators, end);
  }
  if (list->file_.empty()) return list;
  const MutexLock lock(list->mutex_);
  list->stamp_ = StampOf(list->file_);
  GLINT_ASSIGN_OR_RETURN(const std::string content, ReadWhole(list->file_));
  list->content_ = HashOf(content);
  GLINT_RETURN_IF_ERROR(list->Read(content));
  WarnOfReaders(list->file_);
  return list;
}

bool TokenList::empty() const { return fixed_.empty() && file_.empty(); }

absl::Status TokenList::Read(const std::string& content) {
  from_file_.clear();
  absl::Status wrong;
  std::istringstream lines(content);
  int number = 1;
  for (std::string line; std::getline(lines, line); ++number) {
    const std::string_view text = Trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    const auto space = text.find_last_of(" \t");
    const bool named = space != std::string_view::npos;
    const std::string_view token = named ? text.substr(space + 1) : text;
    const std::string where = fmt::format("line {} of {}", number, file_.string());
    auto identity = ReadIdentity(named ? text.substr(0, space) : std::string_view(), where);
    absl::Status usable = CheckLength(token, where);
    usable.Update(identity.status());
    if (!usable.ok()) {
      wrong.Update(usable);
      continue;
    }
    from_file_.push_back({HashOf(token), std::make_shared<Identity>(*std::move(identity))});
  }
  if (!wrong.ok() || !from_file_.empty()) return wrong;
  return Error(Reason::kInvalidOption,
               fmt::format("the token file {} holds no token", file_.string()));
}

void TokenList::ReloadIfChanged() {
  constexpr std::chrono::seconds kPollPeriod(1);
  constexpr std::chrono::minutes kSayPeriod(1);
  const auto now = Clock::now();
  if (file_.empty() || now - last_poll_ < kPollPeriod) return;
  last_poll_ = now;
  const auto stamp = StampOf(file_);  // before the content: what changes in between shows next time
  const auto content = ReadWhole(file_);
  const bool keeps = ReasonOf(content.status()) == Reason::kOutOfMemory && stamp && stamp == stamp_;
  if (!keeps) stamp_ = stamp;
  const auto hash = content.ok() ? std::optional(HashOf(*content)) : std::nullopt;
  const bool changed = !keeps && hash != content_;
  const bool says_again = now - last_said_ >= kSayPeriod;
  if (changed) {
    content_ = hash;
    if (!content.ok()) from_file_.clear();
    trouble_ = content.ok() ? Read(*content) : content.status();
    WarnOfReaders(file_);
  }
  if (changed && trouble_.ok()) {
    spdlog::info("read {} tokens from {}", from_file_.size(), file_.string());
  } else if (!trouble_.ok() && (changed || says_again)) {
    last_said_ = now;
    spdlog::error("{}; {} tokens of the file are good", Message(trouble_), from_file_.size());
  } else if (keeps && says_again) {
    last_said_ = now;
    spdlog::warn("{}; its {} tokens stay", Message(content.status()), from_file_.size());
  }
}

std::shared_ptr<const Identity> TokenList::Find(std::string_view token) {
  const Hash hash = HashOf(token);
  const MutexLock lock(mutex_);
  ReloadIfChanged();
  const Token* found = nullptr;
  for (const auto* tokens : {&fixed_, &from_file_}) {
    for (const Token& other : *tokens) {  // all of them: the time must not tell which one it was
      if (CRYPTO_memcmp(hash.data(), other.hash.data(), hash.size()) == 0) found = &other;
    }
  }
  return found == nullptr ? nullptr : found->identity;
}

}  // namespace glint
