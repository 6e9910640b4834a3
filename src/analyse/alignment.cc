// SPDX-License-Identifier: Apache-2.0
#include "analyse/alignment.h"

#include <algorithm>
#include <cmath>

#include "analyse/alignment_loops.h"
#include "analyse/homography_fit.h"
#include "analyse/quadrilateral.h"
#include "base/median.h"
#include "base/normal_equations.h"

namespace glint {
namespace {

constexpr int kPixels = AlignmentTarget::kPatch * AlignmentTarget::kPatch;

/// The gradients' structure tensor (xx, xy, yy) without what the patch's own values explain of it,
/// which looks like a change of gain.
/// @param squares  sums of the gradients' products; the others are regressions on the values
std::array<double, 3> UnexplainedStructure(const std::array<std::int64_t, 3>& squares,
                                           const std::array<double, 2>& mean_gradient,
                                           const std::array<double, 2>& slope,
                                           const std::array<double, 2>& covariance) {
  constexpr std::array<std::array<std::size_t, 2>, 3> kEntries = {{{0, 0}, {0, 1}, {1, 1}}};
  std::array<double, 3> structure{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto [i, j] = kEntries[k];
    const double both = static_cast<double>(squares[k]) / kPixels -
                        mean_gradient[i] * mean_gradient[j] - slope[i] * covariance[j];
    structure[k] = both / 4;  // differences span two pixels
  }
  return structure;
}

double Trace(const std::array<double, 3>& structure) { return structure[0] + structure[2]; }

/// The rows of the map's derivative at a place in units of the object: the movement of (x, y) by
/// small entries of a homography, translation first.
struct Derivative {
  std::array<double, 8> x, y;

