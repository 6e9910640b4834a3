// SPDX-License-Identifier: Apache-2.0
// The photometric detector's own part: from views in memory to masks. Draws a page under a moving
// light with one scratch and a finger that reaches in for some of the views, and says no number
// when anything but the scratch is found.
//
//   photometric_bench [--views=N] [--finger=N] [--threads=N] [--runs=N] [WIDTHxHEIGHT]
//
// Of the views, every second of the first 2 N shows the finger; by default 10 of 64. None: it is
// looked for in vain, as in most scans.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <opencv2/imgproc.hpp>
#include <string_view>
#include <vector>

#include "analyse/photometric/detect.h"
#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/scene/occluders.h"
#include "base/mat.h"
#include "glint/backend.h"
#include "glint/error.h"

namespace glint {
namespace {

struct Options {
  Size size{1290, 900};
  int views = 64;
  int finger = 10;  // views that show one
  int threads = 2;
  int runs = 5;
};

bool Parse(int count, char** arguments, Options& options) {
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    const auto number = [&] { return std::atoi(arguments[i] + argument.find('=') + 1); };
    if (argument.starts_with("--views=")) {
      options.views = number();
    } else if (argument.starts_with("--finger=")) {
      options.finger = number();
    } else if (argument.starts_with("--threads=")) {
      options.threads = number();
    } else if (argument.starts_with("--runs=")) {
      options.runs = number();
    } else if (std::sscanf(arguments[i], "%dx%d", &options.size.width, &options.size.height) != 2) {
      return false;
    }
  }
  options.finger = std::min(options.finger, options.views / 2);
  return options.views > 0 && options.finger >= 0 && options.views <= kMaxPhotometricViews &&
         options.threads > 0 && options.runs > 0 &&
         std::min(options.size.width, options.size.height) >= 200;
}

// Panels, circles and lines of ink.
cv::Mat Page(Size size) {
  cv::Mat page(size.height, size.width, CV_8UC3, cv::Scalar(212, 206, 190));
  cv::RNG random(9);
  const auto colour = [&](int least, int most) {
    const int red = random.uniform(least, most), green = random.uniform(least, most);
    return cv::Scalar(red, green, random.uniform(least, most));
  };
  for (int i = 0; i < 60; ++i) {
    const cv::Point at(random.uniform(20, size.width - 20), random.uniform(20, size.height - 20));
    cv::circle(page, at, random.uniform(5, 60), colour(30, 220), cv::FILLED);
    cv::line(page, at, {random.uniform(0, size.width), random.uniform(0, size.height)},
             cv::Scalar::all(random.uniform(20, 90)), 2);
  }
  return page;
}

// From the right side almost to the middle.
void DrawFinger(cv::Mat& view, int i) {
  const int across = view.rows / 8;
  cv::line(view, {view.cols + across, view.rows / 2 + i},
           {view.cols * 3 / 4 - 2 * i, view.rows / 3}, cv::Scalar(200, 142, 118), across,
           cv::LINE_AA);
}

struct Drawing {
  ViewStack views;
  cv::Mat scratch;  // 0 and 255
};

Drawing Draw(const Options& options) {
  constexpr int kMargin = photometric::kBackgroundMargin;
  constexpr int kStep = photometric::kThumbnailStep;
  const cv::Mat page = Page(options.size);
  Drawing drawing{.views = {}, .scratch = cv::Mat::zeros(page.size(), CV_8U)};
  cv::line(drawing.scratch, {page.cols / 5, page.rows / 4}, {page.cols / 2, page.rows * 3 / 4},
           cv::Scalar(255), 2);
  cv::RNG random(4);
  Plane valid = Plane::Host(options.size, PixelType::kU8);
  AsMat(valid).setTo(255);
  for (int i = 0; i < options.views; ++i) {
    cv::Mat view, noise(page.size(), CV_32FC3), colour, grey, thumbnail;
    page.convertTo(view, CV_32F, 0.8 + 0.1 * std::sin(0.3 * i));
    if (i % 8 < 4) cv::add(view, cv::Scalar::all(16), view, drawing.scratch);
    if (i % 2 == 1 && i < 2 * options.finger) DrawFinger(view, i);
    cv::GaussianBlur(view, view, {}, 0.8);
    random.fill(noise, cv::RNG::NORMAL, 0, 1.5);
    cv::Mat(view + noise).convertTo(colour, CV_8U);
    cv::cvtColor(colour, grey, cv::COLOR_RGB2GRAY);
    cv::resize(colour, thumbnail, {page.cols / kStep, page.rows / kStep}, 0, 0, cv::INTER_AREA);
    drawing.views.greys.push_back(AsPlane(grey));
    drawing.views.valid.push_back(valid);
    drawing.views.thumbnails.push_back(AsPlane(thumbnail));
  }
  cv::Mat colour(page.rows + 2 * kMargin, page.cols + 2 * kMargin, CV_8UC3, cv::Scalar(70, 45, 30));
  page.copyTo(colour(cv::Rect(kMargin, kMargin, page.cols, page.rows)));
  drawing.views.colour = AsPlane(colour);
  return drawing;
}

// Whether the scratch, and nothing else, is marked.
bool IsRight(const PhotometricResult& found, const cv::Mat& scratch) {
  cv::Mat near_scratch, near_lines;
  const cv::Mat lines = AsMat(found.lines);
  cv::dilate(scratch, near_scratch, cv::Mat::ones(15, 15, CV_8U));
  cv::dilate(lines, near_lines, cv::Mat::ones(7, 7, CV_8U));
  return cv::countNonZero(lines & ~near_scratch) == 0 &&
         cv::countNonZero(scratch & near_lines) >= 0.95 * cv::countNonZero(scratch);
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double PeakMebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int Fail(const absl::Status& status) {
  fmt::print(stderr, "photometric_bench: {}\n", Message(status));
  return 1;
}

int Run(const Options& options) {
  ThreadPool pool(options.threads);
  const auto choice = SelectBackend("cpu", BackendTable(), {.pool = &pool});
  if (!choice.ok()) return Fail(choice.status());
  auto stages = StageSet::Make(choice->backend);
  if (!stages.ok()) return Fail(stages.status());
  const Drawing drawing = Draw(options);
  const double before = PeakMebibytes();
  std::vector<double> wall, cpu;
  for (int run = 0; run < options.runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    const double cpu_start = CpuSeconds();
    const auto found = DetectPhotometric(drawing.views, {}, {}, *stages, pool, {});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (!found.ok()) return Fail(found.status());
    if (!IsRight(*found, drawing.scratch)) {
      fmt::print(stderr, "photometric_bench: not the scratch, or not it alone, is marked\n");
      return 1;
    }
    wall.push_back(took.count());
    cpu.push_back(CpuSeconds() - cpu_start);
  }
  fmt::print("{} views of {}x{}, a finger in {} of them, {} threads, {} runs: ", options.views,
             options.size.width, options.size.height, options.finger, options.threads,
             options.runs);
  fmt::print("wall s {:.2f} (least {:.2f}), CPU s {:.2f}\n", Median(wall),
             *std::ranges::min_element(wall), Median(cpu));
  fmt::print("peak memory {:.0f} MiB, of it {:.0f} MiB before the detector began\n",
             PeakMebibytes(), before);
  return 0;
}

}  // namespace
}  // namespace glint

int main(int count, char** arguments) {
  glint::Options options;
  if (!glint::Parse(count, arguments, options)) {
    fmt::print(stderr,
               "usage: photometric_bench [--views=N] [--finger=N] [--threads=N] [--runs=N] "
               "[WIDTHxHEIGHT]\n");
    return 2;
  }
  cv::setNumThreads(1);
  return glint::Run(options);
}
