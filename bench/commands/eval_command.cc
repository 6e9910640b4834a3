// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/status_macros.h"
#include "bench/commands/commands.h"
#include "bench/eval/clips.h"
#include "bench/eval/evaluation.h"
#include "bench/eval/picture_labels.h"
#include "bench/eval/sets.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_line.h"
#include "cli/run_batch.h"
#include "cli/text.h"
#include "cli/workers.h"
#include "glint/error.h"
#include "scan/request_check.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct EvalOptions {
  std::vector<std::string> labels;
  std::string reports;
  std::string out = "glint-eval";
  ScanRequest request;
  std::vector<std::string> set;  // "lines.weak_energy_medians=2.5"
  AnalysisParams params;         // with those
  bool list_params = false;
  WorkerOptions workers;
  bool force = false;
  bool json = false;
};

/// A scan of which something is known, and the name of the folder that holds its result.
struct Known {
  std::string set;
  std::string name;
  std::string id;
  fs::path clip;
  std::string item_type;
  std::variant<ScanLabels, ClipExpectation, PictureLabels> truth;

  /// @param results  the folder of all results
  absl::StatusOr<ScanEvaluation> Evaluate(const fs::path& results) const {
    if (const auto* picture = std::get_if<PictureLabels>(&truth)) {
      GLINT_ASSIGN_OR_RETURN(const fs::path result, ResultOf(*picture, results));
      return EvaluatePicture(*picture, result);
    }
    const fs::path result = results / id;
    if (const auto* labels = std::get_if<ScanLabels>(&truth)) return EvaluateScan(*labels, result);
    return EvaluateClip(std::get<ClipExpectation>(truth), result);
  }
};

constexpr std::string_view kLabelsEnding = ".labels.json";
constexpr std::string_view kExpectationsEnding = "clips.json";
constexpr std::string_view kMaskEnding = ".png";

/// The label files and expectations of a folder, by name; the masks of one that has neither; of
/// another path itself.
absl::StatusOr<std::vector<fs::path>> FilesOf(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector{path};
  std::vector<fs::path> files, masks;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kLabelsEnding) || name.ends_with(kExpectationsEnding)) {
      files.push_back(entry.path());
    } else if (name.ends_with(kMaskEnding)) {
      masks.push_back(entry.path());
    }
  }
  if (files.empty()) files = std::move(masks);
  std::ranges::sort(files);
  if (!files.empty()) return files;
  return Error(
      Reason::kInputNotFound,
      fmt::format("'{}' has no labels, no clips.json and no masks (PNG); name a set of scans",
                  path.string()));
}

/// What a set is called: the folder that its files lie in.
std::string SetOf(const fs::path& file) {
  std::error_code ignored;
  return fs::absolute(file, ignored).lexically_normal().parent_path().filename().string();
}

/// Appends what is known of one picture of a result.
void Append(const fs::path& file, PictureLabels picture, std::vector<Known>& all) {
  Known known{.set = SetOf(file), .name = picture.names.front(), .id = picture.picture};
  known.truth = std::move(picture);
  all.push_back(std::move(known));
}

/// Whether a file is COCO, by its keys; one that is no JSON is not.
bool IsCoco(const fs::path& file) {
  std::ifstream stream(file);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  return json.is_object() && json.contains("images") && json.contains("annotations");
}

/// Appends what a file of another name than glint gives knows: COCO, or labels all the same.
absl::Status ReadOther(const fs::path& file, std::vector<Known>& all) {
  if (IsCoco(file)) {
    GLINT_ASSIGN_OR_RETURN(std::vector<PictureLabels> pictures, ReadCoco(file));
    for (PictureLabels& picture : pictures) Append(file, std::move(picture), all);
    return absl::OkStatus();
  }
  if (file.filename().string().ends_with(kMaskEnding)) {
    GLINT_ASSIGN_OR_RETURN(PictureLabels picture, ReadMaskLabels(file));
    Append(file, std::move(picture), all);
    return absl::OkStatus();
  }
  auto labels = ReadLabels(file);
  if (!labels.ok()) {
    return In("labels are as glint synth writes them, COCO, masks (PNG) or clips.json",
              labels.status());
  }
  all.push_back({.set = SetOf(file),
                 .name = labels->name,
                 .clip = labels->clip,
                 .item_type = ItemTypeOf(labels->kind),
                 .truth = *std::move(labels)});
  return absl::OkStatus();
}

/// Appends what a file knows.
absl::Status ReadFrom(const fs::path& file, std::vector<Known>& all) {
  if (file.filename().string().ends_with(kExpectationsEnding)) {
    GLINT_ASSIGN_OR_RETURN(std::vector<ClipExpectation> clips, ReadExpectations(file));
    for (ClipExpectation& clip : clips) {
      Known known{
          .set = SetOf(file), .name = clip.name, .clip = clip.clip, .item_type = clip.item_type};
      known.truth = std::move(clip);
      all.push_back(std::move(known));
    }
    return absl::OkStatus();
  }
  return ReadOther(file, all);
}

