// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyse/item_types.h"
#include "assess/object_size.h"
#include "base/status_macros.h"
#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/io_options.h"
#include "cli/run_batch.h"
#include "cli/workers.h"
#include "fetch/work_folder.h"
#include "glint/error.h"
#include "glint/export_format.h"
#include "http/url.h"
#include "scan/request_check.h"

namespace glint {
namespace {

struct ScanOptions {
  std::vector<std::string> inputs;
  std::string list;
  std::string out;
  ScanRequest request;
  std::string exports;
  UrlFetchOptions downloads;
  StoreOptions store;
  WorkerOptions workers;
  DecodeOptions decode;
  int jobs = 1;
  bool force = false;
  std::unique_ptr<WorkFile> standard_input;  ///< a video that was piped in
  bool json = false;
  double timeout_s = 0;
};

std::string ItemTypeHelp() {
  std::string help = "What is filmed, which decides the named regions:";
  for (const ItemType& type : ItemTypes()) help += fmt::format(" {} ({});", type.name, type.help);
  help.back() = '.';
  return help;
}

std::string SizeHelp() {
  std::string help = "How large the object is, for lengths in millimetres: 63x88mm, 2.5x3.5in, or";
  for (const SizePreset& preset : SizePresets()) {
    help += fmt::format(" {} ({}, {:g}x{:g}mm);", preset.name, preset.title, preset.width_mm,
                        preset.height_mm);
  }
  help.back() = '.';
  return help + " Default: what is usual for the item type, where the object has that shape";
}

/// "comic|card|...", for help and completion.
template <class Named>
std::string TypeOf(std::span<const Named> named) {
  std::string type;
  for (const Named& one : named) type += (type.empty() ? "" : "|") + std::string(one.name);
  return type;
}

void AddWhatToScan(CLI::App& command, ScanOptions& options) {
  command.add_option("video", options.inputs,
                     "Video files, http, https and file: URLs, or '-': a video on standard input");
  command.add_option("--back", options.request.back,
                     "A video of the item's other side, a file or URL: both sides become one "
                     "report with one verdict; for a single video");
  command.add_option("--list", options.list,
                     "A text file with one video per line ('-': standard input)");
  command.add_option("-o,--out", options.out,
                     "Where the result goes: a folder, s3://bucket/prefix or "
                     "supabase://bucket/prefix; itself for a single video, a folder in it per "
                     "video for a batch. Default: ./glint-out/<name of the video>");
  command.add_option("--item-type", options.request.item_type, ItemTypeHelp())
      ->type_name(TypeOf(ItemTypes()))
      ->capture_default_str();
  command.add_option("--size", options.request.size, SizeHelp());
  command.add_option("--export", options.exports,
                     "Store the result in other formats, too: some of coco,cvat,labelme,csv; see "
                     "glint export");
  command.add_option("--reference", options.request.reference,
                     "A good copy to compare with: an image of the undamaged print, or an earlier "
                     "scan's folder or report.json; finds stains, fading and what is new (needs "
                     "--profile photometric)");
  command
      .add_option("--profile", options.request.profile,
                  "The detector: classic (edges and texture, marks ink too), photometric (what "
                  "answers to a moving light as ink does not)")
      ->type_name("classic|photometric")
      ->capture_default_str();
}

void AddHowToScan(CLI::App& command, ScanOptions& options) {
  command.add_option("--motion-limit", options.request.motion_limit_px,
                     "Frames that move more than this many pixels are not used. Default: 1.0 at a "
                     "frame width of 640, growing with the width");
  AddChoice(command, "--motion", options.request.motion,
            {{"needed", MotionMode::kNeeded}, {"all", MotionMode::kAll}},
            "Measure the motion of the frames whose choice needs it, or of all, for the report's "
            "chart; the chosen frames are the same");
  command.add_option("--golden", options.request.golden_frames, "Golden frames, at most (1-32)")
      ->capture_default_str();
  command.add_option("--gap", options.request.golden_gap, "Frames between two of them, at least")
      ->capture_default_str();
  command.add_option(
      "--rotation", options.request.rotation,
      "Turn pictures by 0, 90, 180 or 270 degrees clockwise, for a file that says it "
      "wrongly. Default: what the file says");
  std::map<std::string, PictureSide> sides;
  for (const PictureSide side :
       {PictureSide::kTop, PictureSide::kRight, PictureSide::kBottom, PictureSide::kLeft}) {
    sides.emplace(Name(side), side);
  }
  command
      .add_option("--up", options.request.up,
                  "The side of the picture at which the object's own top is, so that spine and "
                  "corners are named by the object and not by how it was filmed")
      ->transform(CLI::CheckedTransformer(sides).description(""))
      ->type_name("top|right|bottom|left")
      ->default_str("top");
  AddWorkerOptions(command, options.workers);
  AddDecodeOptions(command, options.decode);
  command.add_option("--timeout", options.timeout_s, "Seconds that a scan may take; 0 is no limit")
      ->check(CLI::NonNegativeNumber);
  command.add_flag("--json", options.json,
                   "One JSON object per event on stdout, for machines (docs/cli.md)");
}

void AddBatchFlags(CLI::App& command, ScanOptions& options) {
  const std::string group = "Batch (several videos, or --list)";
  command.add_option("--jobs", options.jobs, "Scans at a time; they share the threads")
      ->check(CLI::Range(1, 256))
      ->capture_default_str()
      ->group(group);
  command
      .add_flag("--force", options.force,
                "Scan again what has a complete result, and replace another video's in --out")
      ->group(group);
}

void AddLimits(CLI::App& command, VideoLimits& limits) {
  const std::string group = "Limits (a video beyond one is refused)";
  const auto add = [&](const char* name, auto& value, const char* help) {
    return command.add_option(name, value, help)
        ->check(CLI::PositiveNumber)
        ->capture_default_str()
        ->group(group);
  };
  add("--max-pixels", limits.max_pixels, "Pixels of a frame");
  add("--max-frames", limits.max_frames, "Frames");
  add("--max-duration", limits.max_duration_s, "Seconds");
  add("--max-streams", limits.max_streams, "Streams in the file");
  add("--max-bytes", limits.max_bytes, "Size of the file (suffixes k, M, G are powers of 1024)")
      ->transform(CLI::AsSizeValue(false));
}

/// Copies standard input into a file, which goes with the object.
absl::StatusOr<std::unique_ptr<WorkFile>> ReadStandardInput(const ScanOptions& options) {
  const std::int64_t most = options.request.limits.max_bytes;
  GLINT_ASSIGN_OR_RETURN(const auto folder, WorkFolder::Open(options.downloads.work_folder, most));
  GLINT_ASSIGN_OR_RETURN(auto file, folder->NewFile());
  std::vector<char> buffer(1 << 20);
  while (std::cin.read(buffer.data(), std::ssize(buffer)), std::cin.gcount() > 0) {
    const auto read = static_cast<std::size_t>(std::cin.gcount());
    GLINT_RETURN_IF_ERROR(file->Append(std::as_bytes(std::span(buffer.data(), read))));
  }
  return file;
}

/// Whether a folder may get this scan's result: it has none, or one of the same video.
/// @param piped  a video from standard input is the same as one before it of that name
absl::Status CheckReplaces(const std::filesystem::path& folder, const ScanJob& job, bool piped) {
  std::ifstream file(folder / "report.json");
  const auto report = nlohmann::json::parse(file, nullptr, false);
  if (!report.is_object() || !report.contains("scan_id")) return absl::OkStatus();
  std::string other = report["scan_id"].dump();
  if (report["scan_id"] == job.scan_id) {
    const BatchRecord record(folder);
    const BatchRecord::Entry* known = record.Find(job.scan_id);
    if (piped || known == nullptr || known->input == InputKey(job.input)) return absl::OkStatus();
    other = known->input;
  }
  return Error(Reason::kOutputUnwritable,
               fmt::format("'{}' holds the result of another video, {}; name another folder by "
                           "--out, or replace it with --force",
                           folder.string(), other));
}

/// The results of earlier scans in the folder and their inputs. One without a record may be any
/// video's, so that a single scan does not take its place. @param id  that a single scan would have
std::map<std::string, std::string> TakenIds(const BatchOptions& plan, const std::string& id) {
  auto taken = BatchRecord(plan.root).Inputs();
  if (plan.batch || plan.root.empty()) return taken;
  std::error_code error;
  if (std::filesystem::exists(plan.root / id / "report.json", error)) taken.emplace(id, "");
  return taken;
}

/// Takes the video on standard input, if that is one of the inputs.
absl::Status TakeStandardInput(ScanOptions& options) {
  const auto named = std::ranges::count(options.inputs, "-");
  if (named == 0) return absl::OkStatus();
  if (named > 1 || options.list == "-") {
    return Error(Reason::kInvalidOption, "standard input can be read once; name '-' once");
  }
  GLINT_ASSIGN_OR_RETURN(options.standard_input, ReadStandardInput(options));
  std::ranges::replace(options.inputs, std::string("-"), options.standard_input->path().string());
  return absl::OkStatus();
}

/// Whether the other side can be scanned with what is named. @param batch  several videos are
absl::Status CheckBack(const std::string& back, bool batch) {
  if (!back.empty() && batch) {
    return Error(Reason::kInvalidOption,
                 "--back belongs to one front; scan each item by itself, or batches without it");
  }
  if (back == "-") {
    return Error(Reason::kInvalidOption,
                 "the back is a file or a URL; only the front comes from standard input");
  }
  std::error_code error;  // before the front is scanned for minutes
  if (!back.empty() && !Url::Parse(back).ok() && !std::filesystem::exists(back, error)) {
    return Error(Reason::kInputNotFound,
                 fmt::format("there is no '{}' to be the back; check the path", back));
  }
  return absl::OkStatus();
}

/// Gives the jobs their names. @param in_place  the result goes right into the folder
absl::Status NameJobs(const ScanOptions& options, bool in_place, BatchOptions& plan) {
  const Names names = plan.root.empty() ? Names::kAscii : Names::kUtf8;
  std::map<std::string, std::string> taken;
  if (!in_place)
    taken = TakenIds(plan, options.standard_input ? "stdin" : ScanIdFor(options.inputs.front()));
  plan.jobs = MakeScanJobs(options.inputs, taken, names);
  for (ScanJob& job : plan.jobs) {
    const bool piped = options.standard_input && job.input == options.standard_input->path();
    if (piped) job.scan_id = taken.contains("stdin") ? "stdin-" + job.scan_id : "stdin";
  }
  if (!in_place || options.force || plan.root.empty()) return absl::OkStatus();
  return CheckReplaces(plan.root, plan.jobs.front(), options.standard_input != nullptr);
}

/// Fills in the jobs and where their results go.
absl::StatusOr<BatchOptions> Plan(ScanOptions& options) {
  if (!options.list.empty()) {
    GLINT_ASSIGN_OR_RETURN(const auto listed, ReadInputList(options.list));
    options.inputs.insert(options.inputs.end(), listed.begin(), listed.end());
  }
  if (options.inputs.empty()) {
    return Error(Reason::kInvalidOption,
                 "there is nothing to scan; name a video: glint scan VIDEO");
  }
  BatchOptions plan;
  plan.batch = options.inputs.size() > 1 || !options.list.empty();
  GLINT_RETURN_IF_ERROR(CheckBack(options.request.back, plan.batch));
  GLINT_RETURN_IF_ERROR(TakeStandardInput(options));
  const bool in_place = !plan.batch && !options.out.empty();
  if (options.out.empty()) options.out = "glint-out";
  if (!IsStoreUri(options.out)) plan.root = options.out;
  GLINT_RETURN_IF_ERROR(NameJobs(options, in_place, plan));
  plan.request = options.request;
  auto exports = ParseExportFormats(options.exports);
  if (!exports.ok()) return In("--export", exports.status());
  plan.request.exports = *std::move(exports);
  plan.request.scan_id = plan.jobs.front().scan_id;
  plan.request.prefix = in_place ? "" : plan.request.scan_id;
  plan.force = options.force;
  plan.parallel = options.jobs;
  plan.timeout_s = options.timeout_s;
  GLINT_RETURN_IF_ERROR(CheckRequest(plan.request));
  return plan;
}

/// An opener whose decoders share the threads as the scans do: each with all of them, a batch would
/// start more threads than containers allow.
/// @param scans  at a time
VideoOpener SharingThreads(VideoOpener open, std::size_t scans) {
  return [open = std::move(open), scans](const std::filesystem::path& file, VideoOptions options,
                                         const CancelToken& cancel) {
    const int share = options.threads / static_cast<int>(std::max<std::size_t>(scans, 1));
    options.threads = std::max(share, 1);
    return open(file, options, cancel);
  };
}

absl::StatusOr<int> RunScans(ScanOptions& options, const CommandContext& context) {
  GLINT_ASSIGN_OR_RETURN(const auto plan, Plan(options));
  GLINT_ASSIGN_OR_RETURN(const auto workers, MakeWorkers(options.workers));
  options.downloads.max_bytes = options.request.limits.max_bytes;
  GLINT_ASSIGN_OR_RETURN(const auto fetcher, MakeInputFetcher(options.downloads));
  GLINT_ASSIGN_OR_RETURN(const auto store, OpenStore(options.out, options.store));
  if (IsStoreUri(options.out)) {  // before minutes of work, not after them
    GLINT_RETURN_IF_ERROR(In(options.out, store->Prove(CancelToken(context.stop))));
  }
  GLINT_ASSIGN_OR_RETURN(const auto open_video, OpenerFor(options.decode));
  const auto reporter = options.json ? MakeJsonReporter(context.console)
                                     : MakeTextReporter(context.console, plan.batch);
  const ScanDeps deps{.fetcher = *fetcher,
                      .store = *store,
                      .devices = *workers->devices,
                      .pool = workers->pool,
                      .open_video = SharingThreads(
                          open_video, std::min<std::size_t>(options.jobs, plan.jobs.size()))};
  return RunBatch(plan, deps, *reporter, context.stop).exit_code;
}

}  // namespace

void AddScanCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<ScanOptions>();
  CLI::App* command =
      app.add_subcommand("scan", "Find the damage on the object that a video shows");
  AddWhatToScan(*command, *options);
  AddHowToScan(*command, *options);
  AddBatchFlags(*command, *options);
  AddLimits(*command, options->request.limits);
  AddDownloadOptions(*command, options->downloads);
  AddStoreOptions(*command, options->store);
  command->footer(ExitCodeHelp());
  ActWhenChosen(*command, action, options, RunScans);
}

}  // namespace glint
