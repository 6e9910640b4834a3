// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/faint_paths.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <span>
#include <utility>
#include <vector>

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lines/line_ends.h"
#include "analyse/photometric/lines/parallel_scores.h"
#include "analyse/photometric/lines/print_along.h"
#include "analyse/photometric/pixels/principal_axis.h"
#include "base/mat.h"
#include "base/rounding.h"

namespace glint::photometric {
namespace {

bool IsFaint(const LinePath& path, const FaintPathParams& params) {
  return path.score < params.sure_score_share * path.needed && path.peak < params.sure_peak;
}

/// The straight line that is nearest to pixels, from the first to the last.
StraightLine LineThrough(std::span<const cv::Point> pixels) {
  const PrincipalAxis axis(pixels);
  StraightLine line{.x = axis.x, .y = axis.y, .cosine = axis.cosine, .sine = axis.sine};
  for (const cv::Point& at : pixels) {
    line.begin = std::min(line.begin, RoundToInt(axis.Along(at)));
    line.end = std::max(line.end, RoundToInt(axis.Along(at)));
  }
  return line;
}

/// The straight pieces of a path.
std::vector<StraightLine> PiecesOf(std::span<const cv::Point> pixels,
                                   const FaintPathParams& params) {
  const StraightLine whole = LineThrough(pixels);
  const PrincipalAxis axis(pixels);
  const int count = std::max(RoundToInt(static_cast<double>(whole.length()) / params.piece_px), 1);
  std::vector<std::vector<cv::Point>> parts(static_cast<std::size_t>(count));
  for (const cv::Point& at : pixels) {
    const int t = RoundToInt(axis.Along(at)) - whole.begin;
    parts[static_cast<std::size_t>(t * count / whole.length())].push_back(at);
  }
  std::vector<StraightLine> pieces;
  for (const std::vector<cv::Point>& part : parts) {
    if (std::ssize(part) >= params.min_piece_pixels) pieces.push_back(LineThrough(part));
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
bool IsLit(std::span<const cv::Point> pixels, const LineResponse& response, const Plane& albedo,
           const FaintPathParams& params) {
  if (pixels.empty()) return true;
  const cv::Size object = AsMat(albedo).size();
  double needed = 0, sum = 0;
  for (const StraightLine& piece : PiecesOf(pixels, params)) {
    const PrintAlong print = MeasurePrintAlong(piece, piece.begin, albedo, params.print);
    needed += params.min_score * CostOf(print, params.print);
    sum += ScoreOf(piece, response, object, params);
  }
  return sum >= needed;
}

}  // namespace

Lines LeaveOutUnlit(Lines lines, const LineResponse& response, const Plane& albedo,
                    const FaintPathParams& params, ThreadPool& pool) {
  const std::vector<std::vector<cv::Point>> pixels = LinePixels(lines);
  std::vector<std::uint8_t> lit(lines.paths.size(), 1);
  pool.ParallelFor(std::ssize(lit), [&](std::int64_t index) {
    const auto path = static_cast<std::size_t>(index);
    if (!IsFaint(lines.paths[path], params)) return;
    lit[path] = IsLit(pixels[path], response, albedo, params) ? 1 : 0;
  });
  return KeepLines(std::move(lines), {lit.begin(), lit.end()});
}

}  // namespace glint::photometric