absl::StatusOr<std::vector<Known>> ReadAll(const std::vector<std::string>& paths) {
  std::vector<Known> all;
  for (const std::string& path : paths) {
    GLINT_ASSIGN_OR_RETURN(const std::vector<fs::path> files, FilesOf(path));
    for (const fs::path& file : files) GLINT_RETURN_IF_ERROR(ReadFrom(file, all));
  }
  std::set<std::string> ids;
  for (Known& known : all) {
    if (known.id.empty()) known.id = ScanIdFor(known.name + ".mp4");
    if (ids.insert(known.id).second) continue;
    return Error(Reason::kInvalidOption,
                 fmt::format("two of the scans are called '{}'; evaluate them apart", known.id));
  }
  return all;
}

/// Scans all, as far as they are not done.
absl::StatusOr<BatchTotals> ScanAll(const EvalOptions& options, const std::vector<Known>& scans,
                                    const CommandContext& context) {
  GLINT_ASSIGN_OR_RETURN(const auto workers, MakeWorkers(options.workers));
  BatchOptions plan{
      .request = options.request, .params = options.params, .batch = true, .force = options.force};
  plan.root = options.out;
  for (const Known& scan : scans) {
    plan.jobs.push_back(
        {.input = scan.clip.string(), .scan_id = scan.id, .item_type = scan.item_type});
  }
  const auto fetcher = MakeFileFetcher();
  const auto store = MakeFolderStore(plan.root);
  const auto reporter =
      options.json ? MakeJsonReporter(context.console) : MakeTextReporter(context.console, true);
  const ScanDeps deps{*fetcher, *store, *workers->devices, workers->pool};
  return RunBatch(plan, deps, *reporter, context.stop);
}

/// Judges every scan that has a result. One whose result cannot be judged is told to the user and
/// worsens the exit code; one that failed in the batch has done so.
std::vector<ScanEvaluation> EvaluateAll(const EvalOptions& options, const std::vector<Known>& scans,
                                        BatchTotals& batch, const CommandContext& context) {
  const fs::path results = options.reports.empty() ? options.out : options.reports;
  std::vector<ScanEvaluation> evaluations;
  for (const Known& scan : scans) {
    ScanEvaluation& evaluation = evaluations.emplace_back();
    evaluation.name = scan.name;
    evaluation.set = scan.set;
    if (const auto failed = batch.failures.find(scan.id); failed != batch.failures.end()) {
      evaluation.failure = failed->second;  // whatever lies there is of an earlier scan
      continue;
    }
    auto judged = scan.Evaluate(results);
    if (judged.ok()) {
      evaluation = *std::move(judged);
      evaluation.set = scan.set;
      continue;
    }
    evaluation.failure = In(scan.id, judged.status());
    batch.exit_code =
        Worse(batch.exit_code, Fail(context.console, options.json, evaluation.failure));
  }
  return evaluations;
}

Json WithEvent(std::string_view event, const Json& fields) {
  Json json = {{"event", event}};
  json.update(fields);
  return json;
}

/// Every parameter: its path, what it is by default, and what it may be.
void ListParams(const EvalOptions& options, Console& console) {
  const AnalysisParams defaults;
  const std::vector<ParamField> fields = ParamFields(defaults);
  std::size_t width = 0;
  for (const ParamField& field : fields) width = std::max(width, field.path.size());
  for (const ParamField& field : fields) {
    if (options.json) {
      console.Print(JsonLine({{"event", "parameter"},
                              {"path", field.path},
                              {"default", field.value},
                              {"min", field.min},
                              {"max", field.max}}));
    } else {
      console.Print(fmt::format("{:<{}} {:>10g}   {:g} to {:g}\n", field.path, width, field.value,
                                field.min, field.max));
    }
  }
}

/// The whole evaluation, with the parameters that were set.
Json EvaluationJson(const EvalOptions& options, const std::vector<ScanEvaluation>& evaluations) {
  Json json = SummaryJson(evaluations);
  for (const SetVerdict& verdict : JudgeSets(evaluations)) json["sets"].push_back(ToJson(verdict));
  for (const ChangedParam& param : ChangedParams(options.params)) {
    json["set"][param.path] = param.value;
  }
  return json;
}

/// The same for people.
std::string EvaluationText(const EvalOptions& options,
                           const std::vector<ScanEvaluation>& evaluations) {
  std::string text = EvaluationTable(evaluations);
  for (const SetVerdict& verdict : JudgeSets(evaluations)) text += VerdictLine(verdict);
  for (const ChangedParam& param : ChangedParams(options.params)) {
    text +=
        fmt::format("with {}={:g} (default {:g})\n", param.path, param.value, param.default_value);
  }
  return text;
}

absl::Status WriteFile(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  std::ofstream stream(file);
  stream << text;
  stream.close();
  if (stream) return absl::OkStatus();
  return Error(Reason::kOutputUnwritable,
               fmt::format("'{}' cannot be written; check the folder", file.string()));
}

