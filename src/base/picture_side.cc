// SPDX-License-Identifier: Apache-2.0
#include "glint/picture_side.h"

#include <fmt/format.h>

#include <array>

#include "glint/error.h"

namespace glint {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"top", "right", "bottom", "left"};

}  // namespace

std::string_view Name(PictureSide side) { return kNames[static_cast<std::size_t>(side)]; }

absl::StatusOr<PictureSide> FindPictureSide(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<PictureSide>(i);
  }
  return Error(Reason::kInvalidOption,
               fmt::format("no side of the picture is called '{}'; there are: {}, {}, {}, {}", name,
                           kNames[0], kNames[1], kNames[2], kNames[3]));
}

}  // namespace glint
