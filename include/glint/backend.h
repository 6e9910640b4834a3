// SPDX-License-Identifier: Apache-2.0
// Who computes the stages, and how that is chosen at start-up.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glint/photometric_stages.h"
#include "glint/stages.h"

namespace glint {

class ThreadPool;

/// How backends are made.
struct BackendOptions {
  ThreadPool* pool = nullptr;  ///< the threads that CPU work shares; must outlive the backend
};

/// One implementation of all stages on one device. Safe to share between scans; the stages it makes
/// are not.
class Backend {
 public:
  virtual ~Backend() = default;
  /// The value of --device that names it: "cpu", "cuda", "opencv_cuda".
  virtual std::string_view name() const = 0;
  /// The hardware and the instruction set or driver in use, for people: "2 cores, AVX-512".
  virtual std::string description() const = 0;
  virtual Device device() const = 0;

  /// The plane on this backend's device; the plane itself when it is there already.
  virtual absl::StatusOr<Plane> Upload(const Plane& host) = 0;
  /// The plane in host memory; the plane itself when it is there already.
  virtual absl::StatusOr<Plane> Download(const Plane& plane) = 0;

  virtual absl::StatusOr<std::unique_ptr<LumaStatisticsStage>> MakeLumaStatistics() = 0;
  virtual absl::StatusOr<std::unique_ptr<FlowStage>> MakeFlow() = 0;
  virtual absl::StatusOr<std::unique_ptr<EdgeStage>> MakeEdges() = 0;
  virtual absl::StatusOr<std::unique_ptr<MorphologyStage>> MakeMorphology() = 0;
  virtual absl::StatusOr<std::unique_ptr<WarpStage>> MakeWarp() = 0;
  virtual absl::StatusOr<std::unique_ptr<DetailStage>> MakeDetail() = 0;
  virtual absl::StatusOr<std::unique_ptr<ClassicFusionStage>> MakeClassicFusion() = 0;
  virtual absl::StatusOr<std::unique_ptr<ArtworkStage>> MakeArtwork() = 0;
  virtual absl::StatusOr<std::unique_ptr<ResidualStage>> MakeResidual() = 0;
  virtual absl::StatusOr<std::unique_ptr<LineEvidenceStage>> MakeLineEvidence() = 0;
  virtual absl::StatusOr<std::unique_ptr<RidgeStage>> MakeRidge() = 0;
};

/// One line of the backend table.
struct BackendEntry {
  std::string_view name;
  /// Runs a small real operation on the device and checks its answer; leaves no state behind.
  absl::Status (*probe)(const BackendOptions&);
  absl::StatusOr<std::unique_ptr<Backend>> (*make)(const BackendOptions&);
};

/// The backends of this build, best first, `cpu` last.
std::span<const BackendEntry> BackendTable();

/// What probing found and chose.
struct BackendChoice {
  struct Probe {
    std::string name;
    absl::Status status;
  };
  std::string name;  ///< the chosen entry
  std::string why;   ///< "first of auto that works", "forced", with every reason for skipping
  std::vector<Probe> probes;  ///< each entry that was tried, in order
  std::shared_ptr<Backend> backend;
};

/// Chooses a backend from the table.
/// @param wanted  "auto" (the first that passes its probe) or the name of one entry
/// Errors: INVALID_OPTION no such name (the message lists those there are); DEVICE_UNAVAILABLE the
/// wanted (or every) backend failed its probe: a forced choice never falls back.
absl::StatusOr<BackendChoice> SelectBackend(std::string_view wanted,
                                            std::span<const BackendEntry> table,
                                            const BackendOptions& options);

}  // namespace glint
