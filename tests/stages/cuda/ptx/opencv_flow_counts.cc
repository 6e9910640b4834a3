// SPDX-License-Identifier: Apache-2.0
// What OpenCV's own CUDA flow costs for one pair of frames, by the PTX of its farneback.cu: one
// line of JSON per kernel, as of kernel_counts. Its kernels are launched as FarnebackOpticalFlow of
// OpenCV 4.10 launches them with glint's parameters. What its other modules do in between (frames
// to floats, resizing, joining the components) is done on the host and not counted. The flow that
// comes out must be the CPU's, within what opencv_cuda_test allows.
//   opencv_flow_counts PTX [WIDTH HEIGHT]     default: 320 180
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <opencv2/imgproc.hpp>
#include <opencv2/video.hpp>
#include <vector>

#include "base/mat.h"
#include "base/status_macros.h"
#include "bench/timing/scene.h"
#include "glint/error.h"
#include "stages/cuda/ptx/execute.h"
#include "stages/cuda/ptx/parse.h"
#include "stages/cuda/ptx/print_counts.h"
#include "stages/shared/farneback/parameters.h"

namespace glint::cuda::ptx {
namespace {

using farneback::kIterations;
using farneback::kPolyRadius;
using farneback::kWindowRadius;

constexpr std::size_t kPitch = 512;  // rows of a GpuMat begin at multiples of that

/// A GpuMat of floats: how kernels are given it.
struct Floats2d {
  float* data = nullptr;
  std::uint64_t pitch = 0;
};

/// Images in what stands for device memory.
class Images {
 public:
  Floats2d Make(int width, int height) {
    const std::size_t pitch =
        (sizeof(float) * static_cast<std::size_t>(width) + kPitch - 1) / kPitch * kPitch;
    const std::size_t bytes = pitch * static_cast<std::size_t>(height);
    auto& memory = memory_.emplace_back(
        static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kPitch))));
    spans_.emplace_back(memory.get(), bytes);
    return {static_cast<float*>(static_cast<void*>(memory.get())), pitch};
  }
  static cv::Mat MatOf(const Floats2d& image, int width, int height) {
    return {height, width, CV_32FC1, image.data, image.pitch};
  }

  std::vector<std::span<std::byte>> spans() const { return spans_; }

 private:
  struct Delete {
    void operator()(std::byte* memory) const {
      ::operator delete(memory, std::align_val_t(kPitch));
    }
  };
  std::vector<std::unique_ptr<std::byte, Delete>> memory_;
  std::vector<std::span<std::byte>> spans_;
};

/// A kernel's arguments, as they lie in memory.
template <class... T>
std::vector<std::byte> Packed(const T&... arguments) {
  std::vector<std::byte> bytes;
  const auto add = [&]<class One>(const One& one) {
    while (bytes.size() % alignof(One) != 0) bytes.push_back(std::byte{0});
    const auto* first = static_cast<const std::byte*>(static_cast<const void*>(&one));
    bytes.insert(bytes.end(), first, first + sizeof one);
  };
  (add(arguments), ...);
  return bytes;
}

int CeilDivided(int total, int size) { return (total + size - 1) / size; }

/// Border of gaussianBlur: mirrored at the outermost pixels.
struct Mirrored {
  int last_row;
  int last_column;
};

/// OpenCV's flow of one pair.
class OpenCvFlow {
 public:
  OpenCvFlow(Module module, Size size) : module_(std::move(module)), size_(size) {
    SetPolynomials();
    const auto& inner = farneback::kBorderWeights;
    std::array<float, std::tuple_size_v<std::decay_t<decltype(inner)>> + 1> border;
    *std::ranges::copy(inner, border.begin()).out = 1;
    Set("c_border", std::span<const float>(border));
  }

  /// @return the flow, in two planes
  absl::StatusOr<std::array<cv::Mat, 2>> Run(const cv::Mat& previous, const cv::Mat& next) {
    std::array<cv::Mat, 2> flow;
    for (int level = Levels(); level >= 0; --level) {
      GLINT_RETURN_IF_ERROR(RunLevel({previous, next}, level, flow));
    }
    return flow;
  }

  const std::map<std::string, Counts>& counts() const { return counts_; }

 private:
  int Levels() const {
    int levels = 0;
    for (double scale = 0.5; levels < farneback::kCoarserLevels; ++levels, scale *= 0.5) {
      if (std::min(size_.width, size_.height) * scale < farneback::kSmallestLevelSide) break;
    }
    return levels;
  }

  /// Fills the __constant__ variable whose mangled name ends so.
  void Set(std::string_view name, std::span<const float> values) {
    for (auto& [symbol, bytes] : module_.constants) {
      if (!symbol.ends_with(fmt::format("{}{}E", name.size(), name))) continue;
      std::memcpy(bytes.data(), values.data(), std::min(bytes.size(), values.size_bytes()));
      return;
    }
    status_.Update(Error(Reason::kInvalidOption, fmt::format("the PTX has no constant {}", name)));
  }

