// SPDX-License-Identifier: Apache-2.0
#include "serve/link_signer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "glint/error.h"
#include "http/digest.h"
#include "http/url.h"

namespace glint {
namespace {

constexpr std::size_t kKeyBytes = 32;

std::string RandomBytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1) {
    throw std::system_error(EIO, std::generic_category(), "no random bytes");
  }
  return bytes;
}

absl::Status Failed(Reason reason, const std::filesystem::path& file) {
  return Error(reason, fmt::format("the key of links '{}': {}", file.string(),
                                   std::generic_category().message(errno)));
}

}  // namespace

std::string RandomHex(std::size_t bytes) { return Hex(RandomBytes(bytes)); }

absl::StatusOr<std::unique_ptr<LinkSigner>> LinkSigner::Open(const std::filesystem::path& key_file,
                                                             std::chrono::seconds life) {
  std::array<char, kKeyBytes> read{};
  Descriptor file(open(key_file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.open() && errno != ENOENT) return Failed(Reason::kInputUnreadable, key_file);
  if (file.open() && ::read(file.number(), read.data(), read.size()) == kKeyBytes) {
    return std::unique_ptr<LinkSigner>(new LinkSigner({read.begin(), read.end()}, life));
  }
  const std::string key = RandomBytes(kKeyBytes);
  const std::filesystem::path part = key_file.string() + fmt::format(".{}", getpid());
  Descriptor made(open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!made.open() || write(made.number(), key.data(), key.size()) != kKeyBytes ||
      rename(part.c_str(), key_file.c_str()) != 0) {
    return Failed(Reason::kOutputUnwritable, key_file);
  }
  return std::unique_ptr<LinkSigner>(new LinkSigner(key, life));
}

std::string LinkSigner::Sign(std::string_view owner, std::string_view scan_id) const {
  const auto ends = std::chrono::system_clock::now() + life_;
  const std::string expires = fmt::format(
      "{}", std::chrono::duration_cast<std::chrono::seconds>(ends.time_since_epoch()).count());
  return fmt::format("owner={}&expires={}&signature={}", PercentEncoded(owner, false), expires,
                     Signature(owner, scan_id, expires));
}

bool LinkSigner::Opens(const WebRequest& request, std::string_view scan_id) const {
  const auto expires = request.Parameter("expires");
  const auto signature = request.Parameter("signature");
  if (!expires || !signature) return false;
  std::int64_t ends = 0;
  const auto parsed = std::from_chars(expires->data(), expires->data() + expires->size(), ends);
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  if (parsed.ec != std::errc() || parsed.ptr != expires->data() + expires->size() || ends < now) {
    return false;
  }
  const std::string right = Signature(request.Parameter("owner").value_or(""), scan_id, *expires);
  return signature->size() == right.size() &&
         CRYPTO_memcmp(signature->data(), right.data(), right.size()) == 0;
}

/// No part of what is signed can hold a line's end, so that no two of them are one text.
std::string LinkSigner::Signature(std::string_view owner, std::string_view scan_id,
                                  std::string_view expires) const {
  return Hex(HmacSha256(key_, fmt::format("glint link\n{}\n{}\n{}", owner, scan_id, expires)));
}

}  // namespace glint
