// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/white_strokes.h"

#include <algorithm>
#include <cstdint>

#include "analyse/photometric/pixels/albedo_at.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// A bright line on the albedo. Values are in 1/64 grey.
class Stroke {
 public:
  Stroke(const StraightLine& line, const Plane& albedo, const WhiteStrokeParams& params)
      : line_(line), albedo_(albedo), params_(params) {}

  bool IsOutlined() const {
    return IsOutlined(line_.begin, line_.end, params_.min_places) || GoesOn(-1) || GoesOn(1);
  }

  bool Widens() const { return WidensBeyond(-1) || WidensBeyond(1); }

 private:
  std::int64_t At(int along, int across) const {
    return AlbedoAt(albedo_, line_.At(along, across));
  }

  /// Where the stroke's middle lies: the brightest of -1, 0 and 1 px across; 0 unless it is less.
  int Middle(int along) const {
    int middle = 0;
    for (const int across : {-1, 1}) {
      if (At(along, across) > At(along, middle)) middle = across;
    }
    return middle;
  }

  bool IsTold(int along, int middle) const {
    const int away = params_.side_px;
    const std::int64_t side = std::max(At(along, middle - away), At(along, middle + away));
    return static_cast<double>(At(along, middle) - side) >= params_.min_grey * kGrey;
  }

  /// Whether it is from one place to another, both of them included.
  bool IsOutlined(int begin, int end, int min_places) const {
    return IsOutlinedOn(-1, begin, end, min_places) && IsOutlinedOn(1, begin, end, min_places);
  }

  /// Whether it is beyond an end, place by place. @param sign  -1: its beginning; 1: its end
  bool GoesOn(int sign) const {
    int outlined = 0;
    for (int beyond = 1; beyond <= params_.goes_on_px; ++beyond) {
      const int along = sign > 0 ? line_.end + beyond : line_.begin - beyond;
      outlined += IsOutlined(along, along, 1) ? 1 : 0;
    }
    return outlined >= params_.min_goes_on_share * params_.goes_on_px;
  }

  /// @param side  -1 or 1
  bool IsOutlinedOn(int side, int begin, int end, int min_places) const {
    std::int64_t places = 0, own = 0;
    std::array<std::int64_t, 2> outline{}, beyond{};
    for (int t = begin; t <= end; ++t) {
      const int middle = Middle(t);
      if (!IsTold(t, middle)) continue;
      ++places;
      own += At(t, middle);
      for (std::size_t i = 0; i < outline.size(); ++i) {
        const int away = params_.outline_px[i];
        outline[i] += At(t, middle + side * away);
        beyond[i] += At(t, middle + side * (away + params_.beyond_px));
      }
    }
    if (places < min_places) return false;
    for (std::size_t i = 0; i < outline.size(); ++i) {
      const auto darker = static_cast<double>(beyond[i] - outline[i]);
      const auto contrast = static_cast<double>(std::max(own - outline[i], places * kGrey));
      if (darker >= params_.min_outline_share * contrast) return true;
    }
    return false;
  }

  /// Half-way from what lies beside the line to itself, twice over all its places.
  std::int64_t TwiceLevel() const {
    const int away = params_.level_side_px;
    std::int64_t level = 0;
    for (int t = line_.begin; t <= line_.end; ++t) {
      level += At(t, Middle(t)) + std::max(At(t, away), At(t, -away));
    }
    return level;
  }

  /// How wide it is at a place, px; 0 where it is none.
  int Width(int along, std::int64_t twice_level) const {
    const auto is_white = [&](int across) {
      return std::int64_t{2} * line_.length() * At(along, across) >= twice_level;
    };
    const int middle = Middle(along);
    if (!is_white(middle)) return 0;
    const int most = static_cast<int>(params_.max_width_px) + 2;
    int left = 1, right = 1;
    while (left <= most && is_white(middle - left)) ++left;
    while (right <= most && is_white(middle + right)) ++right;
    return left + right - 1;
  }

  /// Its mean width from one place to another beyond an end; 0 where it is interrupted.
  double MeanWidth(int sign, int from, int to, std::int64_t twice_level) const {
    int sum = 0;
    for (int beyond = from; beyond <= to; ++beyond) {
      const int along = sign > 0 ? line_.end + beyond : line_.begin - beyond;
      const int width = Width(along, twice_level);
      if (width == 0) return 0;
      sum += width;
    }
    return static_cast<double>(sum) / (to - from + 1);
  }

  bool WidensBeyond(int sign) const {
    const std::int64_t level = TwiceLevel();
    const int half = std::max(line_.length() / 2, 1);
    const double own = MeanWidth(sign, -half, -1, level);
    const double near = MeanWidth(sign, params_.near_px[0], params_.near_px[1], level);
    const double far = MeanWidth(sign, params_.far_px[0], params_.far_px[1], level);
    return own > 0 && own < near && near < far && far >= own + params_.min_widening_px &&
           far <= params_.max_width_px;
  }

  const StraightLine& line_;
  const Plane& albedo_;
  const WhiteStrokeParams& params_;
};

StraightLine LineOf(const PaperDash& dash) {
  const int half = static_cast<int>(dash.length / 2);
  return {.x = dash.x,
          .y = dash.y,
          .cosine = dash.cosine,
          .sine = dash.sine,
          .begin = -half,
          .end = half};
}

}  // namespace

bool IsOutlined(const StraightLine& line, const Plane& albedo, const WhiteStrokeParams& params) {
  return Stroke(line, albedo, params).IsOutlined();
}

bool Widens(const StraightLine& line, const Plane& albedo, const WhiteStrokeParams& params) {
  return Stroke(line, albedo, params).Widens();
}

std::vector<FoundLine> WithoutOutlined(std::vector<FoundLine> lines, const Plane& albedo,
                                       const WhiteStrokeParams& params) {
  std::erase_if(lines,
                [&](const FoundLine& found) { return IsOutlined(found.line, albedo, params); });
  return lines;
}

std::vector<PaperDash> WithoutStrokes(std::vector<PaperDash> dashes, const Plane& albedo,
                                      const WhiteStrokeParams& params) {
  std::erase_if(dashes, [&](const PaperDash& dash) {
    const StraightLine line = LineOf(dash);
    return IsOutlined(line, albedo, params) || Widens(line, albedo, params);
  });
  return dashes;
}

}  // namespace glint::photometric
