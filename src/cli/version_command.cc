// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/console.h"

namespace glint {

void AddVersionCommand(CLI::App& app, Action& action) {
  app.add_subcommand("version", "Print the version")->callback([&action] {
    action = [](const CommandContext& context) {
      context.console.Print("glint " GLINT_VERSION "\n");
      return 0;
    };
  });
}

}  // namespace glint
