// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <map>

#include "cli/console.h"
#include "cli/progress_bar.h"
#include "cli/reporter.h"
#include "cli/result_table.h"
#include "cli/text.h"
#include "glint/error.h"
#include "glint/url_fetcher.h"
#include "http/url.h"

namespace glint {
namespace {

using Steady = std::chrono::steady_clock;

double SecondsSince(Steady::time_point start) {
  return std::chrono::duration<double>(Steady::now() - start).count();
}

class TextReporter final : public Reporter {
 public:
  TextReporter(Console& console, bool batch) : console_(console), batch_(batch) {}

  void Begin(std::size_t jobs) override {
    jobs_ = jobs;
    start_ = Steady::now();
  }

  void Started(const ScanJob& job) override {
    running_[job.scan_id] = {};
    local_ = !IsWebUrl(job.input);
    if (!console_.has_status_line()) {
      console_.Say(fmt::format("{}: scanning {}", job.scan_id, OneLine(ShownInput(job.input))));
    }
  }

  void Advanced(const ScanJob& job, const Progress& progress) override {
    Progress& known = running_[job.scan_id];
    const bool new_step = known.step != progress.step;
    known = progress;
    if (console_.has_status_line()) {
      Draw(new_step);
    } else if (new_step && progress.step != ScanStep::kDone) {
      console_.Say(fmt::format("{}: {}", job.scan_id, Shown(job, progress.step)));
    }
  }

  void Scanned(const ScanJob& job, const ScanResult& result, const std::string& report) override {
    Finish(job);
    if (batch_) {
      Print(ResultLine(job.scan_id, result, report));
    } else {
      Print(ResultTable(result, report, console_.colours_results()));
    }
  }

  void Skipped(const ScanJob& job, const std::string& report) override {
    Finish(job);
    Print(fmt::format("{}: skipped, its result exists: {}\n", job.scan_id, OneLine(report)));
  }

  void Failed(const ScanJob& job, const absl::Status& status) override {
    Finish(job);
    const std::string message = OneLine(Message(status));
    console_.Say(batch_ ? fmt::format("glint: {}: {}", job.scan_id, message)
                        : fmt::format("glint: {}", message));
  }

  void End(const BatchTotals& totals) override {
    console_.SetStatus("");
    if (batch_) Print(TotalsLine(totals));
  }

 private:
  void Print(const std::string& text) { console_.Print(text); }

  void Finish(const ScanJob& job) {
    running_.erase(job.scan_id);
    ++finished_;
    if (!batch_) {
      console_.SetStatus("");
    } else if (console_.has_status_line()) {
      Draw(true);
    }
  }

  void Draw(bool at_once) {
    constexpr std::chrono::milliseconds kRedraw(100);
    if (!at_once && Steady::now() - drawn_ < kRedraw) return;
    drawn_ = Steady::now();
    console_.SetStatus(
        BarLine(batch_ ? WholeBatch() : TheScan(), {.columns = console_.width(),
                                                    .unicode = console_.has_unicode(),
                                                    .colour = console_.colours_status()}));
  }

  BarState TheScan() const {
    const Progress progress = running_.empty() ? Progress() : running_.begin()->second;
    std::string detail = TimeLeft(SecondsSince(start_), progress.fraction);
    if (progress.step == ScanStep::kDownloading && progress.bytes > 0) {
      const double mb = static_cast<double>(progress.bytes) / 1e6;
      detail = progress.bytes_of > 0 ? fmt::format("{:.1f}/{:.1f} MB", mb,
                                                   static_cast<double>(progress.bytes_of) / 1e6)
                                     : fmt::format("{:.1f} MB", mb);
    } else if (progress.step <= ScanStep::kMeasuring && progress.frames_of > 0) {
      detail = fmt::format("frame {}/{}{}{}", progress.frames, progress.frames_of,
                           detail.empty() ? "" : ", ", detail);
    }
    const bool reading = local_ && progress.step == ScanStep::kDownloading;
    const std::string_view step = reading ? "reading" : Name(progress.step);
    return {fmt::format("{:<11}", step), progress.fraction, detail};
  }

  BarState WholeBatch() const {
    double done = static_cast<double>(finished_);
    std::string running;
    for (const auto& [id, progress] : running_) {
      done += progress.fraction;
      running += (running.empty() ? "" : ", ") + id;
    }
    const double fraction = jobs_ == 0 ? 1 : done / static_cast<double>(jobs_);
    const std::string left = TimeLeft(SecondsSince(start_), fraction);
    return {fmt::format("{}/{}", finished_, jobs_), fraction,
            fmt::format("{}{}{}", left, left.empty() || running.empty() ? "" : ", ",
                        Fitted(running, 40))};
  }

  /// What the step is called; a file of this machine is not downloaded.
  static std::string_view Shown(const ScanJob& job, ScanStep step) {
    return step == ScanStep::kDownloading && !IsWebUrl(job.input) ? "reading" : Name(step);
  }

  Console& console_;
  const bool batch_;
  bool local_ = false;  ///< of a single scan: its video lies here
  std::size_t jobs_ = 0;
  std::size_t finished_ = 0;
  Steady::time_point start_;
  Steady::time_point drawn_;
  std::map<std::string, Progress> running_;  // by scan id
};

}  // namespace

std::unique_ptr<Reporter> MakeTextReporter(Console& console, bool batch) {
  return std::make_unique<TextReporter>(console, batch);
}

}  // namespace glint
