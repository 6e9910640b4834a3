// SPDX-License-Identifier: Apache-2.0
// Who computes the stages, and how that is chosen at start-up.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glint/photometric_stages.h"
#include "glint/stage_list.h"
#include "glint/stages.h"

namespace glint {

class ThreadPool;
struct Tuning;

/// How backends are made.
struct BackendOptions {
  ThreadPool* pool = nullptr;  ///< the threads that CPU work shares; must outlive the backend
  int ordinal = 0;             ///< which of several devices of one kind
  std::shared_ptr<const Tuning> tuning = nullptr;  ///< of this machine; may be null
};

/// One implementation of all stages on one device. Safe to share between scans; the stages it makes
/// are not.
class Backend {
 public:
  virtual ~Backend() = default;
  /// Its entry in the table: "cpu", "cuda".
  virtual std::string_view name() const = 0;
  /// The hardware and the instruction set or driver in use, for people: "2 cores, AVX-512".
  virtual std::string description() const = 0;
  virtual Device device() const = 0;
  /// Bytes per second, read and written ones together, of a plain copy on the device: what no stage
  /// that moves memory can beat. Measured now. @param bytes  that are copied, > 0
  virtual absl::StatusOr<double> CopySpeed(std::int64_t bytes) = 0;
  /// Whether the device has failed for good: no stage can be made any more.
  virtual bool IsLost() const { return false; }

  /// The plane on this backend's device; the plane itself when it is there already.
  virtual absl::StatusOr<Plane> Upload(const Plane& host) = 0;
  /// The plane in host memory; the plane itself when it is there already.
  virtual absl::StatusOr<Plane> Download(const Plane& plane) = 0;

#define GLINT_MAKE_STAGE(Type, Name, ...) \
  virtual absl::StatusOr<std::unique_ptr<Type>> Make##Name() = 0;
  GLINT_BACKEND_STAGES(GLINT_MAKE_STAGE)
#undef GLINT_MAKE_STAGE
};

/// One line of the backend table.
struct BackendEntry {
  std::string_view name;
  /// Runs a small real operation on the device and checks its answer; leaves no state behind.
  absl::Status (*probe)(const BackendOptions&);
  absl::StatusOr<std::unique_ptr<Backend>> (*make)(const BackendOptions&);
  /// How many devices of this kind the machine has, working or not; null for a kind of which there
  /// is always one.
  int (*count)() = nullptr;
  /// Whether its results are the CPU's, byte for byte. `auto` passes over others without a probe.
  bool exact = true;
};

/// One device of an entry: "cpu", "cuda:1". An entry that can have several gives each its number;
/// one that has none here gives its bare name, whose probe says why.
struct DeviceName {
  std::string name;
  int ordinal = 0;
};

/// The devices of an entry on this machine, at least one.
std::vector<DeviceName> DevicesOf(const BackendEntry& entry);

/// The backends of this build, best first, `cpu` last.
std::span<const BackendEntry> BackendTable();

/// What probing found and chose.
struct BackendChoice {
  struct Probe {
    std::string name;
    absl::Status status;
  };
  std::string name;  ///< of the device: "cpu", "cuda:0"
  std::string why;   ///< "first of auto that works", "forced", with every reason for skipping
  std::vector<Probe> probes;  ///< each device that was tried, in order
  std::shared_ptr<Backend> backend;
};

/// The names of devices, for people: "cuda:0, cuda:1".
std::string NamesOf(std::span<const BackendChoice> devices);

/// Chooses a device from the table.
/// @param wanted  "auto" (the first that passes its probe), the name of an entry (the first of its
/// devices that does), or one device: "cuda:1"
/// Errors: INVALID_OPTION no such name (the message lists those there are); DEVICE_UNAVAILABLE the
/// wanted (or every) device failed its probe: a forced choice never falls back.
absl::StatusOr<BackendChoice> SelectBackend(std::string_view wanted,
                                            std::span<const BackendEntry> table,
                                            const BackendOptions& options);

/// The same for those who make several scans at a time: every device that works of the entry that
/// SelectBackend would take, at least one. Each holds the probes of all.
absl::StatusOr<std::vector<BackendChoice>> SelectBackends(std::string_view wanted,
                                                          std::span<const BackendEntry> table,
                                                          const BackendOptions& options);

}  // namespace glint
