// SPDX-License-Identifier: Apache-2.0
#include "serve/health_service.h"

#include <optional>
#include <utility>
#include <vector>

#include "grpc/health/v1/health.grpc.pb.h"

namespace glint {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

}  // namespace

/// One stream: has at most one message on its way, and remembers the newest status for after it.
class HealthService::Watch final : public CallListener {
 public:
  Watch(HealthService& service, std::shared_ptr<IncomingCall> call, std::string name,
        std::int64_t number)
      : service_(service), call_(std::move(call)), name_(std::move(name)), number_(number) {}

  const std::string& name() const { return name_; }

  void Tell(int status) {
    {
      const MutexLock lock(mutex_);
      newest_ = status;
      if (busy_ || told_ == status) return;
      busy_ = true;
      told_ = status;
    }
    Write(status);
  }

  void End(const absl::Status& status) { call_->End(status); }

  void OnSent(bool ok) override {
    if (!ok) return OnGone();
    int status = 0;
    {
      const MutexLock lock(mutex_);
      busy_ = newest_ != told_;
      if (!busy_) return;
      told_ = status = newest_;
    }
    Write(status);
  }

  void OnGone() override {
    service_.Forget(number_);
    call_->End(Error(Reason::kCancelled, "the client has left"));
  }

 private:
  void Write(int status) {
    HealthCheckResponse response;
    response.set_status(static_cast<HealthCheckResponse::ServingStatus>(status));
    call_->Write(response);
  }

  HealthService& service_;
  const std::shared_ptr<IncomingCall> call_;
  const std::string name_;
  const std::int64_t number_;
  Mutex mutex_;
  bool busy_ ABSL_GUARDED_BY(mutex_) = false;
  int told_ ABSL_GUARDED_BY(mutex_) = -1;
  int newest_ ABSL_GUARDED_BY(mutex_) = -1;
};

HealthService::HealthService(CallRouter& router, std::size_t max_watches)
    : max_watches_(max_watches) {
  const auto* const service = HealthCheckRequest::descriptor()->file()->FindServiceByName("Health");
  router.Add(service, "Check", {.open = true, .start = [this](const auto& call, auto* bytes) {
                                  OnCheck(call, bytes);
                                }});
  router.Add(service, "Watch", {.open = true, .start = [this](const auto& call, auto* bytes) {
                                  OnWatch(call, bytes);
                                }});
}

int HealthService::StatusOf(const std::string& service) const {
  const auto found = serving_.find(service);
  if (found == serving_.end()) return HealthCheckResponse::SERVICE_UNKNOWN;
  return found->second ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
}

void HealthService::OnCheck(const std::shared_ptr<IncomingCall>& call, grpc::ByteBuffer* bytes) {
  HealthCheckRequest request;
  if (const auto parsed = ParseRequest(bytes, call->facts().max_bytes, request); !parsed.ok()) {
    return call->End(parsed);
  }
  HealthCheckResponse response;
  {
    const MutexLock lock(mutex_);
    response.set_status(
        static_cast<HealthCheckResponse::ServingStatus>(StatusOf(request.service())));
  }
  if (response.status() == HealthCheckResponse::SERVICE_UNKNOWN) {
    return call->End(grpc::Status(grpc::StatusCode::NOT_FOUND, "there is no such service"));
  }
  call->Answer(response);
}

void HealthService::OnWatch(const std::shared_ptr<IncomingCall>& call, grpc::ByteBuffer* bytes) {
  HealthCheckRequest request;
  if (const auto parsed = ParseRequest(bytes, call->facts().max_bytes, request); !parsed.ok()) {
    return call->End(parsed);
  }
  std::shared_ptr<Watch> watch;
  std::shared_ptr<Watch> oldest;
  int status = 0;
  {
    const MutexLock lock(mutex_);
    if (watches_.size() >= max_watches_) {
      oldest = std::move(watches_.begin()->second);
      watches_.erase(watches_.begin());
    }
    watch = std::make_shared<Watch>(*this, call, request.service(), next_);
    watches_.emplace(next_++, watch);
    status = StatusOf(request.service());
  }
  if (oldest) {
    oldest->End(Error(ServiceReason::kOverloaded, "too many health streams; ask again"));
  }
  if (call->Listen(watch)) return watch->OnGone();
  watch->Tell(status);
}

void HealthService::Set(const std::string& service, bool serving) {
  std::vector<std::shared_ptr<Watch>> told;
  int status = 0;
  {
    const MutexLock lock(mutex_);
    serving_[service] = serving;
    status = StatusOf(service);
    for (const auto& [number, watch] : watches_) {
      if (watch->name() == service) told.push_back(watch);
    }
  }
  for (const auto& watch : told) watch->Tell(status);
}

std::size_t HealthService::watches() const {
  const MutexLock lock(mutex_);
  return watches_.size();
}

void HealthService::Forget(std::int64_t number) {
  const MutexLock lock(mutex_);
  watches_.erase(number);
}

void HealthService::EndAll(const absl::Status& status) {
  std::map<std::int64_t, std::shared_ptr<Watch>> all;
  {
    const MutexLock lock(mutex_);
    all.swap(watches_);
  }
  for (const auto& [number, watch] : all) watch->End(status);
}

}  // namespace glint
