// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/status_macros.h"
#include "bench/commands/commands.h"
#include "bench/commands/render.h"
#include "cli/console.h"
#include "cli/json_line.h"
#include "cli/text.h"
#include "cli/workers.h"
#include "glint/error.h"

namespace glint {
namespace {

struct SynthCommand {
  SynthOptions synth;
  std::string kind = "page";
  std::string light = "swing";
  std::string size = "1280x720";
  std::string out = "glint-synth";
  int count = 1;
  int threads = 0;
  bool json = false;
};

absl::StatusOr<Size> ParseSize(const std::string& text) {
  Size size;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%5dx%5d%c", &size.width, &size.height, &rest) != 2) {
    return Error(Reason::kInvalidOption, fmt::format("--size is '{}'; write it as 1280x720", text));
  }
  return size;
}

absl::Status Complete(SynthCommand& command) {
  const auto kind = SynthKindOf(command.kind);
  if (!kind) {
    return Error(Reason::kInvalidOption,
                 fmt::format("no kind is called '{}'; there are: page, cover, card", command.kind));
  }
  command.synth.kind = *kind;
  const auto light = SynthLightOf(command.light);
  if (!light) {
    return Error(Reason::kInvalidOption,
                 fmt::format("no light is called '{}'; there are: swing, two, diffuse, still",
                             command.light));
  }
  command.synth.light = *light;
  GLINT_ASSIGN_OR_RETURN(command.synth.video_size, ParseSize(command.size));
  if (command.count > 1 && !command.synth.name.empty()) {
    return Error(Reason::kInvalidOption, "--name is for a single scan; leave it out with --count");
  }
  return Validate(command.synth);
}

void Tell(const SynthCommand& command, const SynthResult& result, Console& console) {
  if (command.json) {
    console.Print(JsonLine({{"event", "rendered"},
                            {"name", result.name},
                            {"video", result.video.string()},
                            {"labels", result.labels.string()},
                            {"defects", result.defects}}));
    return;
  }
  console.Print(fmt::format("{}: {}, {}; labels in {}\n", OneLine(result.video.string()),
                            ToString(result.display_size),
                            Counted(static_cast<std::size_t>(result.defects), "defect"),
                            OneLine(result.labels.string())));
}

absl::StatusOr<int> RunSynth(SynthCommand& command, const CommandContext& context) {
  GLINT_RETURN_IF_ERROR(Complete(command));
  ThreadPool pool(ThreadsOf({.device = "cpu", .threads = command.threads}));
  for (int i = 0; i < command.count; ++i) {
    GLINT_ASSIGN_OR_RETURN(const auto result,
                           Render(command.synth, command.out, pool, !command.json, context));
    Tell(command, result, context.console);
    ++command.synth.seed;
  }
  return 0;
}

}  // namespace

void AddSynthCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<SynthCommand>();
  CLI::App* command =
      app.add_subcommand("synth", "Draw labelled scans: videos of damaged prints, and the truth");
  SynthOptions& synth = options->synth;
  command->add_option("-o,--out", options->out, "The folder")->capture_default_str();
  command->add_option("--name", synth.name, "Of the files. Default: <kind>_<seed>");
  command->add_option("--seed", synth.seed, "The same seed draws the same scan")
      ->capture_default_str();
  command->add_option("--film-seed", synth.film_seed,
                      "Another seed for camera and lamp: the same object, filmed again");
  command->add_option("--count", options->count, "So many scans, each with the next seed")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command->add_option("--kind", options->kind, "page, cover or card")->capture_default_str();
  command->add_flag("--clean", synth.clean, "Without any damage");
  command->add_option("--size", options->size, "Of the stored video")->capture_default_str();
  command->add_option("--rotation", synth.rotation, "Degrees clockwise: 0, 90, 180 or 270")
      ->capture_default_str();
  command->add_option("--frames", synth.frames, "Length")->capture_default_str();
  command->add_option("--fps", synth.frames_per_s, "Frames per second")->capture_default_str();
  command->add_option("--quality", synth.quality, "Rate factor of H.264: 0 (lossless) to 51")
      ->capture_default_str();
  command->add_option("--bit-rate", synth.megabits, "Mbit/s to aim at instead; 0: by quality")
      ->capture_default_str();
  command
      ->add_option("--light", options->light,
                   "swing (a lamp that is moved), two (of them), diffuse (scattered), still (the "
                   "object is tilted)")
      ->capture_default_str();
  command->add_flag("--fingers", synth.fingers, "A finger reaches into the picture now and then");
  command
      ->add_option("--bend", synth.bend,
                   "How far the object's middle bulges, share of its longer side")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "CPU threads; 0 is one per core")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--json", options->json, "One JSON object per scan on stdout");
  ActWhenChosen(*command, action, options, RunSynth);
}

}  // namespace glint
