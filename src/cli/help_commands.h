// SPDX-License-Identifier: Apache-2.0
// What tells people and shells which commands and flags there are.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace glint {

/// help, completion. Both know what was added to `app` before them, and each other.
void AddHelpCommands(CLI::App& app, Action& action);

}  // namespace glint
