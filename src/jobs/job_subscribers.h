// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "jobs/job_store.h"

namespace glint {

/// Who wants to hear of changes of jobs. Outlives its store in the subscriptions.
class JobSubscribers : public std::enable_shared_from_this<JobSubscribers> {
 public:
  std::unique_ptr<JobSubscription> Add(std::function<void(const std::string&)> changed,
                                       JobChanges which);
  /// Calls those whose kind of changes `belongs` holds for.
  void Tell(const std::string& scan_id, const std::function<bool(JobChanges)>& belongs);

 private:
  class Subscription;
  struct Callback {
    std::function<void(const std::string&)> changed;
    JobChanges which;
  };

  Mutex mutex_;  // held while callbacks run
  std::int64_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::int64_t, Callback> callbacks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace glint
