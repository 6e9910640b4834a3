// SPDX-License-Identifier: Apache-2.0
#include "analyse/sheet_alignment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyse/homography_fit.h"
#include "analyse/quadrilateral.h"
#include "analyse/rectify.h"
#include "base/host_call.h"
#include "base/median.h"
#include "base/status_macros.h"
#include "stages/shared/photometric_arithmetic.h"
#include "stages/shared/sheet_warp_arithmetic.h"

namespace glint {
namespace {

/// Sums of the normal equations at one node: the slopes' products and their products with what
/// has moved, over the noise's variance.
struct NodeSums {
  std::array<double, 5> of{};  // xx, xy, yy, x, y
};

/// A value per node.
class NodeGrid {
 public:
  explicit NodeGrid(Size nodes) : size_(nodes), sums_(static_cast<std::size_t>(nodes.area())) {}

  NodeSums& At(int x, int y) {
    return sums_[static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) +
                 static_cast<std::size_t>(x)];
  }
  Size size() const { return size_; }

  /// Means over `side` nodes in both directions, what lies outside mirrored.
  void Smooth(int side) {
    SmoothAlong(side, size_.width, size_.height,
                [&](int i, int line) -> NodeSums& { return At(i, line); });
    SmoothAlong(side, size_.height, size_.width,
                [&](int i, int line) -> NodeSums& { return At(line, i); });
  }

 private:
  template <class Access>
  static void SmoothAlong(int side, int length, int lines, const Access& at) {
    std::vector<NodeSums> before(static_cast<std::size_t>(length));
    const int reach = side / 2;
    for (int line = 0; line < lines; ++line) {
      for (int i = 0; i < length; ++i) before[static_cast<std::size_t>(i)] = at(i, line);
      for (int i = 0; i < length; ++i) {
        NodeSums sum;
        for (int k = i - reach; k <= i + reach; ++k) {
          const int inside = std::clamp(k < 0         ? -k
                                        : k >= length ? 2 * length - 2 - k
                                                      : k,
                                        0, length - 1);
          const NodeSums& from = before[static_cast<std::size_t>(inside)];
          for (std::size_t n = 0; n < sum.of.size(); ++n) sum.of[n] += from.of[n];
        }
        for (double& value : sum.of) value /= 2 * reach + 1;
        at(i, line) = sum;
      }
    }
  }

  Size size_;
  std::vector<NodeSums> sums_;
};

double Trace(const std::array<double, 3>& structure) { return structure[0] + structure[2]; }

/// Variance of what gain and offset leave where the print does not move: the median over patches.
double NoiseOf(const std::vector<PatchMotion>& motions, const SheetParams& params) {
  std::vector<double> variances;
  for (const PatchMotion& motion : motions) {
    if (motion.recognised) variances.push_back(motion.unexplained);
  }
  const double least = params.min_noise_grey * params.min_noise_grey;
  return variances.empty() ? 1.0 : std::max(UpperMedian(variances), least);
}

/// A displacement in its units, within the bounds.
std::int16_t Quantise(double shift_px, double max_px) {
  return static_cast<std::int16_t>(
      std::lround(std::clamp(shift_px, -max_px, max_px) * warp::kDisplacementUnit));
}

/// The median view, without light: what all views are laid onto. kU8 on the host
absl::StatusOr<Plane> MedianView(const ViewStack& views, const Plane& everywhere,
                                 StageSet& stages) {
  GLINT_ASSIGN_OR_RETURN(
      const Albedo albedo,
      stages.albedo->Run({.greys = views.greys, .valid = views.valid, .surface = everywhere}));
  GLINT_ASSIGN_OR_RETURN(const Plane fine, stages.backend->Download(albedo.grey));
  Plane grey = Plane::Host(fine.size(), PixelType::kU8);
  for (int y = 0; y < grey.height(); ++y) {
    const auto* from = fine.Row<std::int16_t>(y);
    auto* to = grey.Row<std::uint8_t>(y);
    for (int x = 0; x < grey.width(); ++x) {
      to[x] = static_cast<std::uint8_t>((from[x] + photometric::kGrey / 2) / photometric::kGrey);
    }
  }
  return grey;
}

/// By how much the view's patches are still moved, in the median; nothing without any.
std::optional<double> LeftMotion(const AlignmentTarget& target,
                                 const std::vector<PatchMotion>& motions,
                                 const SheetParams& params) {
  std::vector<double> lengths;
  for (std::size_t i = 0; i < motions.size(); ++i) {
    if (!motions[i].inside) continue;
    const double mean_slope = Trace(target.Structure(i)) / 2;
    lengths.push_back(motions[i].recognised ? Length(motions[i].gradient) / mean_slope
                                            : params.max_shift_px);
  }
  if (lengths.empty()) return std::nullopt;
  return UpperMedian(lengths);
}

/// One view on its way to where it fits.
struct SheetView {
  Homography frame_from_object{};
  Displacement displacement;
  Size frame_size;
};

/// Views per thread whose pictures are in memory at once.
constexpr int kViewsPerThread = 2;

class Flattening {
 public:
  Flattening(ViewStack& views, StageSet& stages, ThreadPool& pool, const SheetParams& params)
      : views_(views), stages_(stages), pool_(pool), params_(params) {
    for (const ViewSource& source : views.sources) {
      placed_.push_back(
          {.frame_from_object = source.frame_from_object, .displacement = {}, .frame_size = {}});
    }
  }

