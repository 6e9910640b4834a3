// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace glint::sandbox {

/// Whether this build carries a sanitizer: those need memory, files and system calls that a
/// confined process does not have, so such builds leave these limits and the system call filter
/// out.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// What a confined process may use.
struct Confinement {
  std::int64_t memory_bytes = 0;  ///< of private memory, thread stacks included
  std::int64_t cpu_s = 0;         ///< seconds of processor time
};

/// Gives up, for the whole process and for ever, what decoding does not need: new files, processes,
/// sockets, signals to others, executable memory, root's rights, core dumps, more than `limits`.
/// The process dies with the thread that started it. Call before anything untrusted is read.
/// @return the protections that this system refused, with its reasons, or ""
std::string Confine(const Confinement& limits);

}  // namespace glint::sandbox