  void SetPolynomials() {
    std::array<double, kPolyRadius + 1> weights{};
    double sum = 0, second = 0, fourth = 0;
    for (int x = -kPolyRadius; x <= kPolyRadius; ++x) {
      sum += std::exp(-x * x / (2 * farneback::kPolySigma * farneback::kPolySigma));
    }
    std::array<float, kPolyRadius + 1> even{}, odd{}, square{};
    for (int x = 0; x <= kPolyRadius; ++x) {
      const auto i = static_cast<std::size_t>(x);
      weights[i] = std::exp(-x * x / (2 * farneback::kPolySigma * farneback::kPolySigma)) / sum;
      second += (x == 0 ? 1 : 2) * weights[i] * x * x;
      fourth += (x == 0 ? 1 : 2) * weights[i] * x * x * x * x;
      even[i] = static_cast<float>(weights[i]);
      odd[i] = static_cast<float>(weights[i] * x);
      square[i] = static_cast<float>(weights[i] * x * x);
    }
    Set("c_g", even);
    Set("c_xg", odd);
    Set("c_xxg", square);
    // Of the inverse of the moments of 1, x, y, x^2, y^2, xy.
    const double variance = fourth - second * second;
    for (const auto& [name, value] : {std::pair{"c_ig11", 1 / second},
                                      {"c_ig03", -second / variance},
                                      {"c_ig33", 1 / variance},
                                      {"c_ig55", 1 / (second * second)}}) {
      const auto number = static_cast<float>(value);
      Set(name, {&number, 1});
    }
  }

  /// Runs the kernel in whose mangled name this stands.
  absl::Status Launch(std::string_view kernel, const std::vector<std::byte>& arguments, Grid grid,
                      BlockLayout layout) {
    GLINT_RETURN_IF_ERROR(status_);
    const auto code = std::ranges::find_if(module_.kernels, [&](const Code& one) {
      return one.name.find(kernel) != std::string::npos;
    });
    if (code == module_.kernels.end() || code->argument_bytes != arguments.size()) {
      return Error(Reason::kInvalidOption, fmt::format("the PTX has no such kernel {}", kernel));
    }
    auto memory = images_.spans();
    for (auto& [name, bytes] : module_.constants) memory.emplace_back(bytes);
    std::ranges::sort(memory, {}, [](const auto& one) { return one.data(); });
    layout.may_end_early = true;  // at the right margin they do
    const std::string name(kernel.substr(0, kernel.find('I')));
    const auto fault = Execute(*code, arguments, grid, {}, AddressSpace(std::move(memory)),
                               &counts_[name], layout);
    return fault ? Error(Reason::kInternal, fault->what) : absl::OkStatus();
  }

  absl::Status Blur(const Floats2d& from, int radius, const Floats2d& to) {
    constexpr int kWidth = 256;
    return Launch(
        "gaussianBlurINS1_13BrdReflect101",
        Packed(size_.height, size_.width, from, radius, Mirrored{size_.height - 1, size_.width - 1},
               to),
        {CeilDivided(size_.width, kWidth), size_.height},
        {.width = kWidth, .shared_bytes = 4 * static_cast<std::size_t>(kWidth + 2 * radius)});
  }

  absl::Status Expand(const Floats2d& from, Size size, const Floats2d& to) {
    constexpr int kWidth = 256;
    return Launch("polynomialExpansionILi5E", Packed(size.height, size.width, from, to),
                  {CeilDivided(size.width, kWidth - 2 * kPolyRadius), size.height},
                  {.width = kWidth, .shared_bytes = std::size_t{3} * 4 * kWidth});
  }

  /// A frame's polynomials at a level.
  absl::StatusOr<Floats2d> PolynomialsOf(const cv::Mat& frame, int level, Size size) {
    const double sigma = ((1 << level) - 1) * 0.5;
    const int taps = std::max(cvRound(sigma * 5) | 1, 3);
    const cv::Mat weights = cv::getGaussianKernel(taps, sigma, CV_32F);
    Set("c_gKer", {weights.ptr<float>(taps / 2), static_cast<std::size_t>(taps / 2 + 1)});
    const Floats2d whole = images_.Make(size_.width, size_.height);
    const Floats2d blurred = images_.Make(size_.width, size_.height);
    const Floats2d small = images_.Make(size.width, size.height);
    const Floats2d polynomials = images_.Make(size.width, 5 * size.height);
    frame.convertTo(Images::MatOf(whole, size_.width, size_.height), CV_32F);
    GLINT_RETURN_IF_ERROR(Blur(whole, taps / 2, blurred));
    cv::resize(Images::MatOf(blurred, size_.width, size_.height),
               Images::MatOf(small, size.width, size.height), {size.width, size.height});
    GLINT_RETURN_IF_ERROR(Expand(small, size, polynomials));
    return polynomials;
  }