  absl::Status Run(const CancelToken& cancel) {
    Plane everywhere = Plane::Host(views_.greys[0].size(), PixelType::kU8);
    for (int y = 0; y < everywhere.height(); ++y) {
      std::fill_n(everywhere.Row<std::uint8_t>(y), everywhere.width(), std::uint8_t{255});
    }
    GLINT_ASSIGN_OR_RETURN(everywhere, stages_.backend->Upload(everywhere));
    const int rounds = params_.settle_rounds + params_.warp_rounds;
    for (int round = 0; round < rounds; ++round) {
      GLINT_RETURN_IF_ERROR(cancel.Check());
      GLINT_ASSIGN_OR_RETURN(const Plane median, MedianView(views_, everywhere, stages_));
      const AlignmentTarget target(median, params_.alignment);
      const bool settle = round < params_.settle_rounds;
      const bool measure = !settle && round + 1 == rounds;
      for (const std::vector<std::size_t>& some : Groups()) {
        GLINT_RETURN_IF_ERROR(CorrectSome(some, settle, target));
        if (measure) GLINT_RETURN_IF_ERROR(MeasureMisfits(some, target));
      }
    }
    return absl::OkStatus();
  }

  std::vector<ViewMisfit> misfits() && { return std::move(misfits_); }

 private:
  /// The views with a picture, some at a time: as many as threads look at, each at its own.
  std::vector<std::vector<std::size_t>> Groups() const {
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      if (views_.sources[i].picture == nullptr) continue;
      const bool full = groups.empty() || std::ssize(groups.back()) ==
                                              std::int64_t{kViewsPerThread} * pool_.threads();
      if (full) groups.emplace_back();
      groups.back().push_back(i);
    }
    return groups;
  }

