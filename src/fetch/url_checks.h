// SPDX-License-Identifier: Apache-2.0
// What a download may do, and what may come back; one place for the download and its explanation.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/address_policy.h"
#include "http/http_client.h"
#include "http/url.h"

namespace glint {

inline constexpr int kMaxRedirects = 3;

/// So many first bytes decide whether CheckContent lets them pass.
inline constexpr std::size_t kSniffBytes = 512;

/// Whether the next request may go to `url`. @param from  the URL that redirected here, or null
/// Errors: URL_NOT_ALLOWED for another scheme than http(s), user info, a port or address that the
/// policy refuses, or a step from https down to http
absl::Status CheckHop(const Url& url, const Url* from, const AddressPolicy& policy);

/// Where the answer sends us; nothing when it is no redirect. Errors: DOWNLOAD_FAILED
absl::StatusOr<std::optional<Url>> RedirectOf(const HttpResponse& head, const Url& url);

/// Whether this is an answer with a file in it that is not too large.
/// @param have  bytes that a resumed download has already
/// Errors: INPUT_NOT_FOUND, INPUT_UNREADABLE, LIMIT_EXCEEDED; DOWNLOAD_FAILED, transient where
/// another attempt may help
absl::Status CheckAnswer(const HttpResponse& head, const Url& url, std::int64_t have,
                         std::int64_t max_bytes);

/// The number in Content-Length; nothing without one.
std::optional<std::int64_t> DeclaredLength(const HttpResponse& head);

/// What the first bytes are when they are no video: "an HTML page", ...; nothing when they may be
/// one.
std::optional<std::string_view> WhatInstead(std::span<const std::byte> first);

/// Errors: NOT_A_VIDEO, saying what came instead
absl::Status CheckContent(std::span<const std::byte> first, const Url& url);

}  // namespace glint
