// SPDX-License-Identifier: Apache-2.0
// A backend that notes which of its stages run, by their names in StageNames().
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "stages/shared/forwarding_backend.h"

namespace glint {

using StagesSeen = std::set<std::string, std::less<>>;

/// What watched stages are made of.
template <class Stage>
class Watching : public Stage {
 public:
  Watching(std::unique_ptr<Stage> stage, StagesSeen& seen)
      : stage_(std::move(stage)), seen_(seen) {}

 protected:
  Stage& Note(const char* name) {
    seen_.insert(name);
    return *stage_;
  }
  const Stage& stage() const { return *stage_; }

 private:
  std::unique_ptr<Stage> stage_;
  StagesSeen& seen_;
};

/// A stage that notes that it ran.
template <class Stage>
class Watched;

template <>
class Watched<FlowStage> final : public Watching<FlowStage> {
 public:
  using Watching::Watching;
  absl::StatusOr<Plane> Field(const Plane& previous, const Plane& next) override {
    return Note("flow").Field(previous, next);
  }
  absl::Status MeanLengths(std::span<const Plane> frames, std::span<double> out) override {
    return Note("flow").MeanLengths(frames, out);
  }
};

template <>
class Watched<MeasureStage> final : public Watching<MeasureStage> {
 public:
  using Watching::Watching;
  int most_in_flight() const override { return stage().most_in_flight(); }
  std::optional<int> BestBatch(Size frame, bool motion) const override {
    return stage().BestBatch(frame, motion);
  }
  absl::Status Begin(std::span<const Plane> luma, bool motion) override {
    if (motion) Note("flow");
    return Note("statistics").Begin(luma, motion);
  }
  absl::Status End(std::span<LumaStatistics> statistics, std::span<double> lengths) override {
    return Note("statistics").End(statistics, lengths);
  }
};

template <>
class Watched<EdgeStage> final : public Watching<EdgeStage> {
 public:
  using Watching::Watching;
  absl::StatusOr<std::vector<Plane>> Run(const Plane& luma,
                                         std::span<const CannyThresholds> thresholds) override {
    return Note("edges").Run(luma, thresholds);
  }
};

template <>
class Watched<MorphologyStage> final : public Watching<MorphologyStage> {
 public:
  using Watching::Watching;
  absl::StatusOr<Plane> Run(const Plane& input, MorphologyOp op, const StructuringElement& element,
                            int iterations) override {
    return Note("morphology").Run(input, op, element, iterations);
  }
};

template <>
class Watched<ConnectedComponentsStage> final : public Watching<ConnectedComponentsStage> {
 public:
  using Watching::Watching;
  absl::StatusOr<ConnectedComponents> Run(const Plane& mask, const Plane& values) override {
    return Note("components").Run(mask, values);
  }
};

template <>
class Watched<WarpStage> final : public Watching<WarpStage> {
 public:
  using Watching::Watching;
  absl::StatusOr<Plane> Run(const Plane& source, const Homography& source_from_output, Size size,
                            Interpolation interpolation,
                            std::optional<std::uint8_t> border) override {
    return Note("warp").Run(source, source_from_output, size, interpolation, border);
  }
};

template <>
class Watched<SheetWarpStage> final : public Watching<SheetWarpStage> {
 public:
  using Watching::Watching;
  absl::StatusOr<Plane> Run(const Plane& source, const Homography& source_from_output,
                            const Displacement& displacement, Size size) override {
    return Note("sheet warp").Run(source, source_from_output, displacement, size);
  }
};

template <>
class Watched<DetailStage> final : public Watching<DetailStage> {
 public:
  using Watching::Watching;
  absl::StatusOr<DetailMaps> Run(const Plane& grey) override { return Note("detail").Run(grey); }
};

template <>
class Watched<ClassicFusionStage> final : public Watching<ClassicFusionStage> {
 public:
  using Watching::Watching;
  absl::StatusOr<Plane> Score(std::span<const ClassicEvidence> evidence,
                              std::span<const Plane> greys,
                              const ClassicFusionParams& params) override {
    return Note("fusion").Score(evidence, greys, params);
  }
  absl::StatusOr<Plane> Mask(const Plane& score, double deviations) override {
    return Note("fusion").Mask(score, deviations);
  }
};

template <>
class Watched<AlbedoStage> final : public Watching<AlbedoStage> {
 public:
  using Watching::Watching;
  absl::StatusOr<Albedo> Run(const PhotometricViews& views) override {
    return Note("artwork").Run(views);
  }
};

template <>
class Watched<ResidualStage> final : public Watching<ResidualStage> {
 public:
  using Watching::Watching;
  absl::StatusOr<std::vector<StoredPlane>> Run(const PhotometricViews& views, const Albedo& albedo,
                                               const ResidualParams& params) override {
    return Note("residual").Run(views, albedo, params);
  }
  absl::StatusOr<Plane> MedianMagnitude(const PhotometricViews& views,
                                        std::span<const StoredPlane> residuals) override {
    return Note("residual").MedianMagnitude(views, residuals);
  }
};

template <>
class Watched<LineEvidenceStage> final : public Watching<LineEvidenceStage> {
 public:
  using Watching::Watching;
  absl::StatusOr<LineEvidence> Run(const PhotometricViews& views,
                                   std::span<const StoredPlane> residuals, const Albedo& albedo,
                                   const NoiseModel& noise,
                                   const LineEvidenceParams& params) override {
    return Note("lines").Run(views, residuals, albedo, noise, params);
  }
};

template <>
class Watched<RidgeStage> final : public Watching<RidgeStage> {
 public:
  using Watching::Watching;
  absl::StatusOr<Plane> Run(const LineEvidence& evidence, std::int32_t above_energy,
                            std::int32_t above_point, const RidgeParams& params) override {
    return Note("ridges").Run(evidence, above_energy, above_point, params);
  }
};

class WatchedBackend final : public ForwardingBackend {
 public:
  /// @param backend,seen  must outlive it. @param seen  gets the names of the stages that run
  WatchedBackend(Backend& backend, StagesSeen& seen) : ForwardingBackend(backend), seen_(seen) {}

#define GLINT_MAKE_STAGE(Type, Name, ...)                       \
  absl::StatusOr<std::unique_ptr<Type>> Make##Name() override { \
    return Watch(backend().Make##Name());                       \
  }
  GLINT_SCAN_STAGES(GLINT_MAKE_STAGE)
  GLINT_MAKE_STAGE(MeasureStage, Measure)
#undef GLINT_MAKE_STAGE

 private:
  template <class Stage>
  absl::StatusOr<std::unique_ptr<Stage>> Watch(absl::StatusOr<std::unique_ptr<Stage>> made) {
    if (!made.ok()) return made.status();
    return std::make_unique<Watched<Stage>>(*std::move(made), seen_);
  }

  StagesSeen& seen_;
};

}  // namespace glint
