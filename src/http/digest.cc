// SPDX-License-Identifier: Apache-2.0
#include "http/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

namespace glint {
namespace {

std::string Digest(const EVP_MD* kind, const void* data, std::size_t size) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  EVP_Digest(data, size, digest.data(), &length, kind, nullptr);
  return {reinterpret_cast<const char*>(digest.data()), length};
}

}  // namespace

std::string Sha256Hex(std::span<const std::byte> content) {
  return Hex(Digest(EVP_sha256(), content.data(), content.size()));
}

std::string Sha256Hex(std::string_view text) {
  return Sha256Hex(std::as_bytes(std::span(text.data(), text.size())));
}

std::string HmacSha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
  unsigned length = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(), &length);
  return {reinterpret_cast<const char*>(mac.data()), length};
}

std::string Md5Base64(std::string_view text) {
  const std::string digest = Digest(EVP_md5(), text.data(), text.size());
  std::array<unsigned char, 32> encoded{};
  const int length =
      EVP_EncodeBlock(encoded.data(), reinterpret_cast<const unsigned char*>(digest.data()),
                      static_cast<int>(digest.size()));
  return {reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(length)};
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace glint
