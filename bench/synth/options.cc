// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "bench/synth/synth.h"
#include "glint/error.h"

namespace glint {
namespace {

constexpr std::array<std::string_view, 3> kKinds = {"page", "cover", "card"};
constexpr std::array<std::string_view, 4> kLights = {"swing", "two", "diffuse", "still"};

bool IsFileName(std::string_view name) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return name.size() <= 100 && !name.starts_with('.') &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

absl::Status OutOfRange(std::string_view option, const std::string& value, std::string_view range) {
  return Error(Reason::kInvalidOption,
               fmt::format("{} is {}, but must be {}", option, value, range));
}

bool IsSide(int side) { return side >= 64 && side <= 4096 && side % 2 == 0; }

}  // namespace

std::string_view Name(SynthKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::optional<SynthKind> SynthKindOf(std::string_view name) {
  const auto* found = std::find(kKinds.begin(), kKinds.end(), name);
  if (found == kKinds.end()) return std::nullopt;
  return static_cast<SynthKind>(found - kKinds.begin());
}

std::string_view Name(SynthLight light) { return kLights[static_cast<std::size_t>(light)]; }

std::optional<SynthLight> SynthLightOf(std::string_view name) {
  const auto* found = std::find(kLights.begin(), kLights.end(), name);
  if (found == kLights.end()) return std::nullopt;
  return static_cast<SynthLight>(found - kLights.begin());
}

absl::Status Validate(const SynthOptions& options) {
  if (!IsFileName(options.name)) {
    return OutOfRange("the name", fmt::format("'{}'", options.name),
                      "at most 100 of A-Z a-z 0-9 . _ - and must not begin with a dot");
  }
  if (!IsSide(options.video_size.width) || !IsSide(options.video_size.height)) {
    return OutOfRange("the video size", ToString(options.video_size),
                      "even and 64 to 4096 on each side");
  }
  if (options.rotation % 90 != 0 || options.rotation < 0 || options.rotation > 270) {
    return OutOfRange("the rotation", std::to_string(options.rotation), "0, 90, 180 or 270");
  }
  if (options.frames < 1 || options.frames > 36'000) {
    return OutOfRange("the number of frames", std::to_string(options.frames), "1 to 36000");
  }
  if (options.frames_per_s < 1 || options.frames_per_s > 240) {
    return OutOfRange("the frame rate", std::to_string(options.frames_per_s), "1 to 240");
  }
  if (!(options.quality >= 0 && options.quality <= 51)) {
    return OutOfRange("the quality", fmt::format("{}", options.quality), "0 to 51");
  }
  if (!(options.bend >= 0 && options.bend <= 0.05)) {
    return OutOfRange("the bend", fmt::format("{}", options.bend), "0 to 0.05");
  }
  if (options.megabits != 0 && !(options.megabits >= 0.1 && options.megabits <= 200)) {
    return OutOfRange("the bit rate", fmt::format("{} Mbit/s", options.megabits),
                      "0.1 to 200 Mbit/s, or 0");
  }
  return absl::OkStatus();
}

}  // namespace glint
