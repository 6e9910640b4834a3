// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/mutex.h"
#include "serve/call_router.h"

namespace glint {

/// gRPC's health checking protocol, open to everybody; with a bound on streams, which the service
/// in libgrpc++ has not.
class HealthService {
 public:
  /// Registers its methods. @param max_watches  open at once; one more ends the oldest
  HealthService(CallRouter& router, std::size_t max_watches);

  /// Makes a service known, or changes how it is. "" is the server as a whole.
  void Set(const std::string& service, bool serving) ABSL_LOCKS_EXCLUDED(mutex_);
  std::size_t watches() const ABSL_LOCKS_EXCLUDED(mutex_);
  /// Ends every stream.
  void EndAll(const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  class Watch;

  void OnCheck(const std::shared_ptr<IncomingCall>& call, grpc::ByteBuffer* bytes);
  void OnWatch(const std::shared_ptr<IncomingCall>& call, grpc::ByteBuffer* bytes);
  /// A value of HealthCheckResponse::ServingStatus.
  int StatusOf(const std::string& service) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Forget(std::int64_t number) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::size_t max_watches_;
  mutable Mutex mutex_;
  std::map<std::string, bool> serving_ ABSL_GUARDED_BY(mutex_);
  std::map<std::int64_t, std::shared_ptr<Watch>> watches_ ABSL_GUARDED_BY(mutex_);
  std::int64_t next_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace glint
