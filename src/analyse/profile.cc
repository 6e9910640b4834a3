// SPDX-License-Identifier: Apache-2.0
#include "glint/profile.h"

#include <fmt/format.h>

#include <array>

#include "glint/error.h"

namespace glint {

std::span<const Profile> Profiles() {
  static constexpr std::array kProfiles = {Profile::kClassic, Profile::kPhotometric};
  return kProfiles;
}

absl::StatusOr<Profile> FindProfile(std::string_view name) {
  for (const Profile profile : Profiles()) {
    if (Name(profile) == name) return profile;
  }
  return Error(Reason::kInvalidOption, fmt::format("no profile is called '{}'; there are: {}, {}",
                                                   name, kProfilePhotometric, kProfileClassic));
}

}  // namespace glint
