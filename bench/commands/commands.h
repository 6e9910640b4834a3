// SPDX-License-Identifier: Apache-2.0
// The commands of the program that draw scans, score them, compare backends and measure: see
// cli/commands.h.
#pragma once

#include "cli/commands.h"

namespace glint {

void AddDemoCommand(CLI::App& app, Action& action);
void AddEvalCommand(CLI::App& app, Action& action);
void AddSynthCommand(CLI::App& app, Action& action);
void AddBenchCommand(CLI::App& app, Action& action);
void AddVerifyCommand(CLI::App& app, Action& action);

}  // namespace glint
