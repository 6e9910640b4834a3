// SPDX-License-Identifier: Apache-2.0
#include "analyse/reference/copy_registration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <utility>
#include <vector>

#include "analyse/quadrilateral.h"
#include "analyse/rectify.h"
#include "analyse/reference/blur_matching.h"
#include "analyse/reference/fields.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/status_macros.h"

namespace glint::reference {
namespace {

Plane Half(const Plane& plane) {
  cv::Mat half;
  cv::pyrDown(AsMat(plane), half);  // its pixel i is pixel 2i
  return AsPlane(half);
}

/// The map to and from planes of half the size.
Homography AtHalfSize(const Homography& h) {
  return {h[0], h[1], h[2] / 2, h[3], h[4], h[5] / 2, h[6] * 2, h[7] * 2, h[8]};
}

Homography FromHalfSize(const Homography& h) {
  return {h[0], h[1], h[2] * 2, h[3], h[4], h[5] * 2, h[6] / 2, h[7] / 2, h[8]};
}

Quadrilateral CornersOf(Size size) {
  const double w = size.width, h = size.height;
  return {{{0, 0}, {w, 0}, {w, h}, {0, h}}};
}

/// The copy's pixels per pixel of the object; 0 when the map is none of a flat object.
double ScaleOf(const Homography& picture_from_object, Size object) {
  const Quadrilateral corners = Map(picture_from_object, CornersOf(object));
  if (!IsConvex(corners)) return 0;
  return std::sqrt(std::abs(Area(corners)) / static_cast<double>(object.area()));
}

/// One level of the refinement. @return whether the copy can be recognised
absl::StatusOr<bool> RefineLevel(const Plane& object, const Plane& picture, StageSet& stages,
                                 ThreadPool& pool, const CopyRegistrationParams& params,
                                 Homography& picture_from_object) {
  const AlignmentTarget target(object, params.fit.alignment);
  for (int step = 0; step < params.max_steps; ++step) {
    GLINT_ASSIGN_OR_RETURN(Plane laid,
                           Rectify(picture, picture_from_object, object.size(), stages));
    GLINT_ASSIGN_OR_RETURN(laid, stages.backend->Download(laid));
    const auto aligned =
        target.Align(laid, picture_from_object, picture.size(), AlignmentMotion::kHomography, pool);
    if (!aligned || aligned->agreeing < params.fit.min_recognised) return false;
    picture_from_object = Compose(picture_from_object, aligned->correction);
    const Quadrilateral corners = CornersOf(object.size());
    if (CornerDistance(Map(aligned->correction, corners), corners) < params.fit.settled_px) {
      return aligned->residual_px <= params.fit.max_residual_px;
    }
    if (step + 1 == params.max_steps) return aligned->residual_px <= params.fit.max_residual_px;
  }
  return true;
}

/// More contrast where there is little: for features of dark pictures, and of prints whose copy has
/// other contrasts.
Plane ContrastEqualised(const Plane& luma, const CopyRegistrationParams& params) {
  const cv::Size tiles = {params.clahe_tiles, params.clahe_tiles};
  cv::Mat out;
  cv::createCLAHE(params.clahe_contrast, tiles)->apply(AsMat(luma), out);
  return AsPlane(out);
}

/// Features of both, and what most of their matches agree on.
std::optional<Homography> ByFeatures(const Plane& object, const Plane& picture, ThreadPool& pool,
                                     const CopyRegistrationParams& params) {
  const std::array<const Plane*, 2> pictures = {&object, &picture};
  std::array<Features, 2> features;
  pool.ParallelFor(2, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    features[at] = FindFeatures(*pictures[at], params.fit.features);
  });
  return FitMatches(MatchFeatures(features[0], features[1]), nullptr, params.fit.matches);
}

/// What one pixel of the object sees is taken together, as light adds up. @param scale  pixels per
/// pixel of the object
Plane BlurredFor(double scale, const Plane& picture, ThreadPool& pool) {
  Plane out = Plane::Host(picture.size(), PixelType::kU8x3);
  const auto variance = static_cast<float>((scale * scale - 1) / 4);
  for (std::ptrdiff_t c = 0; c < 3; ++c) {
    const auto value = [&](int y, int x) {
      const int v = picture.Row<std::uint8_t>(y)[std::ptrdiff_t{3} * x + c];
      return v * v;
    };
    const Field blurred =
        Blurred(FieldOf({picture.width(), picture.height()}, pool, value), variance, pool);
    ForRows(pool, picture.height(), [&](Rows rows) {
      for (int y = rows.begin; y < rows.end; ++y) {
        auto* rgb = out.Row<std::uint8_t>(y) + c;
        for (int x = 0; x < picture.width(); ++x) {
          const float rounded = std::floor(std::sqrt(blurred[y][x]) + 0.5F);
          rgb[std::ptrdiff_t{3} * x] = static_cast<std::uint8_t>(rounded);
        }
      }
    });
  }
  return out;
}

/// From where features place the copy to where it lies. @param luma  the object's
absl::StatusOr<std::optional<RegisteredCopy>> Refine(const Plane& luma, const Plane& picture,
                                                     const Homography& found, StageSet& stages,
                                                     ThreadPool& pool,
                                                     const CopyRegistrationParams& params) {
  RegisteredCopy registered{.picture = picture, .picture_from_object = found};
  double scale = ScaleOf(found, luma.size());
  if (scale < params.min_scale) return std::nullopt;
  while (scale > params.halving_scale) {
    registered.picture = Half(registered.picture);
    Homography& h = registered.picture_from_object;
    for (std::size_t i = 0; i < 6; ++i) h[i] /= 2;
    scale /= 2;
  }
  if (scale > params.blurring_scale)
    registered.picture = BlurredFor(scale, registered.picture, pool);
  const Plane copy = LumaOf(registered.picture, pool);
  const Size half{luma.width() / 2, luma.height() / 2};
  if (std::min(half.width, half.height) >= params.fit.min_side_px) {
    Homography coarse = AtHalfSize(registered.picture_from_object);
    GLINT_ASSIGN_OR_RETURN(const auto known,
                           RefineLevel(Half(luma), Half(copy), stages, pool, params, coarse));
    if (known) registered.picture_from_object = FromHalfSize(coarse);
  }
  GLINT_ASSIGN_OR_RETURN(const auto known, RefineLevel(luma, copy, stages, pool, params,
                                                       registered.picture_from_object));
  if (!known) return std::nullopt;
  return registered;
}

absl::StatusOr<std::optional<RegisteredCopy>> TryRegister(const Plane& object, const Plane& picture,
                                                          StageSet& stages, ThreadPool& pool,
                                                          const CopyRegistrationParams& params) {
  if (std::min(picture.width(), picture.height()) < params.min_picture_px) return std::nullopt;
  const Plane luma = LumaOf(object, pool), copy = LumaOf(picture, pool);
  for (const bool equalised : {false, true}) {
    const auto found = equalised ? ByFeatures(ContrastEqualised(luma, params),
                                              ContrastEqualised(copy, params), pool, params)
                                 : ByFeatures(luma, copy, pool, params);
    if (!found) continue;
    auto registered = Refine(luma, picture, *found, stages, pool, params);
    if (!registered.ok() || *registered) return registered;
  }
  return std::nullopt;
}

}  // namespace

Plane LumaOf(const Plane& picture, ThreadPool& pool) {
  Plane luma = Plane::Host(picture.size(), PixelType::kU8);
  ForRows(pool, picture.height(), [&](Rows rows) {
    for (int y = rows.begin; y < rows.end; ++y) {
      const auto* rgb = picture.Row<std::uint8_t>(y);
      auto* out = luma.Row<std::uint8_t>(y);
      for (int x = 0; x < picture.width(); ++x, rgb += 3) {
        out[x] = static_cast<std::uint8_t>(
            (rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 32768) >> 16);
      }
    }
  });
  return luma;
}

absl::StatusOr<std::optional<RegisteredCopy>> RegisterCopy(const Plane& object,
                                                           const Plane& picture, StageSet& stages,
                                                           ThreadPool& pool,
                                                           const CopyRegistrationParams& params) {
  absl::StatusOr<std::optional<RegisteredCopy>> registered = std::nullopt;
  GLINT_RETURN_IF_ERROR(HostCall(
      "reference", [&] { registered = TryRegister(object, picture, stages, pool, params); }));
  return registered;
}

}  // namespace glint::reference
