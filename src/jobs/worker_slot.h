// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace glint {

/// A name that one worker process at a time bears: "worker-0", "worker-1", ... of a state folder.
/// It is held by a locked file, which the system unlocks when the process dies, however it dies. A
/// worker that gets a slot therefore knows that the one that had it before is gone, and may end its
/// leases (JobStore::ExpireLeasesOf) instead of waiting for them.
class WorkerSlot {
 public:
  virtual ~WorkerSlot() = default;
  virtual const std::string& name() const = 0;
};

/// Takes the lowest free slot of a folder, which is made when it is missing.
/// Errors: OUTPUT_UNWRITABLE
absl::StatusOr<std::unique_ptr<WorkerSlot>> TakeWorkerSlot(const std::filesystem::path& folder);

/// What names the workers of a state folder among those of other machines and folders that share a
/// store of jobs: "HOST:ID:", to stand before the name of a slot. The id is made with the folder.
/// Errors: OUTPUT_UNWRITABLE
absl::StatusOr<std::string> WorkerNamePrefix(const std::filesystem::path& folder);

/// Calls `work` with the name of each slot of the folder that no worker holds, and holds it
/// meanwhile. What cannot be looked at is left out.
void ForEachDeadSlot(const std::filesystem::path& folder,
                     const std::function<void(const std::string& name)>& work);

}  // namespace glint
