// SPDX-License-Identifier: Apache-2.0
// Whether a test runs under a sanitizer: memory is then the sanitizer's, and all takes 5 to 20
// times as long.
#pragma once

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

}  // namespace glint
