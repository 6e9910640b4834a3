// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "bench/commands/commands.h"
#include "bench/commands/render.h"
#include "bench/eval/score.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_line.h"
#include "cli/run_batch.h"
#include "cli/text.h"
#include "cli/workers.h"
#include "glint/error.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

struct DemoOptions {
  SynthOptions synth;
  std::string kind = "page";
  std::string out = "glint-demo";
  WorkerOptions workers;
  bool force = false;
  bool json = false;
};

absl::Status Complete(DemoOptions& options) {
  const auto kind = SynthKindOf(options.kind);
  if (!kind) {
    return Error(Reason::kInvalidOption,
                 fmt::format("no kind is called '{}'; there are: page, cover, card", options.kind));
  }
  SynthOptions& synth = options.synth;
  synth.kind = *kind;
  synth.name = fmt::format("{}_{}{}_{}f", options.kind, synth.seed, synth.clean ? "_clean" : "",
                           synth.frames);
  return Validate(synth);
}

/// Draws the sample, unless an earlier run did. @return its labels' file
absl::StatusOr<fs::path> Sample(const DemoOptions& options, ThreadPool& pool,
                                const CommandContext& context) {
  const fs::path folder = fs::path(options.out) / "sample";
  const fs::path labels = folder / (options.synth.name + ".labels.json");
  std::error_code ignored;
  if (!options.force && fs::exists(labels, ignored)) {
    context.console.Say(fmt::format("demo: using the sample {} that is there",
                                    OneLine((folder / options.synth.name).string())));
    return labels;
  }
  context.console.Say(fmt::format("demo: drawing a sample scan, {} frames, into {}",
                                  options.synth.frames, OneLine(folder.string())));
  GLINT_ASSIGN_OR_RETURN(const auto drawn,
                         Render(options.synth, folder, pool, !options.json, context));
  return drawn.labels;
}

int Scan(const DemoOptions& options, const ScanLabels& labels, const fs::path& result,
         Workers& workers, const CommandContext& context) {
  BatchOptions plan;
  plan.jobs = {{.input = labels.clip.string(), .scan_id = options.synth.name}};
  plan.request.item_type = ItemTypeOf(labels.kind);
  plan.root = result;
  const auto fetcher = MakeFileFetcher();
  const auto store = MakeFolderStore(result);
  const auto reporter =
      options.json ? MakeJsonReporter(context.console) : MakeTextReporter(context.console, false);
  return RunBatch(plan, {*fetcher, *store, *workers.devices, workers.pool}, *reporter, context.stop)
      .exit_code;
}

double DamagedShare(const ScanLabels& labels) {
  std::int64_t damaged = 0;
  for (int y = 0; y < labels.ids.height(); ++y) {
    const auto* row = labels.ids.Row<std::uint8_t>(y);
    for (int x = 0; x < labels.ids.width(); ++x) damaged += row[x] != 0 ? 1 : 0;
  }
  return static_cast<double>(damaged) / static_cast<double>(labels.ids.size().area());
}

/// Known defects by type: found and all.
std::map<std::string, std::pair<int, int>> FoundByType(const ScanScore& score) {
  std::map<std::string, std::pair<int, int>> types;
  for (const DefectScore& defect : score.defects) {
    auto& [found, all] = types[defect.type];
    found += defect.found ? 1 : 0;
    ++all;
  }
  return types;
}

std::string ScoreText(const ScanScore& score, double damaged) {
  int found = 0;
  std::string by_type;
  for (const auto& [type, counts] : FoundByType(score)) {
    found += counts.first;
    by_type +=
        fmt::format("{} {} {}/{}", by_type.empty() ? ":" : ",", type, counts.first, counts.second);
  }
  std::string text = fmt::format("\n{:<9}  {} of {} known defects{}\n", "found", found,
                                 score.defects.size(), by_type);
  if (score.agreement) {
    text += fmt::format("{:<9}  precision {:.2f}, recall {:.2f}, F {:.2f} (within {} px)\n",
                        "score", score.agreement->precision, score.agreement->recall,
                        score.agreement->f, kScoreTolerance);
  }
  text += fmt::format("{:<9}  {:.1f} % of the surface is marked, {:.1f} % is damaged\n", "share",
                      100 * score.marked, 100 * damaged);
  if (score.corner_error_percent) {
    text += fmt::format("{:<9}  off by {:.2f} % of the diagonal on average\n", "corners",
                        *score.corner_error_percent);
  }
  return text + fmt::format(
                    "{:<9}  stains are found beside a good copy only (glint scan --reference), "
                    "scuffs not yet\n",
                    "mind");
}

nlohmann::ordered_json ScoreJson(const ScanScore& score, double damaged) {
  nlohmann::ordered_json object = {{"event", "score"},
                                   {"marked", score.marked},
                                   {"damaged", damaged},
                                   {"defects", nlohmann::ordered_json::object()}};
  if (score.agreement) {
    object["precision"] = score.agreement->precision;
    object["recall"] = score.agreement->recall;
    object["f"] = score.agreement->f;
  }
  if (score.corner_error_percent) object["corner_error_percent"] = *score.corner_error_percent;
  for (const auto& [type, counts] : FoundByType(score)) {
    object["defects"][type] = {{"found", counts.first}, {"known", counts.second}};
  }
  return object;
}

absl::StatusOr<int> RunDemo(DemoOptions& options, const CommandContext& context) {
  GLINT_RETURN_IF_ERROR(Complete(options));
  GLINT_ASSIGN_OR_RETURN(const auto workers, MakeWorkers(options.workers));
  GLINT_ASSIGN_OR_RETURN(const auto sample, Sample(options, workers->pool, context));
  GLINT_ASSIGN_OR_RETURN(const auto labels, ReadLabels(sample));
  const fs::path result = fs::path(options.out) / "result";
  const int scanned = Scan(options, labels, result, *workers, context);
  if (scanned != kExitSuccess) return scanned;
  GLINT_ASSIGN_OR_RETURN(const auto findings, ReadFindings(result, labels));
  GLINT_ASSIGN_OR_RETURN(const auto score, ScoreMask(labels, findings.mask, findings.object));
  const double damaged = DamagedShare(labels);
  context.console.Print(options.json ? JsonLine(ScoreJson(score, damaged))
                                     : ScoreText(score, damaged));
  return kExitSuccess;
}

}  // namespace

void AddDemoCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* command = app.add_subcommand(
      "demo", "Draw a labelled sample scan, scan it, and say what was found of the known damage");
  command->add_option("-o,--out", options->out, "The folder")->capture_default_str();
  command->add_option("--seed", options->synth.seed, "Of the sample")->capture_default_str();
  command->add_option("--kind", options->kind, "page, cover or card")->capture_default_str();
  command->add_option("--frames", options->synth.frames, "Length")->capture_default_str();
  command->add_flag("--clean", options->synth.clean, "Without damage");
  command->add_flag("--force", options->force, "Draw the sample again when it is there");
  AddWorkerOptions(*command, options->workers);
  command->add_flag("--json", options->json, "One JSON object per event on stdout");
  ActWhenChosen(*command, action, options, RunDemo);
}

}  // namespace glint
