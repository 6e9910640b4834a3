// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <string_view>

namespace glint {

/// The detectors.
enum class Profile {
  kClassic,      ///< edges and texture of the golden frames
  kPhotometric,  ///< damage by how it answers to a moving light, whatever is printed
};

/// What they are called in ScanRequest::profile, in reports and wherever else they are named.
inline constexpr std::string_view kProfileClassic = "classic";
inline constexpr std::string_view kProfilePhotometric = "photometric";

constexpr std::string_view Name(Profile profile) {
  return profile == Profile::kClassic ? kProfileClassic : kProfilePhotometric;
}

/// All of them.
std::span<const Profile> Profiles();

/// The profile of this name. Errors: INVALID_OPTION listing the names there are
absl::StatusOr<Profile> FindProfile(std::string_view name);

}  // namespace glint
