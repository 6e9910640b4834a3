// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cli/commands.h"

namespace glint {

/// The whole program: parses the arguments and runs the command that they name.
/// @param commands  in the order in which --help lists them
/// @return the exit code (see the table in glint/error.h)
int RunCommandLine(int argc, const char* const* argv, std::span<const AddCommand> commands);

}  // namespace glint
