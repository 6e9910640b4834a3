// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "bench/commands/commands.h"
#include "bench/synth/synth.h"

namespace glint {

/// RenderScan with a progress bar where there is a terminal and `show` is set.
absl::StatusOr<SynthResult> Render(const SynthOptions& options, const std::filesystem::path& folder,
                                   ThreadPool& pool, bool show, const CommandContext& context);

}  // namespace glint
