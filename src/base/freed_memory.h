// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace glint {

/// Gives the memory that was freed back to the system, where the C library can (glibc keeps what
/// lies between things in use: a tenth of what a scan needs). What is needed again costs page
/// faults: call it every few frames, not at each of them.
void ReturnFreedMemory();

}  // namespace glint
