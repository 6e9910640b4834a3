// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/veiled_print.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <tuple>
#include <utility>

#include "base/host_call.h"
#include "base/mat.h"
#include "base/status_macros.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// A pixel of a ridge, and a step across the line there, px.
struct RidgePixel {
  int x, y;
  double across_x, across_y;
};

/// The part of a line that lies in one square of the object.
struct Block {
  std::size_t line = 0;
  std::vector<RidgePixel> pixels;

  /// Of all squares, which.
  /// @param side  of a square, px
  cv::Point Square(int side) const { return {pixels[0].x / side, pixels[0].y / side}; }
};

std::vector<Block> CutIntoBlocks(const Plane& ids, const Plane& directions,
                                 const VeiledPrintParams& params) {
  std::map<std::tuple<std::int32_t, int, int>, Block> blocks;
  for (int y = 0; y < ids.height(); ++y) {
    const auto* id = ids.Row<std::int32_t>(y);
    for (int x = 0; x < ids.width(); ++x) {
      if (id[x] == 0) continue;
      const double angle =
          std::numbers::pi * (directions.Row<std::uint8_t>(y)[x] % kDirections) / kDirections;
      Block& block = blocks[{id[x], y / params.block_px, x / params.block_px}];
      block.line = static_cast<std::size_t>(id[x] - 1);
      block.pixels.push_back({x, y, -std::sin(angle), std::cos(angle)});
    }
  }
  std::vector<Block> all;
  all.reserve(blocks.size());
  for (auto& [at, block] : blocks) {
    if (std::ssize(block.pixels) >= params.min_block_pixels) all.push_back(std::move(block));
  }
  return all;
}

/// What a plane shows of a line at one of its pixels and on both sides of it.
struct Shown {
  double line = 0, beside = 0;
};

template <class Value>
Shown ShownAt(const Plane& plane, const RidgePixel& pixel, const VeiledPrintParams& params) {
  const auto at = [&](int distance) {
    const auto x = static_cast<int>(std::lround(pixel.x + distance * pixel.across_x));
    const auto y = static_cast<int>(std::lround(pixel.y + distance * pixel.across_y));
    return static_cast<double>(plane.Row<Value>(
        std::clamp(y, 0, plane.height() - 1))[std::clamp(x, 0, plane.width() - 1)]);
  };
  Shown shown;
  for (int d = -params.line_px; d <= params.line_px; ++d) shown.line += at(d);
  for (int d = params.beside_px; d <= params.beside_end_px; ++d) shown.beside += at(d) + at(-d);
  shown.line /= 2 * params.line_px + 1;
  shown.beside /= 2 * std::max(params.beside_end_px - params.beside_px + 1, 1);
  return shown;
}

/// What is known of a line or of a part of it, the mean over its pixels.
struct Means {
  double pixels = 0;       // how many
  double change = 0;       // variance of the contrast
  double rest = 0;         // what of it brightness and detail leave unexplained
  double correlation = 0;  // of contrast and brightness, or of contrast and lost detail
  double depth = 0;        // grey, by which the albedo is darker on the line

  void Add(const Means& other) {
    pixels += other.pixels;
    if (pixels == 0) return;
    const double share = other.pixels / pixels;
    change += share * (other.change - change);
    rest += share * (other.rest - rest);
    correlation += share * (other.correlation - correlation);
    depth += share * (other.depth - depth);
  }
};

/// A line's contrast, the brightness beside it, and how little the print around it shows, in the
/// views that show a block.
struct Answer {
  std::vector<double> contrast, brightness;
  std::vector<double> faintness;  // empty where there is no print in some view
};

