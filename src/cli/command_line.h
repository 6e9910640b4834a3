// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace glint {

/// The whole program: parses the arguments and runs the command that they name.
/// @return the exit code (see the table in glint/error.h)
int RunCommandLine(int argc, const char* const* argv);

}  // namespace glint
