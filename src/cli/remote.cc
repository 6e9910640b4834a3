// SPDX-License-Identifier: Apache-2.0
#include "cli/remote.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>

#include "api/failure.h"
#include "base/status_macros.h"
#include "cli/result_table.h"
#include "cli/text.h"
#include "glint/error.h"

namespace glint {
namespace {

/// "SCAN_STATE_QUEUED" as "queued".
std::string ShortName(std::string_view name, std::string_view prefix) {
  name.remove_prefix(std::min(prefix.size(), name.size()));
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

absl::StatusOr<std::string> ReadToken(const std::string& file) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    line.erase(
        std::remove_if(line.begin(), line.end(), [](unsigned char c) { return std::isspace(c); }),
        line.end());
    if (!line.empty() && line.front() != '#') return line;
  }
  return Error(Reason::kInputUnreadable,
               fmt::format("the token file {} cannot be read or holds no token", file));
}

std::string Row(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format("{:<11} {}\n", name, OneLine(value));
}

std::optional<double> Damaged(const v1::RegionScore& score) {
  return score.has_damaged_percent() ? std::optional(score.damaged_percent()) : std::nullopt;
}

std::string ResultRows(const v1::ScanResult& result) {
  const v1::ScanSummary& summary = result.summary();
  const std::string verdict =
      result.has_both_sides() ? Row("verdict", result.both_sides().verdict()) : "";
  if (summary.outcome() != v1::OUTCOME_SCANNED) {
    const bool judged = summary.outcome() != v1::OUTCOME_NOT_JUDGED;
    std::string rows = verdict + Row("result", judged ? "no frame was usable" : "not judged");
    for (const auto& advice : summary.advice()) rows += Row("advice", advice);
    if (!summary.advice().empty()) rows += Row("", "(how to film: glint help filming)");
    return rows;
  }
  std::string rows = verdict + Row("damaged", Percent(summary.has_damaged_percent()
                                                          ? std::optional(summary.damaged_percent())
                                                          : std::nullopt));
  for (const auto& region : summary.named_regions()) {
    rows += Row("  " + region.name(), Percent(Damaged(region)));
  }
  rows += Row("regions", fmt::format("{}", summary.regions()));
  for (const auto& warning : summary.warnings()) rows += Row("warning", warning);
  for (const auto& object : result.objects()) {
    if (object.name() == "report.html") {
      rows += Row("report", object.url().empty()
                                ? fmt::format("{} in the worker's store; --http or --store-urls of "
                                              "the worker gives links",
                                              object.key())
                                : object.url());
      if (object.url().find("/storage/v1/object/") != std::string::npos) {
        rows += Row("", "Supabase shows its source there: save it as a file, or see your site");
      }
    }
  }
  return rows;
}

}  // namespace

void AddScanFlags(CLI::App& command, ScanFlags& flags) {
  command.add_option("--item-type", flags.item_type, "As of glint scan; default: generic");
  command.add_option("--profile", flags.profile, "As of glint scan; default: the worker's");
  command.add_option("--size", flags.size, "The object's size: 63x88mm, or a preset of glint scan");
  const std::map<std::string, v1::MotionMode> modes = {{"needed", v1::MOTION_MODE_NEEDED},
                                                       {"all", v1::MOTION_MODE_ALL}};
  command.add_option("--motion", flags.motion, "As of glint scan; default: needed")
      ->transform(CLI::CheckedTransformer(modes).description(""))
      ->type_name("needed|all");
  command.add_option("--golden", flags.golden, "Golden frames, at most (1-32)");
  command.add_option("--gap", flags.gap, "Frames between two of them, at least");
  command.add_option("--motion-limit", flags.motion_limit, "Pixels, as of glint scan");
  command.add_option("--rotation", flags.rotation, "Degrees clockwise, as of glint scan");
  command.add_option("--up", flags.up, "Where the object's own top is, as of glint scan");
}

v1::ScanOptions ToMessage(const ScanFlags& flags) {
  v1::ScanOptions options;
  options.set_item_type(flags.item_type);
  options.set_profile(flags.profile);
  options.set_motion(flags.motion);
  options.set_golden_frames(flags.golden);
  options.set_golden_gap(flags.gap);
  options.set_motion_limit_px(flags.motion_limit);
  if (flags.rotation) options.set_rotation(*flags.rotation);
  options.set_object_size(flags.size);
  options.set_up(flags.up);
  return options;
}

