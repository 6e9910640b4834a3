// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "glint/backend.h"

namespace glint {

/// A backend that leaves everything to another one: a test changes of it what it is about.
class ForwardingBackend : public Backend {
 public:
  /// @param backend  must outlive it
  explicit ForwardingBackend(Backend& backend) : backend_(backend) {}

  std::string_view name() const override { return backend_.name(); }
  std::string description() const override { return backend_.description(); }
  Device device() const override { return backend_.device(); }
  absl::StatusOr<double> CopySpeed(std::int64_t bytes) override {
    return backend_.CopySpeed(bytes);
  }
  bool IsLost() const override { return backend_.IsLost(); }
  absl::StatusOr<Plane> Upload(const Plane& host) override { return backend_.Upload(host); }
  absl::StatusOr<Plane> Download(const Plane& plane) override { return backend_.Download(plane); }

  absl::StatusOr<std::unique_ptr<LumaConversionStage>> MakeLumaConversion() override {
    return backend_.MakeLumaConversion();
  }
  absl::StatusOr<std::unique_ptr<LumaStatisticsStage>> MakeLumaStatistics() override {
    return backend_.MakeLumaStatistics();
  }
  absl::StatusOr<std::unique_ptr<FlowStage>> MakeFlow() override { return backend_.MakeFlow(); }
  absl::StatusOr<std::unique_ptr<MeasureStage>> MakeMeasure() override {
    return backend_.MakeMeasure();
  }
  absl::StatusOr<std::unique_ptr<EdgeStage>> MakeEdges() override { return backend_.MakeEdges(); }
  absl::StatusOr<std::unique_ptr<MorphologyStage>> MakeMorphology() override {
    return backend_.MakeMorphology();
  }
  absl::StatusOr<std::unique_ptr<ConnectedComponentsStage>> MakeConnectedComponents() override {
    return backend_.MakeConnectedComponents();
  }
  absl::StatusOr<std::unique_ptr<WarpStage>> MakeWarp() override { return backend_.MakeWarp(); }
  absl::StatusOr<std::unique_ptr<DetailStage>> MakeDetail() override {
    return backend_.MakeDetail();
  }
  absl::StatusOr<std::unique_ptr<ClassicFusionStage>> MakeClassicFusion() override {
    return backend_.MakeClassicFusion();
  }
  absl::StatusOr<std::unique_ptr<AlbedoStage>> MakeAlbedo() override {
    return backend_.MakeAlbedo();
  }
  absl::StatusOr<std::unique_ptr<ResidualStage>> MakeResidual() override {
    return backend_.MakeResidual();
  }
  absl::StatusOr<std::unique_ptr<LineEvidenceStage>> MakeLineEvidence() override {
    return backend_.MakeLineEvidence();
  }
  absl::StatusOr<std::unique_ptr<RidgeStage>> MakeRidge() override { return backend_.MakeRidge(); }

 protected:
  Backend& backend() { return backend_; }

 private:
  Backend& backend_;
};

}  // namespace glint
