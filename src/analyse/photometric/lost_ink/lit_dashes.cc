// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/lit_dashes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>

#include "analyse/photometric/lines/parallel_scores.h"
#include "analyse/photometric/pixels/masks.h"
#include "base/mat.h"
#include "base/rounding.h"

namespace glint::photometric {
namespace {

/// How straight lines inside of the object answer, beside their parallels.
class LineProbe {
 public:
  LineProbe(const LineResponse& response, Size object, const LineProbeParams& params)
      : response_(response), object_(object.width, object.height), params_(params) {}

  /// A part of a line, as far as it is inside.
  StraightLine Inside(StraightLine line, int begin, int end) const {
    const cv::Rect inner(params_.rim_px, params_.rim_px, object_.width - 2 * params_.rim_px,
                         object_.height - 2 * params_.rim_px);
    while (begin < 0 && !inner.contains(line.At(begin))) ++begin;
    while (end > 0 && !inner.contains(line.At(end))) --end;
    line.begin = begin;
    line.end = end;
    return line;
  }

  ResponseWindow Around(const StraightLine& line) const {
    const std::vector<cv::Point> corners = {
        line.At(line.begin, -params_.beside_px), line.At(line.begin, params_.beside_px),
        line.At(line.end, -params_.beside_px), line.At(line.end, params_.beside_px)};
    return WindowOf(response_, cv::boundingRect(corners), object_);
  }

  /// Of a line and of those close beside it.
  double BestScore(const StraightLine& line, const ResponseWindow& window) const {
    const std::vector<double> scores = ParallelScores(line, params_.beside_px, window, response_);
    const auto middle = scores.begin() + params_.beside_px;
    return *std::max_element(middle - params_.max_shift_px, middle + params_.max_shift_px + 1);
  }

 private:
  const LineResponse& response_;
  cv::Size object_;
  const LineProbeParams& params_;
};

/// Looks for the lines that dashes lie on.
class LitDashFinder {
 public:
  LitDashFinder(const LineResponse& response, const Plane& albedo, const LitDashParams& params)
      : probe_(response, albedo.size(), params.probe), albedo_(albedo), params_(params) {}

  std::optional<FoundLine> Find(const PaperDash& dash) const {
    const int half = RoundToInt(dash.length / 2);
    const StraightLine own{.x = dash.x,
                           .y = dash.y,
                           .cosine = dash.cosine,
                           .sine = dash.sine,
                           .begin = -half,
                           .end = half};
    const int most = std::ranges::max(params_.ahead_px);
    const ResponseWindow window =
        probe_.Around(probe_.Inside(own, own.begin - most, own.end + most));
    std::optional<FoundLine> best;
    for (const int ahead : params_.ahead_px) {
      const auto found = Through(own, ahead, window);
      if (found && (!best || found->score > best->score)) best = found;
    }
    return best;
  }

 private:
  /// The line through a dash, with what is ahead of it as far as that shows.
  std::optional<FoundLine> Through(const StraightLine& dash, int ahead,
                                   const ResponseWindow& window) const {
    const StraightLine whole = probe_.Inside(dash, dash.begin - ahead, dash.end + ahead);
    const double score = probe_.BestScore(whole, window);
    const PrintAlong print = MeasurePrintAlong(whole, whole.begin, albedo_, params_.print);
    const double needed = params_.min_score * CostOf(print, params_.print);
    if (score < needed) return std::nullopt;
    StraightLine line = dash;
    const StraightLine before = probe_.Inside(dash, whole.begin, dash.begin - 1);
    const StraightLine after = probe_.Inside(dash, dash.end + 1, whole.end);
    if (IsShown(before, window)) line.begin = whole.begin;
    if (IsShown(after, window)) line.end = whole.end;
    return FoundLine{.line = line, .score = score, .needed = needed, .bare = true, .flanked = true};
  }

  bool IsShown(const StraightLine& ahead, const ResponseWindow& window) const {
    if (ahead.length() < 2) return false;
    StraightLine near = ahead, far = ahead;
    near.end = ahead.begin + ahead.length() / 2 - 1;
    far.begin = near.end + 1;
    return std::min(probe_.BestScore(near, window), probe_.BestScore(far, window)) >=
           params_.min_ahead_score;
  }

  LineProbe probe_;
  const Plane& albedo_;
  const LitDashParams& params_;
};

/// How much of a direction a dash has, px.
double WeightOf(const PaperDash& dash, const LitDashParams& params) {
  return std::min(dash.contrast / params.full_contrast_grey, 1.0) * dash.length;
}

/// The dashes that have a direction and are not of a known line; the longest, if there are many.
std::vector<PaperDash> Candidates(std::vector<PaperDash> dashes, const Lines& known,
                                  const LitDashParams& params) {
  cv::Mat near;
  cv::dilate(AsMat(known.ids) != 0, near, Disc(params.known_px));
  std::erase_if(dashes, [&](const PaperDash& dash) {
    const cv::Point middle(RoundToInt(dash.x), RoundToInt(dash.y));
    return WeightOf(dash, params) < params.min_length_px || near.at<std::uint8_t>(middle) != 0;
  });
  std::ranges::stable_sort(dashes, std::greater<>(),
                           [&](const PaperDash& dash) { return WeightOf(dash, params); });
  dashes.resize(std::min(dashes.size(), static_cast<std::size_t>(params.max_dashes)));
  return dashes;
}

}  // namespace

std::vector<FoundLine> FindLitDashes(const std::vector<PaperDash>& dashes, const Lines& known,
                                     const LineResponse& response, const Plane& albedo,
                                     const LitDashParams& params, ThreadPool& pool) {
  const LitDashFinder finder(response, albedo, params);
  const std::vector<PaperDash> candidates = Candidates(dashes, known, params);
  std::vector<std::optional<FoundLine>> lit(candidates.size());
  pool.ParallelFor(std::ssize(candidates), [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    lit[index] = finder.Find(candidates[index]);
  });
  std::vector<FoundLine> found;
  for (const auto& line : lit) {
    if (line) found.push_back(*line);
  }
  std::ranges::stable_sort(found, std::greater<>(), &FoundLine::score);
  return ApartFromSurer(std::move(found), params.known_px, params.max_known_share,
                        {albedo.width(), albedo.height()});
}

bool IsLit(const StraightLine& row, const LineResponse& response, const Plane& albedo,
           const LitRowParams& params) {
  StraightLine line = row;  // from its middle: the probe looks from 0
  const int middle = (line.begin + line.end) / 2, half = line.length() / 2;
  line.x += middle * line.cosine;
  line.y += middle * line.sine;
  const LineProbe probe(response, albedo.size(), params.probe);
  line = probe.Inside(line, -half - params.ahead_px, half + params.ahead_px);
  const PrintAlong print = MeasurePrintAlong(line, line.begin, albedo, params.print);
  return probe.BestScore(line, probe.Around(line)) >=
         params.min_score * CostOf(print, params.print);
}

}  // namespace glint::photometric
