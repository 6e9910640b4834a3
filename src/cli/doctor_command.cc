// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/gpu_code_json.h"
#include "cli/io_options.h"
#include "cli/json_line.h"
#include "cli/text.h"
#include "cli/workers.h"
#include "decode/build_id.h"
#include "decode/sandbox/sandboxed_video.h"
#include "glint/object_store.h"
#include "glint/video.h"

namespace glint {
namespace {

using Json = nlohmann::ordered_json;

struct DoctorOptions {
  WorkerOptions workers;
  std::string out;
  std::string url;
  UrlFetchOptions downloads;
  StoreOptions store;
  std::string decoder;
  bool json = false;
};

/// One thing that was looked at.
struct Check {
  std::string name;
  absl::Status status;
  std::string detail;  ///< when it is well
};

/// What doctor found out.
struct Findings {
  absl::StatusOr<cuda::GpuCode> gpu_code = cuda::HeldGpuCode();
  std::vector<Check> devices;
  Check chosen;
  Check decoder;
  std::optional<DecoderStatus> decodes;  ///< nothing when the decoder does not start
  Check nvdec;
  Check sandbox;
  int threads = 1;
  Check output;
  bool output_was_named = false;
  std::vector<UrlStep> url;  ///< empty: none was asked about

  int exit_code() const {
    int worst = Worse(ExitCodeOf(chosen.status), ExitCodeOf(decoder.status));
    if (output_was_named) worst = Worse(worst, ExitCodeOf(output.status));
    return url.empty() ? worst : Worse(worst, ExitCodeOf(url.back().status));
  }
};

Check ProbeDevice(const BackendEntry& entry, const DeviceName& device, ThreadPool& pool) {
  const BackendOptions options{.pool = &pool, .ordinal = device.ordinal};
  Check check{device.name, entry.probe(options), ""};
  if (!check.status.ok()) return check;
  const auto backend = entry.make(options);
  check.status = backend.status();
  if (backend.ok()) check.detail = (*backend)->description();
  return check;
}

/// Starts the decoder, as scans would: without a sandbox, in it, and with the GPU's video decoder.
void TryDecoder(const std::filesystem::path& named, Findings& findings) {
  findings.decoder = {"glint-decode", absl::OkStatus(), ""};
  findings.sandbox = {"decode", absl::OkStatus(), "works"};
  findings.nvdec = {"nvdec", absl::OkStatus(),
                    "opens; whether it takes a video, that video's report says"};
  const auto program = HelperProgram::Find(named);
  const auto bare = program.ok() ? ProbeDecoder({.program = *program, .confined = false})
                                 : absl::StatusOr<DecoderStatus>(program.status());
  findings.decoder.status = bare.status();
  if (!bare.ok()) {
    const absl::Status none = Error(Reason::kDeviceUnavailable, "there is no decoder");
    findings.sandbox.status = findings.nvdec.status = none;
    return;
  }
  findings.decoder.detail = fmt::format("{}, build {}", bare->program.string(), DecodeBuildId());
  findings.decodes = *bare;
  const auto confined = ProbeDecoder({.program = *program});
  findings.sandbox.status = confined.ok() ? TryToDecode({.program = *program}) : confined.status();
  if (confined.ok() && !confined->missing.empty()) {
    findings.sandbox.detail = fmt::format(
        "works in part, and not for glint serve: this system refused {}", confined->missing);
  }
  const auto nvdec = ProbeDecoder({.program = *program}, DecodeMode::kNvdec);
  findings.nvdec.status = nvdec.status();
  if (nvdec.ok() && !nvdec->accelerated) {
    findings.nvdec.status = Error(Reason::kDeviceUnavailable, nvdec->decoder_why);
  }
}

/// Does in a folder or an object store what scans do there, and leaves nothing.
Check TryOutput(const std::string& place, const StoreOptions& options,
                const std::stop_token& stop) {
  Check check{place, absl::OkStatus(), "writable"};
  const auto store = OpenStore(place, options);
  check.status = store.status();
  if (!store.ok()) return check;
  check.status = (*store)->Prove(CancelToken(stop));
  return check;
}

Findings LookAround(const DoctorOptions& options, const std::stop_token& stop) {
  Findings findings;
  findings.threads = ThreadsOf(options.workers);
  ThreadPool pool(findings.threads);
  for (const BackendEntry& entry : BackendTable()) {
    for (const DeviceName& device : DevicesOf(entry)) {
      findings.devices.push_back(ProbeDevice(entry, device, pool));
    }
  }
  const auto chosen = SelectBackends(options.workers.device, BackendTable(), {.pool = &pool});
  findings.chosen = {options.workers.device, chosen.status(), ""};
  if (chosen.ok()) {
    findings.chosen.detail = fmt::format("{} ({})", NamesOf(*chosen), chosen->front().why);
  }
  TryDecoder(options.decoder, findings);
  findings.output_was_named = !options.out.empty();
  findings.output =
      TryOutput(findings.output_was_named ? options.out : "glint-out", options.store, stop);
  if (!options.url.empty()) {
    findings.url = ExplainUrl(options.url, options.downloads, CancelToken(stop));
  }
  return findings;
}

std::vector<std::pair<std::string, double>> Limits() {
  const VideoLimits limits;
  return {{"pixels", static_cast<double>(limits.max_pixels)},
          {"frames", static_cast<double>(limits.max_frames)},
          {"seconds", limits.max_duration_s},
          {"streams", limits.max_streams},
          {"bytes", static_cast<double>(limits.max_bytes)}};
}

std::string Line(std::string_view name, const Check& check) {
  return fmt::format("{:<9}  {:<12} {}  {}\n", name, check.name,
                     check.status.ok() ? "ok    " : "FAILED",
                     OneLine(check.status.ok() ? check.detail : Message(check.status)));
}

std::string Text(const Findings& findings) {
  std::string text = fmt::format("glint {}\n", GLINT_VERSION);
  text += fmt::format("{:<9}  {}\n", "GPU code",
                      findings.gpu_code.ok() ? GpuCodeText(*findings.gpu_code)
                                             : Message(findings.gpu_code.status()));
  for (const Check& device : findings.devices) text += Line("device", device);
  text += Line("chosen", findings.chosen);
  text += fmt::format("{:<9}  {}\n", "threads", findings.threads);
  text += Line("decoder", findings.decoder);
  if (findings.decodes) {
    std::string codecs;
    for (const auto& [codec, available] : findings.decodes->codecs) {
      codecs += fmt::format(" {}{}", codec, available ? "" : " (MISSING)");
    }
    text +=
        fmt::format("{:<9}  {}, decodes:{}\n", "FFmpeg", findings.decodes->ffmpeg_version, codecs);
  }
  std::string limits;
  for (const auto& [name, value] : Limits()) limits += fmt::format(" {} {:.0f},", name, value);
  limits.pop_back();
  text += fmt::format("{:<9}  at most{}\n", "limits", limits);
  text += Line("decode", findings.nvdec);
  text += Line("sandbox", findings.sandbox);
  text += Line("output", findings.output);
  for (const UrlStep& step : findings.url) {
    text += Line("download", {step.what, step.status, step.detail});
  }
  return text;
}

Json Describe(const Check& check) {
  Json object = {{"name", check.name}, {"ok", check.status.ok()}};
  if (check.status.ok()) {
    object["detail"] = check.detail;
  } else {
    object["message"] = Message(check.status);
  }
  return object;
}

Json Describe(const Findings& findings) {
  Json object = {{"event", "doctor"}, {"version", GLINT_VERSION}, {"devices", Json::array()}};
  for (const Check& device : findings.devices) object["devices"].push_back(Describe(device));
  object["cuda"] = GpuCodeJson(findings.gpu_code);
  object["chosen"] = Describe(findings.chosen);
  object["threads"] = findings.threads;
  object["decoder"] = Describe(findings.decoder);
  if (findings.decodes) {
    object["ffmpeg"] = {{"version", findings.decodes->ffmpeg_version},
                        {"decoders", Json::object()}};
    for (const auto& [codec, available] : findings.decodes->codecs) {
      object["ffmpeg"]["decoders"][codec] = available;
    }
  }
  for (const auto& [name, value] : Limits()) object["limits"][name] = value;
  object["nvdec"] = Describe(findings.nvdec);
  object["sandbox"] = Describe(findings.sandbox);
  object["output"] = Describe(findings.output);
  if (!findings.url.empty()) object["url"] = Json::array();
  for (const UrlStep& step : findings.url) {
    object["url"].push_back(Describe(Check{step.what, step.status, step.detail}));
  }
  object["exit_code"] = findings.exit_code();
  return object;
}

int RunDoctor(const DoctorOptions& options, const CommandContext& context) {
  const Findings findings = LookAround(options, context.stop);
  context.console.Print(options.json ? JsonLine(Describe(findings)) : Text(findings));
  return findings.exit_code();
}

}  // namespace

void AddDoctorCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = app.add_subcommand(
      "doctor", "Say what works here: devices, decoders, limits, the output, a URL");
  AddWorkerOptions(*command, options->workers);
  command->add_option("-o,--out", options->out,
                      "The folder, s3://bucket/prefix or supabase://bucket/prefix to try. Default: "
                      "./glint-out, which decides no exit code");
  command->add_option(
      "--url", options->url,
      "Explains step by step whether this URL can be scanned (nothing but its first "
      "bytes is downloaded)");
  AddDecoderOption(*command, options->decoder);
  AddDownloadOptions(*command, options->downloads);
  AddStoreOptions(*command, options->store);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  command->footer(
      "Exits with 7 when the wanted device or the decoder does not work, with 6 when the named "
      "output cannot be "
      "written, with 3 to 5 when the URL cannot be scanned.");
  ActWhenChosen(*command, action, options, RunDoctor);
}

}  // namespace glint
