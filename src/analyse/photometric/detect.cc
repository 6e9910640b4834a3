// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/detect.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "analyse/photometric/block_sums.h"
#include "analyse/photometric/energy_normalisation.h"
#include "analyse/photometric/folds.h"
#include "analyse/photometric/glare.h"
#include "analyse/photometric/inpainting.h"
#include "analyse/photometric/light.h"
#include "analyse/photometric/line_visibility.h"
#include "analyse/photometric/line_width.h"
#include "analyse/photometric/noise_fit.h"
#include "analyse/photometric/occluders.h"
#include "analyse/photometric/outline.h"
#include "analyse/photometric/static_lines.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "glint/error.h"
#include "stages/check_plane.h"

namespace glint {
namespace {

using photometric::kBackgroundMargin;
using photometric::kEnergyUnit;
using photometric::kThumbnailStep;

constexpr int kRim = 3;  // px inside the outline that are not looked at: what is outside shines in

absl::Status CheckThumbnails(const ViewStack& views, Size object) {
  if (views.thumbnails.empty()) return absl::OkStatus();
  auto status = CheckPlanes("detect: thumbnail", views.thumbnails, PixelType::kU8x3, {});
  if (!status.ok()) return status;
  const Size size{object.width / kThumbnailStep, object.height / kThumbnailStep};
  if (views.thumbnails.size() == views.greys.size() && views.thumbnails[0].size() == size) {
    return absl::OkStatus();
  }
  return Error(Reason::kInvalidOption,
               "detect: every view needs a thumbnail of a quarter of its size, or none");
}

absl::Status CheckViews(const ViewStack& views, const PhotometricOptions& options, Device device) {
  auto status = CheckPlanes("detect: view", views.greys, PixelType::kU8, device);
  if (!status.ok()) return status;
  if (views.greys.empty()) {
    return Error(Reason::kInvalidOption, "detect: no view was given; at least one is needed");
  }
  const Size size = views.greys[0].size();
  if (status = CheckThumbnails(views, size); !status.ok()) return status;
  if (!options.outline) return absl::OkStatus();
  status = CheckPlane("detect: colour", views.colour, PixelType::kU8x3, {});
  if (!status.ok()) return status;
  if (views.colour.width() == size.width + 2 * kBackgroundMargin &&
      views.colour.height() == size.height + 2 * kBackgroundMargin) {
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

/// Puts a result in its place, or gives the reason why there is none.
template <class T>
absl::Status Take(absl::StatusOr<T> made, T& place) {
  if (!made.ok()) return made.status();
  place = *std::move(made);
  return absl::OkStatus();
}

/// One detection, step by step.
class Detection {
 public:
  Detection(const ViewStack& views, const PhotometricOptions& options, StageSet& stages,
            ThreadPool& pool)
      : given_(views),
        options_(options),
        filled_(views.greys),
        shown_(views.valid),
        views_{.greys = views.greys, .valid = shown_, .surface = {}},
        stages_(stages),
        pool_(pool) {}

  /// Brings the views to the host for what runs there.
  absl::Status Fetch() {
    greys_.resize(views_.greys.size());
    valid_.resize(views_.valid.size());
    absl::Status status;
    for (std::size_t i = 0; i < greys_.size(); ++i) {
      status.Update(ToHost(views_.greys[i], greys_[i]));
      status.Update(ToHost(views_.valid[i], valid_[i]));
    }
    return status;
  }

  /// Where the object ends, and what lies in front of it.
  absl::Status FindFrameAndOccluders() {
    absl::Status frame, occluders;
    pool_.ParallelFor(2, [&](std::int64_t part) {
      if (part == 0) {
        absl::Status found;
        frame = HostCall("detect", [&] { found = Take(FindFrame(given_, options_), frame_); });
        frame.Update(found);
      } else {
        occluders = HostCall("detect", [&] {
          occluders_ = photometric::FindOccluders(given_.thumbnails, valid_, pool_);
        });
      }
    });
    frame.Update(occluders);
    return frame;
  }

  /// Takes out of the views what something in front of the object hides.
  absl::Status LeaveOutOccluders() {
    std::vector<Plane> filled;
    Plane surface;
    auto status = HostCall("detect", [&] {
      filled = photometric::InpaintOccluded(greys_, valid_, occluders_, pool_);
      surface = photometric::ClearOccluded(frame_.surface, occluders_.persistent);
      for (std::size_t i = 0; i < occluders_.views.size(); ++i) {
        valid_[i] = photometric::ClearOccluded(valid_[i], occluders_.views[i]);
      }
    });
    if (!status.ok()) return status;
    status = Take(stages_.backend->Upload(surface), views_.surface);
    for (std::size_t i = 0; i < occluders_.views.size(); ++i) {
      if (occluders_.views[i].empty()) continue;
      status.Update(Take(stages_.backend->Upload(filled[i]), filled_[i]));
      status.Update(Take(stages_.backend->Upload(valid_[i]), shown_[i]));
    }
    return status;
  }

  /// The artwork, and what it does not explain in each view.
  absl::Status Subtract() {
    const PhotometricViews whole{
        .greys = filled_, .valid = given_.valid, .surface = views_.surface};
    auto status = Take(stages_.albedo->Run(whole), artwork_);
    filled_.clear();
    if (!status.ok()) return status;
    status = Take(stages_.residual->Run(views_, artwork_, {}), residuals_);
    status.Update(ToHost(artwork_.grey, on_host_.grey));
    status.Update(ToHost(artwork_.gradient, on_host_.gradient));
    status.Update(ToHost(artwork_.curvature, on_host_.curvature));
    status.Update(ToHost(artwork_.count, on_host_.count));
    return status;
  }

  /// Begins what does not depend on lines: it fills the pool while their search runs on one thread.
  absl::Status BeginSurvey() {
    survey_ = pool_.Start(3, [this](std::int64_t part) {
      if (part == 0) {
        result_.known = photometric::ClearOccluded(photometric::WellExposed(greys_, valid_, pool_),
                                                   occluders_.persistent);
      } else if (part == 1) {
        result_.light_change = photometric::LightChange(greys_, valid_, pool_);
      } else {
        result_.glare = photometric::FindGlare(photometric::SumBlocks(on_host_),
                                               photometric::SumBlocks(greys_, valid_, pool_),
                                               frame_.surface.size(), pool_);
      }
    });
    return absl::OkStatus();
  }

  absl::Status FitNoise() {
    Plane magnitude;
    auto status = Take(stages_.residual->MedianMagnitude(views_, residuals_), magnitude);
    if (!status.ok()) return status;
    if (status = ToHost(magnitude, magnitude); !status.ok()) return status;
    return HostCall("noise", [&] {
      result_.noise = photometric::FitNoise(photometric::NoiseCells(on_host_, magnitude));
    });
  }

  absl::Status FindLines() {
    LineEvidence evidence;
    Plane ridges;
    std::array<Plane, 2> responses;  // energies, points
    auto status =
        Take(stages_.line_evidence->Run(views_, residuals_, artwork_, result_.noise, {}), evidence);
    if (!status.ok()) return status;
    status = ToHost(evidence.energy, responses[0]);
    status.Update(ToHost(evidence.point, responses[1]));
    status.Update(ToHost(evidence.direction, directions_));
    if (!status.ok()) return status;
    status = HostCall("lines", [&] {
      std::ranges::move(photometric::NormaliseEnergy(responses, on_host_, pool_),
                        responses.begin());
    });
    if (!status.ok()) return status;
    result_.energy = responses[0];
    status = Take(stages_.backend->Upload(responses[0]), evidence.energy);
    status.Update(Take(stages_.backend->Upload(responses[1]), evidence.point));
    if (!status.ok()) return status;
    status = Take(stages_.ridge->Run(evidence, Threshold(photometric::kWeakEnergy, kEnergyUnit),
                                     Threshold(photometric::kWeakPoint, kEnergyUnit), {}),
                  ridges);
    if (!status.ok()) return status;
    if (status = ToHost(ridges, ridges); !status.ok()) return status;
    return KeepPaths(photometric::FindLinePaths(ridges, result_.energy, kEnergyUnit, frame_.surface,
                                                frame_.gaps, {}));
  }

  /// Lines that do not answer to the light.
  absl::Status FindStatic() {
    if (!options_.static_lines) return absl::OkStatus();
    auto found = photometric::FindStaticLines(on_host_.grey, on_host_.count, pool_);
    if (!found.ok()) return found.status();
    LineEvidence& evidence = found->evidence;
    Plane ridges;
    auto status = Take(stages_.backend->Upload(evidence.energy), evidence.energy);
    status.Update(Take(stages_.backend->Upload(evidence.direction), evidence.direction));
    status.Update(Take(stages_.backend->Upload(evidence.point), evidence.point));
    if (!status.ok()) return status;
    const std::int32_t weak = Threshold(photometric::kWeakStatic, found->median);
    status = Take(stages_.ridge->Run(evidence, weak, weak, {}), ridges);
    status.Update(ToHost(ridges, ridges));
    status.Update(ToHost(evidence.energy, evidence.energy));
    if (!status.ok()) return status;
    auto lines = photometric::FindLinePaths(ridges, evidence.energy, found->median, frame_.surface,
                                            frame_.gaps, photometric::kStaticRule);
    if (!lines.ok()) return lines.status();
    result_.static_lines = lines->mask;
    return HostCall("static lines", [&] {
      result_.static_energy = photometric::InDeviations(evidence.energy, found->median);
    });
  }

  /// In which views the lines show, and how wide they are there.
  absl::Status DrawLines() {
    std::vector<Plane> residuals(residuals_.size());
    for (std::size_t i = 0; i < residuals.size() && !result_.found.empty(); ++i) {
      auto status = ToHost(residuals_[i], residuals[i]);
      if (!status.ok()) return status;
    }
    std::vector<std::vector<photometric::LineVisibility>> visibility;
    auto status = HostCall("lines", [&] {
      if (result_.found.empty()) return;
      visibility =
          photometric::MeasureLineVisibility(residuals, valid_, on_host_, result_.noise,
                                             result_.line_ids, result_.found.size(), pool_);
      photometric::CountVisibleViews(visibility, result_.found);
    });
    if (!status.ok()) return status;
    const auto drawn = photometric::DrawLines(result_.line_ids, result_.found.size(), directions_,
                                              residuals, {}, pool_);
    if (!drawn.ok()) return drawn.status();
    const auto folds = photometric::FillFolds(result_.line_ids, directions_, visibility, {});
    if (!folds.ok()) return folds.status();
    for (std::size_t i = 0; i < result_.found.size(); ++i) {
      result_.found[i].width = drawn->widths[i];
    }
    return HostCall("lines", [&] { result_.lines = AsPlane(AsMat(drawn->mask) | AsMat(*folds)); });
  }

  absl::Status Finish() {
    result_.outline = frame_.marked;
    result_.surface = frame_.surface;
    result_.artwork = on_host_.grey;
    return HostCall("detect", [&] { survey_.Finish(); });
  }

  PhotometricResult Result() && { return std::move(result_); }

 private:
  absl::Status ToHost(const Plane& plane, Plane& place) {
    return Take(stages_.backend->Download(plane), place);
  }

  absl::Status KeepPaths(absl::StatusOr<photometric::Lines> lines) {
    if (!lines.ok()) return lines.status();
    result_.line_ids = lines->ids;
    for (const photometric::LinePath& path : lines->paths) result_.found.push_back({.path = path});
    return absl::OkStatus();
  }

  const ViewStack& given_;
  const PhotometricOptions& options_;
  std::vector<Plane> filled_;  // the views with the print where something hides it
  std::vector<Plane> shown_;   // validity without what is occluded
  PhotometricViews views_;
  std::vector<Plane> greys_, valid_;  // the same on the host
  photometric::OcclusionMasks occluders_;
  StageSet& stages_;
  ThreadPool& pool_;
  Frame frame_;
  Albedo artwork_;
  Albedo on_host_;  // the same
  std::vector<Plane> residuals_;
  Plane directions_;  // of the line evidence, on the host
  PhotometricResult result_;
  ThreadPool::Pending survey_;  // last: it ends before what it works on
};

}  // namespace

absl::StatusOr<PhotometricResult> DetectPhotometric(const ViewStack& views,
                                                    const PhotometricOptions& options,
                                                    StageSet& stages, ThreadPool& pool,
                                                    const CancelToken& cancel) {
  auto status = CheckViews(views, options, stages.backend->device());
  if (!status.ok()) return status;
  Detection detection(views, options, stages, pool);
  for (const auto step :
       {&Detection::Fetch, &Detection::FindFrameAndOccluders, &Detection::LeaveOutOccluders,
        &Detection::Subtract, &Detection::BeginSurvey, &Detection::FitNoise, &Detection::FindLines,
        &Detection::FindStatic, &Detection::DrawLines, &Detection::Finish}) {
    if (status = cancel.Check(); !status.ok()) return status;
    if (status = (detection.*step)(); !status.ok()) return status;
  }
  return std::move(detection).Result();
}

}  // namespace glint
