// SPDX-License-Identifier: Apache-2.0
#include "glint/profile.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "base/closest_name.h"
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
  const std::array names = {std::string(kProfilePhotometric), std::string(kProfileClassic)};
  return Error(Reason::kInvalidOption,
               fmt::format("no profile is called '{}'; there are: {}, {}{}", name, names[0],
                           names[1], DidYouMean(name, names)));
}

}  // namespace glint
