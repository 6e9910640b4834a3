// SPDX-License-Identifier: Apache-2.0
// Whether a test runs under a sanitizer: memory is then the sanitizer's, and all takes 5 to 20
// times as long.
#pragma once

#include <chrono>

namespace glint {

#ifdef __SANITIZE_THREAD__
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = kThreadSanitized;
#endif

/// How much of something a test takes (frames, pairs, views, pixels): `usual`, or `fewer` under a
/// sanitizer. For tests in which more of the same passes through the same code in the same order
/// of threads, which shows a sanitizer nothing, but takes it hours.
template <class T>
constexpr T FewerIfSanitized(T usual, T fewer) {
  return kSanitized ? fewer : usual;
}

/// How long to wait for what takes less than `usual` without a sanitizer.
constexpr std::chrono::seconds Patience(std::chrono::seconds usual) {
  return kSanitized ? 10 * usual : usual;
}

}  // namespace glint
