// SPDX-License-Identifier: Apache-2.0
// The commands of the program, but for those of bench/commands/commands.h. Each adds its flags to
// the parser and, when the user chose it, sets the action to run after parsing.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stop_token>
#include <type_traits>

#include "cli/workers.h"

namespace glint {

class Console;

/// What an action works with.
struct CommandContext {
  Console& console;
  std::stop_token stop;  ///< requested by Ctrl-C
};

/// Runs a command. @return the exit code of the program
using Action = std::function<int(const CommandContext&)>;

/// Makes `run(options, context)` the action when the user chooses the command.
/// @param options  a shared_ptr, which the command's flags write to
/// @param run  gives the exit code; or an absl::StatusOr of it, and a failure goes to Fail()
template <class Options, class Run>
void ActWhenChosen(CLI::App& command, Action& action, const Options& options, Run run) {
  command.callback([&action, options, run] {
    action = [options, run](const CommandContext& context) -> int {
      auto code = run(*options, context);
      if constexpr (std::is_same_v<decltype(code), int>) {
        return code;
      } else {
        return code.ok() ? *code : Fail(context.console, options->json, code.status());
      }
    };
  });
}

/// Adds one command, or several.
using AddCommand = void (*)(CLI::App& app, Action& action);

void AddScanCommand(CLI::App& app, Action& action);
/// export.
void AddExportCommand(CLI::App& app, Action& action);
void AddDoctorCommand(CLI::App& app, Action& action);
void AddServeCommand(CLI::App& app, Action& action);
/// submit, watch, get, list, cancel, healthcheck.
void AddRemoteCommands(CLI::App& app, Action& action);
/// batch submit, status, watch, report, cancel, retry.
void AddBatchCommands(CLI::App& app, Action& action);
/// store sweep.
void AddStoreCommand(CLI::App& app, Action& action);
void AddVersionCommand(CLI::App& app, Action& action);

}  // namespace glint
