// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_line.h"
#include "cli/progress_bar.h"
#include "cli/remote.h"
#include "cli/text.h"
#include "cli/workers.h"

namespace glint {
namespace {

using Steady = std::chrono::steady_clock;

std::string StepName(v1::ScanStep step) {
  std::string name = v1::ScanStep_Name(step).substr(std::string_view("SCAN_STEP_").size());
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

/// Shows events to people.
class WatchView {
 public:
  explicit WatchView(Console& console) : console_(console) {}

  void Show(const v1::Scan& scan) {
    const v1::ScanProgress& progress = scan.progress();
    if (console_.has_status_line()) {
      console_.SetStatus(BarLine(
          {fmt::format("{:<11}", StepName(progress.step())), progress.fraction(), Detail(scan)},
          {.columns = console_.width(),
           .unicode = console_.has_unicode(),
           .colour = console_.colours_status()}));
      return;
    }
    const std::string line = scan.state() == v1::SCAN_STATE_QUEUED
                                 ? fmt::format("{}, {}", StepName(progress.step()), Detail(scan))
                                 : StepName(progress.step());
    const bool between_steps =
        progress.step() == v1::SCAN_STEP_DONE ||
        (progress.step() == v1::SCAN_STEP_QUEUED && scan.state() != v1::SCAN_STATE_QUEUED);
    if (line == told_ || between_steps) return;
    told_ = line;
    console_.Say(fmt::format("{}: {}", scan.scan_id(), line));
  }

 private:
  std::string Detail(const v1::Scan& scan) const {
    const v1::ScanProgress& progress = scan.progress();
    if (scan.state() == v1::SCAN_STATE_QUEUED) {
      return fmt::format("{} before it", progress.queue_position());
    }
    if (progress.step() == v1::SCAN_STEP_DOWNLOADING && progress.bytes() > 0) {
      constexpr double kMega = 1e6;
      return fmt::format("{:.1f} MB", static_cast<double>(progress.bytes()) / kMega);
    }
    const std::chrono::duration<double> elapsed = Steady::now() - start_;
    return TimeLeft(elapsed.count(), progress.fraction());
  }

  Console& console_;
  std::string told_;
  const Steady::time_point start_ = Steady::now();
};

}  // namespace

int WatchToEnd(Client& client, const std::string& scan_id, std::int64_t after_seq, bool json,
               Console& console, const std::stop_token& stop) {
  WatchView view(console);
  const auto end = client.Watch(
      scan_id, after_seq,
      [&](const v1::ScanEvent& event, bool snapshot) {
        if (!json) return view.Show(event.scan());
        console.Print(JsonLine({{"event", snapshot ? "snapshot" : "scan_event"},
                                {"seq", event.seq()},
                                {"scan", ScanJson(event.scan())}}));
      },
      stop);
  console.SetStatus("");
  if (!end.ok()) return Fail(console, json, end.status());
  const absl::Status how = EndOf(*end);
  if (!json && how.ok()) console.Print(ScanTable(*end));
  if (!how.ok()) return Fail(console, json, how);
  return kExitSuccess;
}

}  // namespace glint