/// evaluation.json, and the figures where there is what they show.
absl::Status WriteFiles(const fs::path& folder, Json json,
                        const std::vector<ScanEvaluation>& evaluations) {
  Json& scans = json["results"] = Json::array();
  for (const ScanEvaluation& evaluation : evaluations) scans.push_back(ToJson(evaluation));
  GLINT_RETURN_IF_ERROR(  // file names are any bytes
      WriteFile(folder / "evaluation.json",
                json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'));
  const std::vector<CurvePoint> curve = CurveOf(evaluations);
  if (curve.empty()) return absl::OkStatus();
  GLINT_RETURN_IF_ERROR(WriteFile(folder / "precision_recall.svg", CurvePlot(curve)));
  return WriteFile(folder / "reliability.svg", ReliabilityPlot(ReliabilityOf(evaluations)));
}

/// Checks the options that the parser cannot.
absl::Status Prepare(EvalOptions& options) {
  if (options.labels.empty()) {
    return Error(
        Reason::kInvalidOption,
        "nothing to evaluate; name label files as glint synth writes them, or folders of them");
  }
  if (!options.set.empty() && !options.reports.empty()) {
    return Error(Reason::kInvalidOption, "--set is for scans, and --reports makes none");
  }
  for (const std::string& assignment : options.set) {
    GLINT_RETURN_IF_ERROR(In("--set", SetParam(options.params, assignment)));
  }
  return absl::OkStatus();
}

/// Whether all that is to be scanned has a video.
absl::Status CheckVideos(const std::vector<Known>& scans) {
  for (const Known& known : scans) {
    if (!std::holds_alternative<PictureLabels>(known.truth)) continue;
    return Error(Reason::kInvalidOption,
                 fmt::format("the labels of '{}' are of a picture of a result; say with --reports "
                             "where the results lie",
                             known.id));
  }
  return absl::OkStatus();
}

/// Scans, judges and tells. @param batch  its exit code is that of the command, where nothing fails
absl::Status Evaluate(EvalOptions& options, const CommandContext& context, BatchTotals& batch) {
  GLINT_RETURN_IF_ERROR(Prepare(options));
  GLINT_ASSIGN_OR_RETURN(const std::vector<Known> scans, ReadAll(options.labels));
  if (options.reports.empty()) {
    GLINT_RETURN_IF_ERROR(CheckVideos(scans));
    options.request.scan_id = scans.front().id;
    GLINT_RETURN_IF_ERROR(CheckRequest(options.request));
    GLINT_ASSIGN_OR_RETURN(batch, ScanAll(options, scans, context));
    if (batch.exit_code == kExitCancelled) return absl::OkStatus();
  }
  const auto evaluations = EvaluateAll(options, scans, batch, context);
  const Json whole = EvaluationJson(options, evaluations);
  GLINT_RETURN_IF_ERROR(WriteFiles(options.out, whole, evaluations));
  if (!options.json) {
    context.console.Print(EvaluationText(options, evaluations));
    return absl::OkStatus();
  }
  for (const ScanEvaluation& evaluation : evaluations) {
    context.console.Print(JsonLine(WithEvent("evaluated", ToJson(evaluation))));
  }
  context.console.Print(JsonLine(WithEvent("evaluation", whole)));
  return absl::OkStatus();
}

int RunEval(EvalOptions& options, const CommandContext& context) {
  if (options.list_params) {
    ListParams(options, context.console);
    return 0;
  }
  BatchTotals batch;
  const absl::Status status = Evaluate(options, context, batch);
  if (status.ok()) return batch.exit_code;
  return Worse(batch.exit_code, Fail(context.console, options.json, status));
}

}  // namespace

void AddEvalCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = app.add_subcommand(
      "eval", "Scan labelled videos and say how much of the known damage was found");
  command->add_option(
      "labels", options->labels,
      "Label files, as glint synth writes them; folders of them; clips.json, what is "
      "expected of real clips; labels of results' pictures as COCO or as masks (PNG), with "
      "--reports. Each folder is a set with a verdict");
  command->add_option(
      "--reports", options->reports,
      "Scan nothing; judge the results in this folder, one folder per scan; or this "
      "result");
  command
      ->add_option("-o,--out", options->out,
                   "Where the results of the scans and evaluation.json go")
      ->capture_default_str();
  command->add_option("--profile", options->request.profile, "The detector, as of glint scan")
      ->capture_default_str();
  command
      ->add_option("--set", options->set,
                   "For glint's developers: scan with another value of a parameter, e.g. "
                   "lines.weak_energy_medians=2.5; may be given several times")
      ->allow_extra_args(false);
  command->add_flag("--list-params", options->list_params,
                    "For glint's developers: only print all parameters, their defaults and what "
                    "they may be");
  AddWorkerOptions(*command, options->workers);
  command->add_flag("--force", options->force, "Scan again what has a complete result");
  command->add_flag("--json", options->json, "One JSON object per event on stdout");
  command->footer(ExitCodeHelp());
  ActWhenChosen(*command, action, options, RunEval);
}

}  // namespace glint
