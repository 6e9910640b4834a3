// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/io_options.h"
#include "cli/json_line.h"
#include "glint/object_store.h"

namespace glint {
namespace {

struct SweepCommandOptions {
  std::string place;
  StoreOptions store;
  std::int64_t older_than_h = 24;
  bool everywhere = false;
  bool json = false;
};

absl::StatusOr<int> RunSweep(const SweepCommandOptions& options, const CommandContext& context) {
  GLINT_ASSIGN_OR_RETURN(const auto store, OpenStore(options.place, options.store));
  const SweepOptions sweep{.older_than = std::chrono::hours(options.older_than_h),
                           .everywhere = options.everywhere};
  GLINT_ASSIGN_OR_RETURN(const auto deleted, store->Sweep(sweep, CancelToken(context.stop)));
  context.console.Print(options.json ? JsonLine(nlohmann::ordered_json{{"deleted", deleted}})
                                     : fmt::format("{} leftover objects deleted\n", deleted));
  return 0;
}

}  // namespace

void AddStoreCommand(CLI::App& app, Action& action) {
  CLI::App* store = app.add_subcommand("store", "Look after a place for results");
  store->require_subcommand(1);
  auto options = std::make_shared<SweepCommandOptions>();
  CLI::App* command = store->add_subcommand(
      "sweep", "Delete what attempts that died while they stored have left in a bucket");
  command->add_option("place", options->place, "s3://bucket/prefix or supabase://bucket/prefix")
      ->required();
  command
      ->add_option("--older-than", options->older_than_h,
                   "Hours; what is younger may belong to an attempt that is at work. 0: everything")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_flag("--everywhere", options->everywhere,
                    "Also what earlier versions left beside each result; lists all objects");
  AddStoreOptions(*command, options->store);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  ActWhenChosen(*command, action, options, RunSweep);
}

}  // namespace glint
