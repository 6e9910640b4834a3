// SPDX-License-Identifier: Apache-2.0
#include "jobs/job_subscribers.h"

#include <utility>

namespace glint {

class JobSubscribers::Subscription final : public JobSubscription {
 public:
  Subscription(std::shared_ptr<JobSubscribers> subscribers, std::int64_t id)
      : subscribers_(std::move(subscribers)), id_(id) {}
  ~Subscription() override {
    const MutexLock lock(subscribers_->mutex_);
    subscribers_->callbacks_.erase(id_);
  }

 private:
  const std::shared_ptr<JobSubscribers> subscribers_;
  const std::int64_t id_;
};

std::unique_ptr<JobSubscription> JobSubscribers::Add(
    std::function<void(const std::string&)> changed, JobChanges which) {
  const MutexLock lock(mutex_);
  const std::int64_t id = next_++;
  callbacks_.emplace(id, Callback{std::move(changed), which});
  return std::make_unique<Subscription>(shared_from_this(), id);
}

void JobSubscribers::Tell(const std::string& scan_id,
                          const std::function<bool(JobChanges)>& belongs) {
  const MutexLock lock(mutex_);
  for (const auto& [id, callback] : callbacks_) {
    if (belongs(callback.which)) callback.changed(scan_id);
  }
}

}  // namespace glint