void AddRemoteOptions(CLI::App& command, RemoteOptions& options) {
  const std::string group = "The worker";
  command.add_option("--server", options.client.server, "host:port (GLINT_SERVER)")
      ->envname("GLINT_SERVER")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--token-file", options.token_file,
                  "A file with the token; otherwise GLINT_TOKEN holds it")
      ->group(group);
  command.add_flag("--tls", options.client.tls, "Encrypt; implied by the flags below")
      ->group(group);
  command.add_option("--ca", options.client.ca, "Root certificates (PEM) instead of the system's")
      ->group(group);
  CLI::Option* cert =
      command.add_option("--cert", options.client.cert, "The client's certificate (PEM), for mTLS")
          ->group(group);
  CLI::Option* key =
      command.add_option("--key", options.client.key, "Its key (PEM)")->group(group)->needs(cert);
  cert->needs(key);
  command
      .add_option("--tls-name", options.client.tls_name,
                  "The name in the worker's certificate, where it is not the host")
      ->group(group);
  command.add_option("--timeout", options.timeout_s, "Seconds that one call may take")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(group);
  command.add_flag("--json", options.json, "JSON on stdout, for machines (docs/cli.md)");
}

absl::StatusOr<std::unique_ptr<Client>> Connect(RemoteOptions& options) {
  if (!options.token_file.empty()) {
    GLINT_ASSIGN_OR_RETURN(options.client.token, ReadToken(options.token_file));
  } else if (const char* token = std::getenv("GLINT_TOKEN")) {
    options.client.token = token;
  }
  options.client.timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_s * 1000));
  return MakeClient(options.client);
}

nlohmann::ordered_json ScanJson(const v1::Scan& scan) {
  google::protobuf::util::JsonPrintOptions how;
  how.preserve_proto_field_names = true;
  std::string text;
  const auto written = google::protobuf::util::MessageToJsonString(scan, &text, how);
  return written.ok() ? nlohmann::ordered_json::parse(text) : nlohmann::ordered_json::object();
}

absl::Status EndOf(const v1::Scan& scan) {
  if (!scan.has_error()) return absl::OkStatus();
  return Error(FailureReasonNamed(scan.error().reason()).value_or(Reason::kInternal),
               scan.error().message());
}

std::string StateName(v1::ScanState state) {
  return ShortName(v1::ScanState_Name(state), "SCAN_STATE_");
}

std::string ScanTable(const v1::Scan& scan) {
  std::string table = Row("scan", scan.scan_id()) + Row("state", StateName(scan.state())) +
                      Row("video", scan.video_url());
  if (!scan.back_video_url().empty()) table += Row("back", scan.back_video_url());
  if (!scan.owner().empty()) table += Row("owner", scan.owner());
  if (!scan.tier().empty()) table += Row("tier", scan.tier());
  if (!scan.batch().empty()) table += Row("batch", scan.batch());
  if (!scan.placing().empty()) {
    table += Row("device", fmt::format("{}: {}", scan.device(), scan.placing()));
  }
  const v1::ScanProgress& progress = scan.progress();
  if (scan.state() == v1::SCAN_STATE_QUEUED) {
    table += Row("before it", fmt::format("{}", progress.queue_position()));
  } else if (scan.state() == v1::SCAN_STATE_RUNNING) {
    table += Row("step", fmt::format("{}, {:.0f} %",
                                     ShortName(v1::ScanStep_Name(progress.step()), "SCAN_STEP_"),
                                     progress.fraction() * 100));
  }
  if (scan.has_delivery()) {
    table += Row("delivery", fmt::format("the result is made and waits; attempt {} to store it "
                                         "failed: {}",
                                         scan.delivery().attempt(), scan.delivery().because()));
  }
  if (scan.attempts() > 1) table += Row("attempts", fmt::format("{}", scan.attempts()));
  if (scan.has_error()) table += Row(scan.error().reason(), scan.error().message());
  if (scan.has_result()) table += ResultRows(scan.result());
  return table;
}

}  // namespace glint
