// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "jobs/job_store.h"
#include "notify/notifier.h"
#include "serve/call_executor.h"

namespace glint {

/// How a job stands, as others are told.
ScanNotification ToNotification(const Job& job);

/// Tells targets how jobs get on, from changes of the job store. A change that comes while an
/// earlier one of the same job waits to be read is told with it.
class ScanNotifications {
 public:
  /// @param jobs  must outlive this
  ScanNotifications(JobStore& jobs, std::vector<std::unique_ptr<NotificationTarget>> targets);
  /// Tells what is known, and gives targets the notifier's drain timeout.
  ~ScanNotifications();
  ScanNotifications(const ScanNotifications&) = delete;
  ScanNotifications& operator=(const ScanNotifications&) = delete;

 private:
  void OnChanged(const std::string& scan_id);
  void Notify(const std::string& scan_id);

  JobStore& jobs_;
  const std::unique_ptr<Notifier> notifier_;
  CallExecutor reads_;
  Mutex mutex_;
  std::set<std::string> waiting_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<JobSubscription> subscription_;
};

}  // namespace glint