Answer AnswerOf(const Block& block, const VeiledViews& views, const PrintDetail& detail,
                const VeiledPrintParams& params) {
  Answer answer;
  for (std::size_t view = 0; view < views.greys.size(); ++view) {
    Shown sum;
    double count = 0;
    for (const RidgePixel& pixel : block.pixels) {
      if (views.valid[view].Row<std::uint8_t>(pixel.y)[pixel.x] == 0) continue;
      const Shown shown = ShownAt<std::uint8_t>(views.greys[view], pixel, params);
      sum.line += shown.line;
      sum.beside += shown.beside;
      ++count;
    }
    if (count < 1 || count < params.min_shown_share * static_cast<double>(block.pixels.size()))
      continue;
    answer.contrast.push_back((sum.line - sum.beside) / count);
    answer.brightness.push_back(sum.beside / count);
    const auto shown = detail.In(view, {block.pixels[0].x, block.pixels[0].y});
    if (shown) answer.faintness.push_back(-*shown);
  }
  if (answer.faintness.size() < answer.contrast.size()) answer.faintness.clear();
  return answer;
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Takes the part along `of` out of `from`.
void TakeOut(const std::vector<double>& of, std::vector<double>& from) {
  const double length = Dot(of, of);
  if (length <= 0) return;
  const double share = Dot(of, from) / length;
  for (std::size_t i = 0; i < of.size(); ++i) from[i] -= share * of[i];
}

double Correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double lengths = std::sqrt(Dot(a, a) * Dot(b, b));
  return lengths > 0 ? Dot(a, b) / lengths : 0;
}

/// The larger of the correlations of `c` with `a` and with `b`, or that with the sum of so much of
/// either as fits it best, if it takes some of both.
double Correlation(const std::vector<double>& a, const std::vector<double>& b,
                   const std::vector<double>& c) {
  const double aa = Dot(a, a), bb = Dot(b, b), ab = Dot(a, b), ac = Dot(a, c), bc = Dot(b, c);
  const double most = std::max(Correlation(a, c), Correlation(b, c));
  const double independent = aa * bb - ab * ab, cc = Dot(c, c);
  if (independent <= 0 || cc <= 0) return most;
  const double of_a = (ac * bb - bc * ab) / independent;
  const double of_b = (bc * aa - ac * ab) / independent;
  if (of_a < 0 || of_b < 0) return most;
  return std::max(most, std::sqrt((of_a * ac + of_b * bc) / cc));
}

std::vector<double> WithoutMean(std::vector<double> values) {
  const double mean = Mean(values);
  for (double& value : values) value -= mean;
  return values;
}

/// A quadratic of the brightness and the print's faintness fitted to the contrast, one after the
/// other, each without what is along those before it.
Means Explain(const Answer& answer) {
  const auto views = static_cast<double>(answer.contrast.size());
  std::vector<double> contrast = WithoutMean(answer.contrast);
  const std::vector<double> linear = WithoutMean(answer.brightness);
  std::vector<double> square;
  square.reserve(linear.size());
  for (const double value : linear) square.push_back(value * value);
  square = WithoutMean(std::move(square));
  TakeOut(linear, square);
  Means means{.change = Dot(contrast, contrast) / views,
              .correlation = Correlation(linear, contrast)};
  double parameters = 3;
  if (!answer.faintness.empty()) {
    std::vector<double> faintness = WithoutMean(answer.faintness);
    means.correlation = Correlation(linear, faintness, contrast);
    TakeOut(linear, faintness);
    TakeOut(square, faintness);
    TakeOut(faintness, contrast);
    ++parameters;
  }
  TakeOut(linear, contrast);
  TakeOut(square, contrast);
  means.rest = Dot(contrast, contrast) / (views - parameters);
  return means;
}

/// What a block says of its line; nothing where too few views show it.
Means Describe(const Block& block, const VeiledViews& views, const PrintDetail& detail,
               const VeiledPrintParams& params) {
  const Answer answer = AnswerOf(block, views, detail, params);
  if (std::ssize(answer.contrast) < params.min_views) return {};
  Means means = Explain(answer);
  for (const RidgePixel& pixel : block.pixels) {
    const Shown shown = ShownAt<std::int16_t>(views.albedo, pixel, params);
    means.depth += (shown.beside - shown.line) / kGrey;
    ++means.pixels;
  }
  means.depth /= means.pixels;
  return means;
}

/// Whether light explains a dark stroke.
bool IsVeiled(const Means& means, const VeiledPrintParams& params) {
  return means.pixels > 0 && means.depth >= params.min_depth_grey &&
         means.rest <= (1 - params.min_explained_share) * means.change &&
         means.correlation >= params.min_correlation &&
         std::sqrt(means.rest) <= params.max_rest_share * means.depth;
}