  absl::Status RunLevel(const std::array<cv::Mat, 2>& frames, int level,
                        std::array<cv::Mat, 2>& flow) {
    const double scale = 1.0 / (1 << level);
    const Size size{cvRound(size_.width * scale), cvRound(size_.height * scale)};
    Floats2d x = images_.Make(size.width, size.height), y = images_.Make(size.width, size.height);
    for (std::size_t i = 0; i < 2; ++i) {
      cv::Mat now = Images::MatOf(i == 0 ? x : y, size.width, size.height);
      if (flow[i].empty()) {
        now.setTo(0);
      } else {
        cv::resize(flow[i], now, now.size());
        now *= 2;
      }
      flow[i] = now;
    }
    Floats2d before, after;
    GLINT_ASSIGN_OR_RETURN(before, PolynomialsOf(frames[0], level, size));
    GLINT_ASSIGN_OR_RETURN(after, PolynomialsOf(frames[1], level, size));
    return Iterate(size, before, after, x, y);
  }

  absl::Status Iterate(Size size, const Floats2d& before, const Floats2d& after, const Floats2d& x,
                       const Floats2d& y) {
    constexpr int kRow = 256, kWidth = 32, kHeight = 8;
    Floats2d sums = images_.Make(size.width, 5 * size.height);
    Floats2d filtered = images_.Make(size.width, 5 * size.height);
    const Grid tiles{CeilDivided(size.width, kWidth), CeilDivided(size.height, kHeight)};
    const BlockLayout tile{.width = kWidth, .height = kHeight};
    const float area = (2 * kWindowRadius + 1) * (2 * kWindowRadius + 1);
    for (int i = 0; i < kIterations; ++i) {
      GLINT_RETURN_IF_ERROR(Launch("updateMatrices",
                                   Packed(size.height, size.width, x, y, before, after, sums),
                                   tiles, tile));
      GLINT_RETURN_IF_ERROR(Launch(
          "boxFilter5", Packed(size.height, size.width, sums, kWindowRadius, 1 / area, filtered),
          {CeilDivided(size.width, kRow), size.height},
          {.width = kRow, .shared_bytes = std::size_t{5} * 4 * (kRow + 2 * kWindowRadius)}));
      GLINT_RETURN_IF_ERROR(
          Launch("updateFlow", Packed(size.height, size.width, filtered, x, y), tiles, tile));
    }
    return absl::OkStatus();
  }

  Module module_;
  const Size size_;
  Images images_;
  absl::Status status_;
  std::map<std::string, Counts> counts_;
};

/// Whether the flow is the CPU's, within opencv_cuda_test's limits.
absl::Status Check(const std::array<cv::Mat, 2>& flow, const cv::Mat& previous,
                   const cv::Mat& next) {
  cv::Mat expected;
  cv::calcOpticalFlowFarneback(previous, next, expected, 0.5, farneback::kCoarserLevels,
                               2 * kWindowRadius + 1, kIterations, kPolyRadius,
                               farneback::kPolySigma, 0);
  std::vector<float> errors;
  for (int row = 0; row < expected.rows; ++row) {
    for (int column = 0; column < expected.cols; ++column) {
      const auto right = expected.at<cv::Vec2f>(row, column);
      errors.push_back(std::hypot(flow[0].at<float>(row, column) - right[0],
                                  flow[1].at<float>(row, column) - right[1]));
    }
  }
  std::ranges::sort(errors);
  const float median = errors[errors.size() / 2], most = errors[errors.size() * 99 / 100];
  fmt::print(stderr, "difference to the CPU's flow: median {:.3f}, 99 of 100 {:.3f} px\n", median,
             most);
  if (median <= 0.05F && most <= 0.5F) return absl::OkStatus();
  return Error(Reason::kInternal, "the flow is not the CPU's: the kernels were not run right");
}

absl::Status Count(const char* path, Size size) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return Error(Reason::kInvalidOption, fmt::format("{} cannot be read", path));
  Module module;
  GLINT_ASSIGN_OR_RETURN(module, Parse(text, ptx::Floats::kFused));
  const BenchScene scene = BenchScene::Make(size, 2);
  const cv::Mat previous = AsMat(scene.frames[0]), next = AsMat(scene.frames[1]);
  OpenCvFlow opencv(std::move(module), size);
  std::array<cv::Mat, 2> flow;
  GLINT_ASSIGN_OR_RETURN(flow, opencv.Run(previous, next));
  GLINT_RETURN_IF_ERROR(Check(flow, previous, next));
  for (const auto& [kernel, counts] : opencv.counts()) {
    PrintCounts("OpenCV's flow", kernel, kernel, counts, static_cast<double>(size.area()));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace glint::cuda::ptx

int main(int argc, char** argv) {
  glint::Size size{320, 180};
  if (argc == 4) size = {std::atoi(argv[2]), std::atoi(argv[3])};
  const absl::Status done = argc < 2
                                ? glint::Error(glint::Reason::kInvalidOption, "name a file of PTX")
                                : glint::cuda::ptx::Count(argv[1], size);
  if (!done.ok()) fmt::print(stderr, "opencv_flow_counts: {}\n", done.ToString());
  return done.ok() ? 0 : 1;
}
