// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/detect.h"

#include <cmath>
#include <limits>
#include <opencv2/imgproc.hpp>

#include "analyse/photometric/noise_fit.h"
#include "analyse/photometric/outline.h"
#include "analyse/photometric/shown_in.h"
#include "base/mat.h"
#include "glint/error.h"
#include "stages/check_plane.h"
#include "stages/cpu/host_call.h"
#include "stages/cpu/photometric_stages.h"

namespace glint {
namespace {

using photometric::kSurroundings;

constexpr int kRim = 3;  // px inside the outline that are not looked at: what is outside shines in

absl::Status CheckViews(const ViewStack& views, const PhotometricOptions& options) {
  auto status = CheckPlanes("detect: view", views.greys, PixelType::kU8, {});
  if (!status.ok()) return status;
  if (views.greys.empty()) {
    return Error(Reason::kInvalidOption, "detect: no view was given; at least one is needed");
  }
  if (!options.outline) return absl::OkStatus();
  status = CheckPlane("detect: colour", views.colour, PixelType::kU8x3, {});
  if (!status.ok()) return status;
  const Size size = views.greys[0].size();
  if (views.colour.width() == size.width + 2 * kSurroundings &&
      views.colour.height() == size.height + 2 * kSurroundings) {
    return absl::OkStatus();
  }
  return Error(Reason::kInvalidOption, "detect: the colour view must show 24 px around the object");
}

Plane Filled(Size size, std::uint8_t value) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  AsMat(plane).setTo(value);
  return plane;
}

/// What the outline gives: damage along it, and where to look for lines.
struct Frame {
  Plane gaps;
  Plane marked;  ///< gaps and worn corners
  Plane surface;
};

absl::StatusOr<Frame> FindFrame(const ViewStack& views, const PhotometricOptions& options) {
  const Size size = views.greys[0].size();
  Frame frame;
  photometric::Outline outline;
  if (options.outline) {
    auto found = photometric::FindOutline(views.colour);
    if (!found.ok()) return found.status();
    outline = *std::move(found);
  } else {
    outline.damage = Filled(size, 0);
    outline.body = Filled(size, 255);
  }
  frame.gaps = frame.marked = outline.damage;
  if (options.outline && options.worn_corners) {
    const auto worn = photometric::FindWornCorners(views.colour, outline.shape);
    if (!worn.ok()) return worn.status();
    frame.marked = AsPlane(AsMat(frame.gaps) | AsMat(*worn));
  }
  cv::Mat surface;
  cv::erode(AsMat(outline.body), surface, cv::Mat::ones(2 * kRim + 1, 2 * kRim + 1, CV_8U),
            {-1, -1}, 1, cv::BORDER_CONSTANT, cv::Scalar(0));
  frame.surface = AsPlane(surface);
  return frame;
}

/// Energies above which evidence is weak but counts.
std::int32_t Threshold(double medians, std::int32_t median) {
  return static_cast<std::int32_t>(std::min(medians * median, 2147483647.0));
}

Plane InMedians(const Plane& energy, std::int32_t median) {
  Plane out = Plane::Host(energy.size(), PixelType::kS32);
  for (int y = 0; y < energy.height(); ++y) {
    const auto* from = energy.Row<std::int32_t>(y);
    auto* to = out.Row<std::int32_t>(y);
    for (int x = 0; x < energy.width(); ++x) {
      to[x] = static_cast<std::int32_t>(
          (std::int64_t{from[x]} * photometric::kEnergyUnit + median / 2) / median);
    }
  }
  return out;
}

/// One detection, step by step.
class Detection {
 public:
  Detection(const ViewStack& views, PhotometricStages& stages, ThreadPool& pool, Frame frame)
      : views_{.greys = views.greys, .valid = views.valid, .surface = frame.surface},
        stages_(stages),
        pool_(pool),
        frame_(std::move(frame)) {}