bool IsTooFaint(const Means& means, const VeiledPrintParams& params) {
  return means.pixels > 0 && means.change < params.min_change_grey * params.min_change_grey;
}

/// What the blocks of each line say together.
std::vector<Means> MeansOfLines(const std::vector<Block>& blocks, const std::vector<Means>& each,
                                std::size_t lines) {
  std::vector<Means> of_lines(lines);
  for (std::size_t i = 0; i < blocks.size(); ++i) of_lines[blocks[i].line].Add(each[i]);
  return of_lines;
}

/// Which squares touch, corners included, of blocks that are print: numbers per square, from 1 on;
/// 0 where a square is none.
cv::Mat RunsOf(const std::vector<const Block*>& blocks, Size size,
               const VeiledPrintParams& params) {
  cv::Mat squares(size.height / params.block_px + 1, size.width / params.block_px + 1, CV_8U,
                  cv::Scalar(0));
  for (const Block* block : blocks) {
    squares.at<std::uint8_t>(block->Square(params.block_px)) = 255;
  }
  cv::Mat runs;
  cv::connectedComponents(squares, runs, 8, CV_32S);
  return runs;
}

/// The pixels of blocks that are print, where there are many in squares that touch.
/// @param blocks  of one line
void DrawLongRuns(const std::vector<const Block*>& blocks, const VeiledPrintParams& params,
                  cv::Mat& parts) {
  if (blocks.empty()) return;
  const cv::Mat runs = RunsOf(blocks, {parts.cols, parts.rows}, params);
  std::map<std::int32_t, std::int64_t> pixels;
  const auto run_of = [&](const Block& block) {
    return runs.at<std::int32_t>(block.Square(params.block_px));
  };
  for (const Block* block : blocks) pixels[run_of(*block)] += std::ssize(block->pixels);
  for (const Block* block : blocks) {
    if (pixels[run_of(*block)] < params.min_part_pixels) continue;
    for (const RidgePixel& at : block->pixels) parts.at<std::uint8_t>(at.y, at.x) = 255;
  }
}

/// Long parts of lines that are print.
/// @param lines  per path, whether all of it is
Plane FindParts(const std::vector<Block>& blocks, const std::vector<Means>& each,
                const std::vector<bool>& lines, Size size, const VeiledPrintParams& params) {
  std::vector<std::vector<const Block*>> of_lines(lines.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t line = blocks[i].line;
    if (!lines[line] && IsVeiled(each[i], params)) of_lines[line].push_back(&blocks[i]);
  }
  cv::Mat parts(size.height, size.width, CV_8U, cv::Scalar(0));
  for (const auto& of_line : of_lines) DrawLongRuns(of_line, params, parts);
  return cv::countNonZero(parts) > 0 ? AsPlane(parts) : Plane{};
}

VeiledPrint Find(const Lines& lines, const Plane& directions, const VeiledViews& views,
                 const VeiledPrintParams& params, ThreadPool& pool) {
  const std::vector<Block> blocks = CutIntoBlocks(lines.ids, directions, params);
  const PrintDetail detail(views.greys, views.valid, views.albedo, lines.ids, params.detail, pool);
  std::vector<Means> each(blocks.size());
  pool.ParallelFor(std::ssize(blocks), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    each[at] = Describe(blocks[at], views, detail, params);
  });
  VeiledPrint found;
  found.lines.reserve(lines.paths.size());
  for (const Means& means : MeansOfLines(blocks, each, lines.paths.size())) {
    found.lines.push_back(IsTooFaint(means, params) || IsVeiled(means, params));
  }
  found.parts = FindParts(blocks, each, found.lines, lines.ids.size(), params);
  return found;
}

}  // namespace

absl::StatusOr<VeiledPrint> FindVeiledPrint(const Lines& lines, const Plane& directions,
                                            const VeiledViews& views,
                                            const VeiledPrintParams& params, ThreadPool& pool) {
  VeiledPrint found;
  GLINT_RETURN_IF_ERROR(
      HostCall("lines", [&] { found = Find(lines, directions, views, params, pool); }));
  return found;
}

}  // namespace glint::photometric
