// SPDX-License-Identifier: Apache-2.0
#include "jobs/worker_slot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <random>
#include <system_error>

#include "glint/error.h"

namespace glint {
namespace {

constexpr int kSlots = 1024;  // more workers than that on one folder are a mistake

class LockedSlot final : public WorkerSlot {
 public:
  LockedSlot(int file, std::string name) : file_(file), name_(std::move(name)) {}
  ~LockedSlot() override { close(file_); }
  const std::string& name() const override { return name_; }

 private:
  const int file_;
  const std::string name_;
};

absl::Status Unusable(const std::filesystem::path& path, int error) {
  return Error(Reason::kOutputUnwritable,
               fmt::format("{} cannot be locked by this worker: {}", path.string(),
                           std::generic_category().message(error)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerSlot>> TakeWorkerSlot(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return Unusable(folder, failed.value());
  for (int slot = 0; slot < kSlots; ++slot) {
    const std::string name = fmt::format("worker-{}", slot);
    const std::filesystem::path path = folder / (name + ".lock");
    // A child process that inherited the lock would keep it beyond the worker's death.
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return Unusable(path, errno);
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return std::make_unique<LockedSlot>(file, name);
    const int error = errno;
    close(file);
    if (error != EWOULDBLOCK) return Unusable(path, error);
  }
  return Error(Reason::kOutputUnwritable,
               fmt::format("{}: all {} worker slots are taken", folder.string(), kSlots));
}

absl::StatusOr<std::string> WorkerNamePrefix(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return Unusable(folder, failed.value());
  const std::filesystem::path path = folder / "id";
  // Whoever is first makes it, whole: the file gets its name when its content is there.
  if (!std::filesystem::exists(path, failed)) {
    std::random_device random;
    const std::filesystem::path begun = folder / fmt::format("id.{}.{}", getpid(), gettid());
    if (!(std::ofstream(begun) << fmt::format("{:08x}{:08x}\n", random(), random()))) {
      return Unusable(begun, EIO);
    }
    std::filesystem::create_hard_link(begun, path, failed);
    if (failed && failed != std::errc::file_exists) return Unusable(path, failed.value());
    std::filesystem::remove(begun, failed);
  }
  std::string id;
  if (!(std::ifstream(path) >> id)) return Unusable(path, EIO);
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return Unusable(folder, errno);
  return fmt::format("{}:{}:", host.data(), id);
}

void ForEachDeadSlot(const std::filesystem::path& folder,
                     const std::function<void(const std::string& name)>& work) {
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::filesystem::path& path = at->path();
    if (path.extension() != ".lock") continue;
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) continue;
    const LockedSlot slot(file, path.stem().string());  // closes it
    if (flock(file, LOCK_EX | LOCK_NB) == 0) work(slot.name());
  }
}

}  // namespace glint
