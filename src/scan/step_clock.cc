// SPDX-License-Identifier: Apache-2.0
#include "scan/step_clock.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace glint {
namespace {

/// Where each step begins, as a share of the whole scan: what a typical scan spends, for a bar that
/// moves evenly.
constexpr std::array kStart = {
    0.00,  // queued
    0.00,  // downloading
    0.10,  // decoding (opening; the frames are decoded while they are measured)
    0.11,  // measuring
    0.80,  // selecting
    0.81,  // locating
    0.84,  // registering
    0.88,  // detecting
    0.91,  // rendering
    0.97,  // uploading
    1.00,  // done
};

double Share(ScanStep step, double fraction, int side, int sides) {
  const auto i = static_cast<std::size_t>(step);
  const double next = i + 1 < kStart.size() ? kStart[i + 1] : 1;
  const double share = kStart[i] + (next - kStart[i]) * std::clamp(fraction, 0.0, 1.0);
  constexpr double kSides = kStart[static_cast<std::size_t>(ScanStep::kUploading)];
  return step < ScanStep::kUploading ? (side * kSides + share) / sides : share;
}

double Milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

double Milliseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

rusage Usage(__rusage_who who) {
  rusage usage{};
  getrusage(who, &usage);
  return usage;
}

double CpuMilliseconds() {
  double sum = 0;
  for (const __rusage_who who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {  // children: ended decoders
    const rusage usage = Usage(who);
    sum += Milliseconds(usage.ru_utime) + Milliseconds(usage.ru_stime);
  }
  return sum;
}

}  // namespace

StepClock::StepClock(ProgressSink* sink) : sink_(sink), cpu_start_ms_(CpuMilliseconds()) {}

void StepClock::Enter(ScanStep step) {
  const Clock::time_point now = Clock::now();
  finished_ = StepsUntil(now);
  step_start_ = now;
  progress_.step = step;
  Announce(0);
}

void StepClock::BeginSide(int side, int sides) {
  side_ = side;
  sides_ = sides;
}

void StepClock::Advance(double fraction, std::int64_t frames, std::int64_t frames_of) {
  progress_.frames = frames;
  progress_.frames_of = frames_of;
  Announce(fraction);
}

void StepClock::Downloaded(std::int64_t bytes, std::int64_t bytes_of) {
  progress_.bytes = bytes;
  progress_.bytes_of = bytes_of;
  Announce(bytes_of > 0 ? static_cast<double>(bytes) / static_cast<double>(bytes_of) : 0);
}

ScanTiming StepClock::SoFar(int threads) const {
  const Clock::time_point now = Clock::now();
  return {.step_ms = StepsUntil(now),
          .wall_ms = Milliseconds(now - start_),
          .cpu_ms = CpuMilliseconds() - cpu_start_ms_,
          .peak_rss_bytes = Usage(RUSAGE_SELF).ru_maxrss * std::int64_t{1024},
          .threads = threads};
}

std::vector<std::pair<std::string, double>> StepClock::StepsUntil(Clock::time_point now) const {
  std::vector<std::pair<std::string, double>> steps = finished_;
  if (progress_.step != ScanStep::kQueued) {
    const std::string_view name = Name(progress_.step);
    const double ms = Milliseconds(now - step_start_);
    const auto known = std::ranges::find(steps, name, &std::pair<std::string, double>::first);
    if (known == steps.end()) {
      steps.emplace_back(name, ms);
    } else {
      known->second += ms;  // of the side before
    }
  }
  return steps;
}

void StepClock::Announce(double fraction) {
  progress_.fraction = std::max(progress_.fraction, Share(progress_.step, fraction, side_, sides_));
  if (sink_) sink_->OnProgress(progress_);
}

}  // namespace glint
