// SPDX-License-Identifier: Apache-2.0
#include "bench/commands/render.h"

#include <chrono>

#include "cli/console.h"
#include "cli/progress_bar.h"

namespace glint {

absl::StatusOr<SynthResult> Render(const SynthOptions& options, const std::filesystem::path& folder,
                                   ThreadPool& pool, bool show, const CommandContext& context) {
  using Steady = std::chrono::steady_clock;
  const auto start = Steady::now();
  const auto progress = [&](int done, int frames) {
    if (!show || !context.console.has_status_line()) return;
    const double fraction = static_cast<double>(done) / frames;
    const double elapsed_s = std::chrono::duration<double>(Steady::now() - start).count();
    context.console.SetStatus(BarLine({"drawing    ", fraction, TimeLeft(elapsed_s, fraction)},
                                      {.columns = context.console.width(),
                                       .unicode = context.console.has_unicode(),
                                       .colour = context.console.colours_status()}));
  };
  auto result = RenderScan(options, folder, pool, progress, CancelToken(context.stop));
  context.console.SetStatus("");
  return result;
}

}  // namespace glint
