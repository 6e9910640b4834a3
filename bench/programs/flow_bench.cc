// SPDX-License-Identifier: Apache-2.0
// Our optical flow against cv::calcOpticalFlowFarneback, frame by frame in turns on one thread, in
// CPU time: what else the machine does then hits both alike. Says no number for an instruction set
// whose answer is not OpenCV's.
//
//   flow_bench [--pairs=N] [--target=AVX2] [--no-opencv] [WIDTHxHEIGHT | FILE]...
#include <fmt/format.h>
#include <hwy/targets.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/mat.h"
#include "base/thread_pool.h"
#include "glint/error.h"
#include "glint/video_opener.h"
#include "stages/cpu/farneback/farneback.h"
#include "stages/cpu/farneback/targets.h"

namespace glint {
namespace {

using namespace farneback;  // NOLINT(google-build-using-namespace): the subject of this program

struct Options {
  int pairs = 20;
  std::string target;  // of Highway's names; empty: all
  bool opencv = true;
  std::vector<std::string> inputs;
};

double CpuMilliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Textured paper before a hand-held camera that turns, approaches and drifts.
std::vector<Plane> Generated(Size size, int frames) {
  cv::Mat paper(size.height / 2 + 80, size.width / 2 + 80, CV_8U);
  cv::RNG(7).fill(paper, cv::RNG::UNIFORM, 0, 256);
  cv::GaussianBlur(paper, paper, {}, 1.2);
  cv::normalize(paper, paper, 0, 255, cv::NORM_MINMAX);
  std::vector<Plane> out;
  for (int i = 0; i < frames; ++i) {
    const double t = 3 * std::sin(i * 0.3);
    const cv::Mat view = (cv::Mat_<double>(2, 3) << 2 + 0.004 * t, 0.006 * t, -40 - 1.3 * t,  //
                          -0.006 * t, 2 + 0.004 * t, -40 + 0.7 * t);
    cv::Mat frame;
    cv::warpAffine(paper, frame, view, {size.width, size.height}, cv::INTER_LINEAR,
                   cv::BORDER_REFLECT);
    out.push_back(AsPlane(frame));
  }
  return out;
}

absl::StatusOr<std::vector<Plane>> Decoded(const std::string& file, int frames) {
  const auto open_video = MakeVideoOpener({.decoder = GLINT_DECODER_PROGRAM});
  if (!open_video.ok()) return open_video.status();
  auto source = (*open_video)(file, {}, {});
  if (!source.ok()) return source.status();
  std::vector<Plane> out;
  while (static_cast<int>(out.size()) < frames) {
    auto frame = (*source)->Next();
    if (!frame.ok()) return frame.status();
    if (!frame->has_value()) break;
    out.push_back((*frame)->luma);
  }
  if (out.size() < 2) return Error(Reason::kInvalidOption, file + " has no two frames");
  return out;
}

double MeanLength(const cv::Mat& flow) {
  double sum = 0;
  for (int y = 0; y < flow.rows; ++y) {
    const auto* row = flow.ptr<cv::Vec2f>(y);
    for (int x = 0; x < flow.cols; ++x) sum += std::hypot(double{row[x][0]}, double{row[x][1]});
  }
  return sum / static_cast<double>(flow.total());
}

struct Times {
  std::vector<double> ours;
  std::vector<double> opencv;
  double largest_difference = 0;  // of the mean lengths, pixels
};

Times Measure(const std::vector<Plane>& frames, bool opencv) {
  ThreadPool pool(1);
  Farneback flow(frames[0].size(), pool);
  flow.Start(frames[0]);
  Times times;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const double start = CpuMilliseconds();
    const double ours = flow.MeanLengthTo(frames[i]);
    const double estimated = CpuMilliseconds();
    times.ours.push_back(estimated - start);
    if (!opencv) continue;
    cv::Mat theirs;
    cv::calcOpticalFlowFarneback(AsMat(frames[i - 1]), AsMat(frames[i]), theirs, 0.5, 3, 15, 3, 5,
                                 1.2, 0);
    times.opencv.push_back(CpuMilliseconds() - estimated);
    times.largest_difference =
        std::max(times.largest_difference, std::abs(ours - MeanLength(theirs)));
  }
  return times;
}

// One line of the table. @return whether the answers were right
bool Report(const std::string& input, std::int64_t target, const std::vector<Plane>& frames,
            bool opencv) {
  UseTarget(target);
  const Times times = Measure(frames, opencv);
  UseTarget(0);  // so that the others are found again
  const double ours = Median(times.ours);
  const double theirs = Median(times.opencv);
  fmt::print("{:<24} {:<7} {:>9.2f} {:>9.2f} {:>7.2f} {:>9.1e}\n", input, hwy::TargetName(target),
             ours, theirs, theirs / ours, times.largest_difference);
  if (times.largest_difference <= 0.01) return true;
  fmt::print(stderr, "flow_bench: {}: the mean length is not OpenCV's\n", input);
  return false;
}

bool Parse(int count, char** arguments, Options& options) {
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument.starts_with("--pairs=")) {
      options.pairs = std::atoi(arguments[i] + std::string_view("--pairs=").size());
    } else if (argument.starts_with("--target=")) {
      options.target = argument.substr(std::string_view("--target=").size());
    } else if (argument == "--no-opencv") {
      options.opencv = false;
    } else if (argument.starts_with("--")) {
      return false;
    } else {
      options.inputs.emplace_back(argument);
    }
  }
  if (options.inputs.empty()) options.inputs = {"1280x720", "1920x1080"};
  return options.pairs > 0;
}

absl::StatusOr<std::vector<Plane>> Frames(const std::string& input, int frames) {
  Size size;
  if (std::sscanf(input.c_str(), "%dx%d", &size.width, &size.height) == 2 &&
      std::min(size.width, size.height) >= 16) {
    return Generated(size, frames);
  }
  return Decoded(input, frames);
}

int Run(const Options& options) {
  fmt::print("CPU milliseconds per pair on one thread, medians of {}\n", options.pairs);
  fmt::print("{:<24} {:<7} {:>9} {:>9} {:>7} {:>9}\n", "frames", "target", "ours", "OpenCV",
             "ratio", "off by px");
  bool right = true;
  int measured = 0;
  for (const std::string& input : options.inputs) {
    const auto frames = Frames(input, options.pairs + 1);
    if (!frames.ok()) {
      fmt::print(stderr, "flow_bench: {}\n", Message(frames.status()));
      return 1;
    }
    const std::string name = input.substr(input.find_last_of('/') + 1);
    for (const std::int64_t target : RunnableTargets()) {
      if (!options.target.empty() && options.target != hwy::TargetName(target)) continue;
      right = Report(name, target, *frames, options.opencv) && right;
      ++measured;
    }
  }
  if (measured > 0) return right ? 0 : 1;
  fmt::print(stderr, "flow_bench: this processor or build has no {}\n", options.target);
  return 1;
}

}  // namespace
}  // namespace glint

int main(int count, char** arguments) {
  glint::Options options;
  if (!glint::Parse(count, arguments, options)) {
    fmt::print(stderr,
               "usage: flow_bench [--pairs=N] [--target=NAME] [--no-opencv] "
               "[WIDTHxHEIGHT | FILE]...\n");
    return 2;
  }
  cv::setNumThreads(1);
  return glint::Run(options);
}
