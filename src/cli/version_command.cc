// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/gpu_code_json.h"
#include "cli/json_line.h"
#include "decode/build_id.h"

namespace glint {

void AddVersionCommand(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("version", "Print the version");
  command->add_flag("--json", *json, "One JSON object, with the GPU code that this build holds");
  command->callback([&action, json] {
    action = [json](const CommandContext& context) {
      context.console.Print(*json ? JsonLine({{"event", "version"},
                                              {"version", GLINT_VERSION},
                                              {"build", DecodeBuildId()},
                                              {"cuda", GpuCodeJson(cuda::HeldGpuCode())}})
                                  : "glint " GLINT_VERSION "\n");
      return 0;
    };
  });
}

}  // namespace glint
