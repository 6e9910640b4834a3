// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace glint {

/// SHA-256 in lower-case hex.
std::string Sha256Hex(std::span<const std::byte> content);
std::string Sha256Hex(std::string_view text);

/// HMAC-SHA-256 as 32 raw bytes.
std::string HmacSha256(std::string_view key, std::string_view text);

/// MD5 in base64, which S3 demands of some requests as a checksum.
std::string Md5Base64(std::string_view text);

/// Lower-case hex.
std::string Hex(std::string_view bytes);

}  // namespace glint
