// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/faint_paths.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <span>
#include <utility>
#include <vector>

#include "analyse/photometric/found_lines.h"
#include "analyse/photometric/parallel_scores.h"
#include "base/mat.h"
#include "base/rounding.h"

namespace glint::photometric {
namespace {

bool IsFaint(const LinePath& path, const FaintPathParams& params) {
  return path.score < params.sure_score_share * path.needed && path.peak < params.sure_peak;
}

/// The pixels of a path on its ridge, in reading order.
std::vector<cv::Point> PixelsOf(const Lines& lines, std::size_t path) {
  const Rectangle& box = lines.paths[path].box;
  std::vector<cv::Point> pixels;
  for (int y = box.y; y < box.y + box.height; ++y) {
    const auto* ids = lines.ids.Row<std::int32_t>(y);
    for (int x = box.x; x < box.x + box.width; ++x) {
      if (ids[x] == static_cast<std::int32_t>(path + 1)) pixels.emplace_back(x, y);
    }
  }
  return pixels;
}

/// How far along a line a pixel is.
double Along(const StraightLine& line, cv::Point at) {
  return (at.x - line.x) * line.cosine + (at.y - line.y) * line.sine;
}

/// The straight line through pixels that are nearest to it, from the first to the last: their
/// principal axis (K. Pearson, Philosophical Magazine 1901). Of at least one.
StraightLine AxisOf(std::span<const cv::Point> pixels) {
  std::int64_t x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (const cv::Point& at : pixels) {
    x += at.x;
    y += at.y;
    xx += std::int64_t{at.x} * at.x;
    xy += std::int64_t{at.x} * at.y;
    yy += std::int64_t{at.y} * at.y;
  }
  const auto count = static_cast<std::int64_t>(pixels.size());
  const auto across = static_cast<double>(2 * (count * xy - x * y));
  const auto along = static_cast<double>(count * xx - x * x - (count * yy - y * y));
  const double radians = std::atan2(across, along) / 2;
  StraightLine line{.x = static_cast<double>(x) / static_cast<double>(count),
                    .y = static_cast<double>(y) / static_cast<double>(count),
                    .cosine = std::cos(radians),
                    .sine = std::sin(radians)};
  for (const cv::Point& at : pixels) {
    line.begin = std::min(line.begin, RoundToInt(Along(line, at)));
    line.end = std::max(line.end, RoundToInt(Along(line, at)));
  }
  return line;
}

/// The straight pieces of a path.
std::vector<StraightLine> PiecesOf(std::span<const cv::Point> pixels,
                                   const FaintPathParams& params) {
  const StraightLine whole = AxisOf(pixels);
  const int count = std::max(RoundToInt(static_cast<double>(whole.length()) / params.piece_px), 1);
  std::vector<std::vector<cv::Point>> parts(static_cast<std::size_t>(count));
  for (const cv::Point& at : pixels) {
    const int t = std::clamp(RoundToInt(Along(whole, at)) - whole.begin, 0, whole.length() - 1);
    parts[static_cast<std::size_t>(t * count / whole.length())].push_back(at);
  }
  std::vector<StraightLine> pieces;
  for (const std::vector<cv::Point>& part : parts) {
    if (std::ssize(part) >= params.min_piece_pixels) pieces.push_back(AxisOf(part));
  }
  return pieces;
}

/// The score of a piece, or of a parallel that is near enough to be it.
double ScoreOf(const StraightLine& piece, const LineResponse& response, cv::Size object,
               const FaintPathParams& params) {
  const cv::Point one = piece.At(piece.begin), other = piece.At(piece.end);
  const int reach = params.beside_px + 1;
  const cv::Point first(std::min(one.x, other.x) - reach, std::min(one.y, other.y) - reach);
  const cv::Point last(std::max(one.x, other.x) + reach, std::max(one.y, other.y) + reach);
  const ResponseWindow window =
      WindowOf(response, {first, cv::Point(last.x + 1, last.y + 1)}, object);
  const std::vector<double> scores = ParallelScores(piece, params.beside_px, window, response);
  const auto own = scores.begin() + params.beside_px;
  const int bend = std::min(params.bend_px, params.beside_px);
  return *std::max_element(own - bend, own + bend + 1);
}

/// Whether a path answers to the light; true where it is too short to say.
bool IsLit(std::span<const cv::Point> pixels, const LineResponse& response, cv::Size object,
           const FaintPathParams& params) {
  if (pixels.empty()) return true;
  const std::vector<StraightLine> pieces = PiecesOf(pixels, params);
  double sum = 0;
  for (const StraightLine& piece : pieces) sum += ScoreOf(piece, response, object, params);
  return sum >= params.min_score * static_cast<double>(pieces.size());
}

}  // namespace

Lines LeaveOutUnlit(Lines lines, const LineResponse& response, const FaintPathParams& params,
                    ThreadPool& pool) {
  const cv::Size object(lines.ids.width(), lines.ids.height());
  std::vector<std::uint8_t> lit(lines.paths.size(), 1);
  pool.ParallelFor(std::ssize(lit), [&](std::int64_t index) {
    const auto path = static_cast<std::size_t>(index);
    if (!IsFaint(lines.paths[path], params)) return;
    lit[path] = IsLit(PixelsOf(lines, path), response, object, params) ? 1 : 0;
  });
  return KeepLines(std::move(lines), {lit.begin(), lit.end()});
}

}  // namespace glint::photometric
