// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/status_macros.h"
#include "bench/commands/commands.h"
#include "bench/verify/verify.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_line.h"
#include "cli/workers.h"

namespace glint {
namespace {

using Json = nlohmann::ordered_json;

struct VerifyCommandOptions {
  WorkerOptions workers;
  VerifyOptions verify;
  std::string out;
  bool json = false;
};

Json Describe(const VerifyCommandOptions& options, const DevicePool& devices,
              const Verdict& verdict) {
  const BackendChoice& first = devices.devices().front();
  Json certificate = {{"event", "certificate"},
                      {"version", GLINT_VERSION},
                      {"device", first.name},
                      {"description", first.backend->description()},
                      {"why", first.why},
                      {"cases", options.verify.cases},
                      {"largest_side", options.verify.largest_side},
                      {"seed", options.verify.seed},
                      {"ways", Json::array()}};
  for (const WayVerdict& way : verdict.ways) {
    Json stages = Json::array();
    for (const StageVerdict& stage : way.stages) {
      Json object = {{"stage", stage.stage},
                     {"sha256", stage.sha256},
                     {"answers", stage.answers},
                     {"differing", stage.differing}};
      if (stage.differing > 0) object["first_seed"] = stage.first_seed;
      stages.push_back(std::move(object));
    }
    certificate["ways"].push_back({{"name", way.name}, {"stages", std::move(stages)}});
    const auto device = std::ranges::find(devices.devices(), way.name, &BackendChoice::name);
    if (device != devices.devices().end()) {
      certificate["ways"].back()["description"] = device->backend->description();
    }
  }
  certificate["scalar_reference"] = {{"flow_fields", verdict.reference_fields},
                                     {"differing", verdict.reference_differing}};
  certificate["same"] = verdict.same();
  return certificate;
}

std::string Text(const VerifyCommandOptions& options, const DevicePool& devices,
                 const Verdict& verdict) {
  const BackendChoice& first = devices.devices().front();
  std::string text =
      fmt::format("glint {}, {} cases up to {} px, chosen: {} ({})\n", GLINT_VERSION,
                  options.verify.cases, options.verify.largest_side, first.name, first.why);
  for (const StageVerdict& expected : verdict.ways.front().stages) {
    text += fmt::format("{:<13} {:>6} answers  {:.16}…", expected.stage, expected.answers,
                        expected.sha256);
    for (const WayVerdict& way : verdict.ways) {
      for (const StageVerdict& stage : way.stages) {
        if (stage.stage != expected.stage || stage.differing == 0) continue;
        text += fmt::format("  {}: {} DIFFER, first with seed {}", way.name, stage.differing,
                            stage.first_seed);
      }
    }
    text += "\n";
  }
  text += "compared:";
  for (const WayVerdict& way : verdict.ways) text += fmt::format(" {},", way.name);
  text += fmt::format(" scalar reference ({} of {} flow fields differ)\n",
                      verdict.reference_differing, verdict.reference_fields);
  return text + (verdict.same() ? "the same bytes everywhere\n" : "DIFFERENT bytes: see above\n");
}

absl::StatusOr<int> RunVerify(const VerifyCommandOptions& options, const CommandContext& context) {
  GLINT_ASSIGN_OR_RETURN(const auto workers, MakeWorkers(options.workers));
  const DevicePool& devices = *workers->devices;
  GLINT_ASSIGN_OR_RETURN(const auto cpu,
                         SelectBackend("cpu", BackendTable(), {.pool = &workers->pool}));
  std::vector<VerifyWay> ways = CpuWays(*cpu.backend);
  for (const BackendChoice& device : devices.devices()) {
    if (device.backend->device().is_host()) continue;
    ways.push_back({.name = device.name, .backend = device.backend.get()});
  }
  GLINT_ASSIGN_OR_RETURN(const auto verdict, Verify(options.verify, std::move(ways)));
  const Json certificate = Describe(options, devices, verdict);
  if (!options.out.empty()) {
    GLINT_RETURN_IF_ERROR(WriteText(options.out, certificate.dump(2) + "\n"));
  }
  context.console.Print(options.json ? JsonLine(certificate) : Text(options, devices, verdict));
  return verdict.same() ? kExitSuccess : ExitCodeOf(Error(Reason::kInternal, ""));
}

}  // namespace

void AddVerifyCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<VerifyCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "verify", "Prove that every device and instruction set here computes the same bytes");
  AddWorkerOptions(*command, options->workers);
  command->add_option("--cases", options->verify.cases, "Random cases, each through every stage")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--largest-side", options->verify.largest_side, "Pixels")
      ->check(CLI::Range(16, 16384))
      ->capture_default_str();
  command->add_option("--seed", options->verify.seed, "Of the first case")->capture_default_str();
  command->add_option("-o,--out", options->out, "Also write the certificate (JSON) to this file");
  command->add_flag("--json", options->json, "The certificate on stdout, as one line");
  command->footer(
      "Exits with 1 when any byte differs, with 7 when the wanted device does not work here.");
  ActWhenChosen(*command, action, options, RunVerify);
}

}  // namespace glint