  /// Corrects where some views lie, and resamples them there.
  absl::Status CorrectSome(std::span<const std::size_t> some, bool settle,
                           const AlignmentTarget& target) {
    std::vector<Plane> greys(some.size()), lumas(some.size());
    std::vector<char> moved(some.size());
    for (std::size_t k = 0; k < some.size(); ++k) {
      GLINT_ASSIGN_OR_RETURN(greys[k], stages_.backend->Download(views_.greys[some[k]]));
    }
    pool_.ParallelFor(std::ssize(some), [&](std::int64_t index) {
      const auto k = static_cast<std::size_t>(index);
      lumas[k] = views_.sources[some[k]].picture->ToLuma();
      SheetView& view = placed_[some[k]];
      view.frame_size = lumas[k].size();
      moved[k] = settle ? Settle(greys[k], target, view) : Bend(greys[k], target, view);
    });
    for (std::size_t k = 0; k < some.size(); ++k) {
      if (moved[k] == 0) continue;
      const SheetView& view = placed_[some[k]];
      GLINT_ASSIGN_OR_RETURN(const Plane source, stages_.backend->Upload(lumas[k]));
      GLINT_ASSIGN_OR_RETURN(views_.greys[some[k]],
                             Resample(source, view, greys[k].size(), settle));
      views_.sources[some[k]].frame_from_object = view.frame_from_object;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Plane> Resample(const Plane& source, const SheetView& view, Size size,
                                 bool settle) {
    if (settle) return Rectify(source, view.frame_from_object, size, stages_);
    return stages_.sheet_warp->Run(source, view.frame_from_object, view.displacement, size);
  }

  /// Corrects a view's homography. @return whether it could be
  bool Settle(const Plane& grey, const AlignmentTarget& target, SheetView& view) const {
    const auto aligned = target.Align(grey, view.frame_from_object, view.frame_size,
                                      AlignmentMotion::kHomography, pool_);
    if (!aligned) return false;
    view.frame_from_object = Compose(view.frame_from_object, aligned->correction);
    return true;
  }

  /// Adds to a view's displacement. @return true
  bool Bend(const Plane& grey, const AlignmentTarget& target, SheetView& view) const {
    const auto motions =
        target.MeasurePatches(grey, view.frame_from_object, view.frame_size, pool_);
    view.displacement = SmoothDisplacement(target, motions, view.displacement, params_);
    return true;
  }

  absl::Status MeasureMisfits(std::span<const std::size_t> some, const AlignmentTarget& target) {
    std::vector<Plane> greys(some.size());
    std::vector<std::optional<double>> left(some.size());
    for (std::size_t k = 0; k < some.size(); ++k) {
      GLINT_ASSIGN_OR_RETURN(greys[k], stages_.backend->Download(views_.greys[some[k]]));
    }
    pool_.ParallelFor(std::ssize(some), [&](std::int64_t index) {
      const auto k = static_cast<std::size_t>(index);
      const SheetView& view = placed_[some[k]];
      const auto motions =
          target.MeasurePatches(greys[k], view.frame_from_object, view.frame_size, pool_);
      left[k] = LeftMotion(target, motions, params_);
    });
    for (std::size_t k = 0; k < some.size(); ++k) {
      if (!left[k]) continue;
      misfits_.push_back({.frame = views_.sources[some[k]].frame, .motion_px = *left[k]});
    }
    return absl::OkStatus();
  }

  ViewStack& views_;
  StageSet& stages_;
  ThreadPool& pool_;
  const SheetParams& params_;
  std::vector<SheetView> placed_;
  std::vector<ViewMisfit> misfits_;
};

/// What the patches at each node tell, each by how well the view shows it.
NodeGrid SumsAround(const AlignmentTarget& target, const std::vector<PatchMotion>& motions,
                    const SheetParams& params) {
  const Size nodes = Displacement::NodesFor(target.size());
  NodeGrid grid(nodes);
  const double noise = NoiseOf(motions, params);
  const double bound = params.outlier_sigmas * params.outlier_sigmas;
  const double slack = params.slope_misfit_px * params.slope_misfit_px;
  // A patch stands for the pixels up to the next ones; grids count per pixel.
  const double share = static_cast<double>(nodes.area()) / static_cast<double>(target.patches());
  for (std::size_t i = 0; i < motions.size(); ++i) {
    if (!motions[i].recognised) continue;
    const std::array<double, 3>& s = target.Structure(i);
    const double gain = std::clamp(motions[i].gain, params.min_gain, params.max_gain);
    const double squared = gain * gain;
    const double expected = bound * (noise + slack * squared * Trace(s));
    const double weight = share * squared / (noise * (1 + motions[i].unexplained / expected));
    const Point middle = target.Middle(i);
    NodeSums& sums = grid.At(static_cast<int>(std::lround(middle.x / Displacement::kStep)),
                             static_cast<int>(std::lround(middle.y / Displacement::kStep)));
    const std::array<double, 5> values = {s[0], s[1], s[2], motions[i].gradient.x,
                                          motions[i].gradient.y};
    for (std::size_t n = 0; n < values.size(); ++n) sums.of[n] += weight * values[n];
  }
  return grid;
}

}  // namespace

Displacement SmoothDisplacement(const AlignmentTarget& target,
                                const std::vector<PatchMotion>& motions, const Displacement& before,
                                const SheetParams& params) {
  NodeGrid grid = SumsAround(target, motions, params);
  const int side = static_cast<int>(params.reach_px / Displacement::kStep) | 1;
  grid.Smooth(side);
  grid.Smooth(side);
  const Size nodes = Displacement::NodesFor(target.size());
  Displacement to{.x = Plane::Host(nodes, PixelType::kS16),
                  .y = Plane::Host(nodes, PixelType::kS16)};
  for (int y = 0; y < nodes.height; ++y) {
    for (int x = 0; x < nodes.width; ++x) {
      const auto& n = grid.At(x, y).of;
      const double xx = n[0] + params.stiffness, yy = n[2] + params.stiffness;
      const double determinant = xx * yy - n[1] * n[1];
      const auto sum = [&](const Plane& plane, double shift) {
        const double had = plane.empty() ? 0.0
                                         : plane.Row<std::int16_t>(y)[x] /
                                               static_cast<double>(warp::kDisplacementUnit);
        return Quantise(had + shift, params.max_shift_px);
      };
      to.x.Row<std::int16_t>(y)[x] = sum(before.x, (yy * n[3] - n[1] * n[4]) / determinant);
      to.y.Row<std::int16_t>(y)[x] = sum(before.y, (xx * n[4] - n[1] * n[3]) / determinant);
    }
  }
  return to;
}

absl::StatusOr<std::vector<ViewMisfit>> FlattenViews(ViewStack& views, StageSet& stages,
                                                     ThreadPool& pool, const CancelToken& cancel,
                                                     const SheetParams& params) {
  std::vector<ViewMisfit> misfits;
  if (views.greys.size() < 2) return misfits;
  absl::Status status;
  GLINT_RETURN_IF_ERROR(HostCall("register", [&] {
    Flattening flattening(views, stages, pool, params);
    status = flattening.Run(cancel);
    misfits = std::move(flattening).misfits();
  }));
  GLINT_RETURN_IF_ERROR(status);
  return misfits;
}

std::optional<ViewMisfit> PoorFit(const std::vector<ViewMisfit>& misfits,
                                  const SheetParams& params) {
  if (misfits.empty()) return std::nullopt;
  std::vector<double> motions;
  for (const ViewMisfit& misfit : misfits) motions.push_back(misfit.motion_px);
  if (UpperMedian(motions) <= params.max_misfit_px) return std::nullopt;
  return *std::ranges::max_element(misfits, {}, &ViewMisfit::motion_px);
}

}  // namespace glint
