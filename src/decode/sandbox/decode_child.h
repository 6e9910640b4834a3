// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace glint {

/// The word on the command line that makes a program a decoder child.
inline constexpr const char* kDecodeChildCommand = "decode-child";

/// The whole life of a decoder child: confines itself, decodes the video that it was given, and
/// ends when the worker does. Does nothing but that for a process that a worker did not start. Call
/// first in main(): nothing of the program but this must run in the child.
/// @return the exit code of the process
int RunDecodeChild();

}  // namespace glint
