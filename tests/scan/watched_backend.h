// SPDX-License-Identifier: Apache-2.0
// A backend that notes which of its stages run, by their names in StageNames().
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "support/forwarding_backend.h"

namespace glint {

using StagesSeen = std::set<std::string, std::less<>>;

/// A stage that notes that it ran.
template <class Stage>
class Watched : public Stage {
 public:
  Watched(std::unique_ptr<Stage> stage, StagesSeen& seen) : stage_(std::move(stage)), seen_(seen) {}

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

class WatchedFlow final : public Watched<FlowStage> {
 public:
  using Watched::Watched;
  absl::StatusOr<Plane> Field(const Plane& previous, const Plane& next) override {
    return Note("flow").Field(previous, next);
  }
  absl::Status MeanLengths(std::span<const Plane> frames, std::span<double> out) override {
    return Note("flow").MeanLengths(frames, out);
  }
};

class WatchedMeasure final : public Watched<MeasureStage> {
 public:
  using Watched::Watched;
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

class WatchedEdges final : public Watched<EdgeStage> {
 public:
  using Watched::Watched;
  absl::StatusOr<std::vector<Plane>> Run(const Plane& luma,
                                         std::span<const CannyThresholds> thresholds) override {
    return Note("edges").Run(luma, thresholds);
  }
};

class WatchedMorphology final : public Watched<MorphologyStage> {
 public:
  using Watched::Watched;
  absl::StatusOr<Plane> Run(const Plane& input, MorphologyOp op, const StructuringElement& element,
                            int iterations) override {
    return Note("morphology").Run(input, op, element, iterations);
  }
};

class WatchedComponents final : public Watched<ConnectedComponentsStage> {
 public:
  using Watched::Watched;
  absl::StatusOr<ConnectedComponents> Run(const Plane& mask, const Plane& values) override {
    return Note("components").Run(mask, values);
  }
};

class WatchedWarp final : public Watched<WarpStage> {
 public:
  using Watched::Watched;
  absl::StatusOr<Plane> Run(const Plane& source, const Homography& source_from_output, Size size,
                            Interpolation interpolation,
                            std::optional<std::uint8_t> border) override {
    return Note("warp").Run(source, source_from_output, size, interpolation, border);
  }
};

class WatchedDetail final : public Watched<DetailStage> {
 public:
  using Watched::Watched;
  absl::StatusOr<DetailMaps> Run(const Plane& grey) override { return Note("detail").Run(grey); }
};

class WatchedFusion final : public Watched<ClassicFusionStage> {
 public:
  using Watched::Watched;
  absl::StatusOr<Plane> Score(std::span<const ClassicEvidence> evidence,
                              std::span<const Plane> greys,
                              const ClassicFusionParams& params) override {
    return Note("fusion").Score(evidence, greys, params);
  }
  absl::StatusOr<Plane> Mask(const Plane& score, double deviations) override {
    return Note("fusion").Mask(score, deviations);
  }
};

class WatchedAlbedo final : public Watched<AlbedoStage> {
 public:
  using Watched::Watched;
  absl::StatusOr<Albedo> Run(const PhotometricViews& views) override {
    return Note("artwork").Run(views);
  }
};

class WatchedResidual final : public Watched<ResidualStage> {
 public:
  using Watched::Watched;
  absl::StatusOr<std::vector<Plane>> Run(const PhotometricViews& views, const Albedo& albedo,
                                         const ResidualParams& params) override {
    return Note("residual").Run(views, albedo, params);
  }
  absl::StatusOr<Plane> MedianMagnitude(const PhotometricViews& views,
                                        std::span<const Plane> residuals) override {
    return Note("residual").MedianMagnitude(views, residuals);
  }
};

class WatchedLines final : public Watched<LineEvidenceStage> {
 public:
  using Watched::Watched;
  absl::StatusOr<LineEvidence> Run(const PhotometricViews& views, std::span<const Plane> residuals,
                                   const Albedo& albedo, const NoiseModel& noise,
                                   const LineEvidenceParams& params) override {
    return Note("lines").Run(views, residuals, albedo, noise, params);
  }
};

class WatchedRidges final : public Watched<RidgeStage> {
 public:
  using Watched::Watched;
  absl::StatusOr<Plane> Run(const LineEvidence& evidence, std::int32_t above_energy,
                            std::int32_t above_point, const RidgeParams& params) override {
    return Note("ridges").Run(evidence, above_energy, above_point, params);
  }
};

class WatchedBackend final : public ForwardingBackend {
 public:
  /// @param backend,seen  must outlive it. @param seen  gets the names of the stages that run
  WatchedBackend(Backend& backend, StagesSeen& seen) : ForwardingBackend(backend), seen_(seen) {}

  absl::StatusOr<std::unique_ptr<FlowStage>> MakeFlow() override {
    return Watch<WatchedFlow>(backend().MakeFlow());
  }
  absl::StatusOr<std::unique_ptr<MeasureStage>> MakeMeasure() override {
    return Watch<WatchedMeasure>(backend().MakeMeasure());
  }
  absl::StatusOr<std::unique_ptr<EdgeStage>> MakeEdges() override {
    return Watch<WatchedEdges>(backend().MakeEdges());
  }
  absl::StatusOr<std::unique_ptr<MorphologyStage>> MakeMorphology() override {
    return Watch<WatchedMorphology>(backend().MakeMorphology());
  }
  absl::StatusOr<std::unique_ptr<ConnectedComponentsStage>> MakeConnectedComponents() override {
    return Watch<WatchedComponents>(backend().MakeConnectedComponents());
  }
  absl::StatusOr<std::unique_ptr<WarpStage>> MakeWarp() override {
    return Watch<WatchedWarp>(backend().MakeWarp());
  }
  absl::StatusOr<std::unique_ptr<DetailStage>> MakeDetail() override {
    return Watch<WatchedDetail>(backend().MakeDetail());
  }
  absl::StatusOr<std::unique_ptr<ClassicFusionStage>> MakeClassicFusion() override {
    return Watch<WatchedFusion>(backend().MakeClassicFusion());
  }
  absl::StatusOr<std::unique_ptr<AlbedoStage>> MakeAlbedo() override {
    return Watch<WatchedAlbedo>(backend().MakeAlbedo());
  }
  absl::StatusOr<std::unique_ptr<ResidualStage>> MakeResidual() override {
    return Watch<WatchedResidual>(backend().MakeResidual());
  }
  absl::StatusOr<std::unique_ptr<LineEvidenceStage>> MakeLineEvidence() override {
    return Watch<WatchedLines>(backend().MakeLineEvidence());
  }
  absl::StatusOr<std::unique_ptr<RidgeStage>> MakeRidge() override {
    return Watch<WatchedRidges>(backend().MakeRidge());
  }

 private:
  template <class WatchedStage, class Stage>
  absl::StatusOr<std::unique_ptr<Stage>> Watch(absl::StatusOr<std::unique_ptr<Stage>> made) {
    if (!made.ok()) return made.status();
    return std::make_unique<WatchedStage>(*std::move(made), seen_);
  }

  StagesSeen& seen_;
};

}  // namespace glint