  explicit Derivative(Point p)
      : x{1, 0, p.x, p.y, 0, 0, -p.x * p.x, -p.x * p.y}, y{0,   1,   0,          0,
                                                           p.x, p.y, -p.x * p.y, -p.y * p.y} {}
};

/// Whether a frame surely shows a whole picture, and so every point of it: a homography carries it
/// onto a quadrilateral, as long as none of its corners lies behind the camera.
bool ShowsAll(const Homography& in_view, Size picture, Size frame) {
  constexpr double kSlack = 1e-6;  // more than rounding moves a point by
  for (const double y : {0.0, static_cast<double>(picture.height)}) {
    for (const double x : {0.0, static_cast<double>(picture.width)}) {
      const Point p = Map(in_view, Point{x, y});
      if (!(in_view[6] * x + in_view[7] * y + in_view[8] > kSlack)) return false;
      if (!(p.x >= kSlack && p.y >= kSlack)) return false;
      if (!(p.x <= frame.width - 1 - kSlack && p.y <= frame.height - 1 - kSlack)) return false;
    }
  }
  return true;
}

int Unknowns(AlignmentMotion motion) {
  switch (motion) {
    case AlignmentMotion::kTranslation:
      return 2;
    case AlignmentMotion::kAffine:
      return 6;
    case AlignmentMotion::kHomography:
      return 8;
  }
  return 8;
}

}  // namespace

AlignmentTarget::AlignmentTarget(const Plane& picture, const AlignmentParams& params)
    : params_(params),
      picture_(picture),
      gradient_x_(Plane::Host(picture.size(), PixelType::kS16)),
      gradient_y_(Plane::Host(picture.size(), PixelType::kS16)) {
  for (int y = 0; y < picture.height(); ++y) {
    const auto* row = picture.Row<std::uint8_t>(y);
    const auto* above = picture.Row<std::uint8_t>(std::max(y - 1, 0));
    const auto* below = picture.Row<std::uint8_t>(std::min(y + 1, picture.height() - 1));
    auto* gx = gradient_x_.Row<std::int16_t>(y);
    auto* gy = gradient_y_.Row<std::int16_t>(y);
    for (int x = 0; x < picture.width(); ++x) {
      const int left = row[std::max(x - 1, 0)];
      gx[x] = static_cast<std::int16_t>(row[std::min(x + 1, picture.width() - 1)] - left);
      gy[x] = static_cast<std::int16_t>(below[x] - above[x]);
    }
  }
  const auto area = static_cast<double>(picture.size().area());
  const int margin = params_.margin_px;
  const int stride =
      std::max(params_.min_stride_px, static_cast<int>(std::sqrt(area / params_.max_patches)));
  for (int y = margin; y + kPatch + margin <= picture.height(); y += stride) {
    for (int x = margin; x + kPatch + margin <= picture.width(); x += stride) {
      if (const auto patch = PatchAt(x, y)) patches_.push_back(*patch);
    }
  }
}

std::optional<AlignmentTarget::Patch> AlignmentTarget::PatchAt(int x, int y) const {
  Patch patch{.x = x, .y = y};
  std::array<std::int64_t, 2> product{};
  std::array<std::int64_t, 3> squares{};
  for (int v = y; v < y + kPatch; ++v) {
    const auto* value = picture_.Row<std::uint8_t>(v) + x;
    const auto* gx = gradient_x_.Row<std::int16_t>(v) + x;
    const auto* gy = gradient_y_.Row<std::int16_t>(v) + x;
    for (int u = 0; u < kPatch; ++u) {
      patch.sum += value[u];
      patch.square_sum += std::int64_t{value[u]} * value[u];
      patch.gradient_sum[0] += gx[u];
      patch.gradient_sum[1] += gy[u];
      product[0] += std::int64_t{gx[u]} * value[u];
      product[1] += std::int64_t{gy[u]} * value[u];
      squares[0] += std::int64_t{gx[u]} * gx[u];
      squares[1] += std::int64_t{gx[u]} * gy[u];
      squares[2] += std::int64_t{gy[u]} * gy[u];
    }
  }
  const auto mean = static_cast<double>(patch.sum) / kPixels;
  const double variance = static_cast<double>(patch.square_sum) / kPixels - mean * mean;
  if (variance < 1) return std::nullopt;
  std::array<double, 2> covariance{}, mean_gradient{};
  for (std::size_t i = 0; i < 2; ++i) {
    mean_gradient[i] = static_cast<double>(patch.gradient_sum[i]) / kPixels;
    covariance[i] = static_cast<double>(product[i]) / kPixels - mean * mean_gradient[i];
    patch.slope[i] = covariance[i] / variance;
    patch.offset[i] = mean_gradient[i] - patch.slope[i] * mean;
  }
  patch.structure = UnexplainedStructure(squares, mean_gradient, patch.slope, covariance);
  if (Trace(patch.structure) < params_.min_gradient) return std::nullopt;
  return patch;
}

PatchMotion AlignmentTarget::MeasurePatch(const Patch& patch, const Plane& view) const {
  const PatchSums sums = SumPatch({view, picture_, gradient_x_, gradient_y_}, patch.x, patch.y);
  const double mean = static_cast<double>(patch.sum) / kPixels;
  const double mean_seen = static_cast<double>(sums.value) / kPixels;
  const double variance = static_cast<double>(patch.square_sum) / kPixels - mean * mean;
  const double variance_seen = static_cast<double>(sums.square) / kPixels - mean_seen * mean_seen;
  const double covariance = static_cast<double>(sums.product) / kPixels - mean * mean_seen;
  PatchMotion motion{.inside = true};
  if (variance_seen < 1 ||
      covariance < params_.min_correlation * std::sqrt(variance * variance_seen)) {
    return motion;
  }
  const double gain = covariance / variance;
  motion.gain = gain;
  motion.unexplained = variance_seen - gain * covariance;
  const auto along = [&](std::int64_t sum, std::size_t i) {
    const double explained = patch.slope[i] * static_cast<double>(sums.product) +
                             patch.offset[i] * static_cast<double>(sums.value);
    // The view shows at x what the target shows at x - movement: hence the sign.
    return -(static_cast<double>(sum) - explained) / kPixels / 2 / gain;
  };
  motion.gradient = {along(sums.gradient_x, 0), along(sums.gradient_y, 1)};
  motion.recognised = Length(motion.gradient) < params_.max_motion_px * Trace(patch.structure);
  return motion;
}

std::vector<PatchMotion> AlignmentTarget::MeasurePatches(const Plane& view,
                                                         const Homography& in_view, Size frame,
                                                         ThreadPool& pool) const {
  constexpr std::int64_t kAtATime = 128;
  const bool all_shown = ShowsAll(in_view, picture_.size(), frame);
  const auto shown = [&](int x, int y) {
    if (all_shown) return true;
    const Point p = Map(in_view, Point{static_cast<double>(x), static_cast<double>(y)});
    return p.x >= 0 && p.y >= 0 && p.x <= frame.width - 1 && p.y <= frame.height - 1;
  };
  std::vector<PatchMotion> motions(patches_.size());
  const auto count = static_cast<std::int64_t>(patches_.size());
  pool.ParallelFor((count + kAtATime - 1) / kAtATime, [&](std::int64_t part) {
    const std::int64_t end = std::min(count, (part + 1) * kAtATime);
    for (std::int64_t i = part * kAtATime; i < end; ++i) {
      const Patch& patch = patches_[static_cast<std::size_t>(i)];
      const int margin = params_.margin_px;
      const int left = patch.x - margin, right = patch.x + kPatch + margin;
      const int top = patch.y - margin, bottom = patch.y + kPatch + margin;
      if (!shown(left, top) || !shown(right, top) || !shown(left, bottom) || !shown(right, bottom))
        continue;
      motions[static_cast<std::size_t>(i)] = MeasurePatch(patch, view);
    }
  });
  return motions;
}

Point AlignmentTarget::UnitPosition(const Patch& patch) const {
  const double unit = (picture_.width() + picture_.height()) / 4.0;
  return {(patch.x + kPatch / 2.0 - picture_.width() / 2.0) / unit,
          (patch.y + kPatch / 2.0 - picture_.height() / 2.0) / unit};
}

PatchEquations AlignmentTarget::EquationsOf(const std::vector<PatchMotion>& motions,
                                            std::size_t unknowns) const {
  PatchEquations equations(unknowns, patches_.size());
  for (std::size_t i = 0; i < patches_.size(); ++i) {
    if (!motions[i].recognised) continue;
    // Divided by its own strength, so that every patch counts alike and errors are in pixels.
    const Patch& patch = patches_[i];
    const double unit = 1 / (Trace(patch.structure) + params_.min_gradient);
    const auto [xx, xy, yy] = patch.structure;
    const Derivative d(UnitPosition(patch));
    const Point moved = motions[i].gradient * unit;
    NormalEquations::Equation along_x{.value = moved.x}, along_y{.value = moved.y};
    for (std::size_t k = 0; k < unknowns; ++k) {
      along_x.row[k] = unit * (xx * d.x[k] + xy * d.y[k]);
      along_y.row[k] = unit * (xy * d.x[k] + yy * d.y[k]);
    }
    equations.Add(along_x, along_y);
  }
  return equations;
}

std::optional<std::array<double, 8>> AlignmentTarget::Fit(const std::vector<PatchMotion>& motions,
                                                          int unknowns) const {
  const auto n = static_cast<std::size_t>(unknowns);
  const PatchEquations patches = EquationsOf(motions, n);
  std::vector<double> weights(patches.rows().size(), 1.0);
  std::array<double, 8> fit{};
  double reach = 4 * params_.outlier_px;
  for (int round = 0; round < params_.fit_rounds; ++round) {
    if (round > 0) TukeyWeights(patches, fit, reach, weights);
    NormalEquations equations(n);
    equations.AddAll(patches.rows(), weights);
    const auto solved = equations.Solve();
    if (!solved) return std::nullopt;
    fit = *solved;
    reach = std::max(reach / 2, params_.outlier_px);
  }
  return fit;
}

double AlignmentTarget::MedianResidual(const std::vector<PatchMotion>& motions,
                                       const std::array<double, 8>& fit) const {
  std::vector<double> left;
  for (std::size_t i = 0; i < patches_.size(); ++i) {
    if (!motions[i].recognised) continue;
    const Patch& patch = patches_[i];
    const double unit = 2 / (Trace(patch.structure) + params_.min_gradient);
    const auto [xx, xy, yy] = patch.structure;
    const Derivative d(UnitPosition(patch));
    Point moved{};
    for (std::size_t k = 0; k < 8; ++k) moved = moved + Point{d.x[k], d.y[k]} * fit[k];
    const Point explained = {xx * moved.x + xy * moved.y, xy * moved.x + yy * moved.y};
    left.push_back(unit * Length(motions[i].gradient - explained));
  }
  return UpperMedian(left);
}

std::optional<Alignment> AlignmentTarget::Align(const Plane& view, const Homography& in_view,
                                                Size frame, AlignmentMotion motion,
                                                ThreadPool& pool) const {
  const std::vector<PatchMotion> motions = MeasurePatches(view, in_view, frame, pool);
  Alignment alignment;
  std::int64_t recognised = 0;
  for (const PatchMotion& patch : motions) {
    alignment.patches += patch.inside ? 1 : 0;
    recognised += patch.recognised ? 1 : 0;
  }
  if (recognised < params_.min_patches) return std::nullopt;
  alignment.agreeing = static_cast<double>(recognised) / static_cast<double>(alignment.patches);
  const auto fit = Fit(motions, Unknowns(motion));
  if (!fit) return std::nullopt;
  alignment.residual_px = MedianResidual(motions, *fit);

  const double unit = (picture_.width() + picture_.height()) / 4.0;
  const Homography to_unit = {1 / unit, 0,        -picture_.width() / 2.0 / unit,
                              0,        1 / unit, -picture_.height() / 2.0 / unit,
                              0,        0,        1};
  const Homography from_unit = {
      unit, 0, picture_.width() / 2.0, 0, unit, picture_.height() / 2.0, 0, 0, 1};
  const auto& f = *fit;  // movements are in pixels, places in units
  const Homography moved = {1 + f[2] / unit, f[3] / unit,     f[0] / unit,
                            f[4] / unit,     1 + f[5] / unit, f[1] / unit,
                            f[6] / unit,     f[7] / unit,     1};
  alignment.correction = Compose(from_unit, Compose(moved, to_unit));
  return alignment;
}

}  // namespace glint
