// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "glint/backend.h"

namespace glint {

/// A backend that leaves everything to another one; who derives from it changes what differs.
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

#define GLINT_MAKE_STAGE(Type, Name, ...) \
  absl::StatusOr<std::unique_ptr<Type>> Make##Name() override { return backend_.Make##Name(); }
  GLINT_BACKEND_STAGES(GLINT_MAKE_STAGE)
#undef GLINT_MAKE_STAGE

 protected:
  Backend& backend() { return backend_; }

 private:
  Backend& backend_;
};

}  // namespace glint