  /// The artwork, and what it does not explain in each view.
  absl::Status Subtract() {
    auto artwork = stages_.artwork->Run(views_);
    if (!artwork.ok()) return artwork.status();
    artwork_ = *std::move(artwork);
    auto residuals = stages_.residual->Run(views_, artwork_);
    if (!residuals.ok()) return residuals.status();
    residuals_ = *std::move(residuals);
    return absl::OkStatus();
  }

  absl::Status FitNoise() {
    const auto magnitude = stages_.residual->MedianMagnitude(views_, residuals_);
    if (!magnitude.ok()) return magnitude.status();
    return HostCall("noise", [&] {
      result_.noise = photometric::FitNoise(photometric::NoiseCells(artwork_, *magnitude));
    });
  }

  absl::Status FindLines() {
    auto evidence = stages_.lines->Run(views_, residuals_, artwork_, result_.noise);
    if (!evidence.ok()) return evidence.status();
    std::int32_t energy = 1, point = 1;
    auto status = HostCall("lines", [&] {
      energy = photometric::MedianSeen(evidence->energy, artwork_.count);
      point = photometric::MedianSeen(evidence->point, artwork_.count);
      result_.energy = InMedians(evidence->energy, energy);
    });
    if (!status.ok()) return status;
    const auto ridges = stages_.ridges->Run(*evidence, Threshold(photometric::kWeakEnergy, energy),
                                            Threshold(photometric::kWeakPoint, point));
    if (!ridges.ok()) return ridges.status();
    auto lines = photometric::FindLinePaths(*ridges, evidence->energy, energy, frame_.surface,
                                            frame_.gaps, {});
    if (!lines.ok()) return lines.status();
    result_.lines = lines->mask;
    result_.line_ids = lines->ids;
    for (const photometric::LinePath& path : lines->paths) result_.found.push_back({.path = path});
    return HostCall("lines", [&] {
      photometric::CountViews(residuals_, views_.valid, artwork_, result_.noise, result_.line_ids,
                              pool_, result_.found);
    });
  }

  PhotometricResult Result() {
    result_.outline = frame_.marked;
    result_.surface = frame_.surface;
    result_.artwork = artwork_.grey;
    result_.known = AsPlane(AsMat(artwork_.count) >= LineEvidenceStage::kMinViews);
    return std::move(result_);
  }

 private:
  PhotometricViews views_;
  PhotometricStages& stages_;
  ThreadPool& pool_;
  Frame frame_;
  Artwork artwork_;
  std::vector<Plane> residuals_;
  PhotometricResult result_;
};

}  // namespace

PhotometricStages PhotometricStages::Host(ThreadPool& pool) {
  return {.artwork = MakeCpuArtwork(&pool),
          .residual = MakeCpuResidual(&pool),
          .lines = MakeCpuLineEvidence(&pool),
          .ridges = MakeCpuRidge(&pool)};
}

absl::StatusOr<PhotometricResult> DetectPhotometric(const ViewStack& views,
                                                    const PhotometricOptions& options,
                                                    PhotometricStages& stages, ThreadPool& pool,
                                                    const CancelToken& cancel) {
  if (auto status = CheckViews(views, options); !status.ok()) return status;
  auto frame = absl::StatusOr<Frame>(Frame{});
  auto status = HostCall("detect", [&] { frame = FindFrame(views, options); });
  if (!status.ok()) return status;
  if (!frame.ok()) return frame.status();
  Detection detection(views, stages, pool, *std::move(frame));
  for (const auto step : {&Detection::Subtract, &Detection::FitNoise, &Detection::FindLines}) {
    if (status = cancel.Check(); !status.ok()) return status;
    if (status = (detection.*step)(); !status.ok()) return status;
  }
  absl::StatusOr<PhotometricResult> result = PhotometricResult{};
  status = HostCall("detect", [&] { result = detection.Result(); });
  if (!status.ok()) return status;
  return result;
}

}  // namespace glint
