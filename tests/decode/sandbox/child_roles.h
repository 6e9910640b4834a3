// SPDX-License-Identifier: Apache-2.0
// The test program is also the decoder child: the real one, and others that misbehave in known
// ways. The first argument says which.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decode/sandbox/sandboxed_video.h"

namespace glint {

/// A way to misbehave.
struct Role {
  std::string name;
  std::function<void()> play;  ///< in the child; its end is the child's end
};

/// This program, as a decoder.
std::shared_ptr<const HelperProgram> ThisProgram();

/// A child that plays a role of LyingRoles() or CrashingRoles().
SandboxOptions WithRole(const std::string& role);

/// Children that say what an honest one cannot, and the words by which they are to be found out.
const std::vector<std::pair<Role, std::string>>& LyingRoles();

/// Children that crash, hang or use too much.
const std::vector<Role>& OtherRoles();

/// What this process is when it was started as a child: its exit code. Otherwise nothing.
std::optional<int> RunAsChild(int argc, char** argv);

}  // namespace glint
