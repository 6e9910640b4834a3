// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/simulated_gpu.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <vector>

#include "glint/error.h"
#include "stages/cuda/as_threads.h"
#include "stages/cuda/kernels/canny.h"
#include "stages/cuda/kernels/classic.h"
#include "stages/cuda/kernels/copy.h"
#include "stages/cuda/kernels/flow.h"
#include "stages/cuda/kernels/luma_conversion.h"
#include "stages/cuda/kernels/luma_statistics.h"
#include "stages/cuda/kernels/photometric_artwork.h"
#include "stages/cuda/kernels/photometric_lines.h"
#include "stages/cuda/kernels/photometric_residual.h"
#include "stages/cuda/kernels/photometric_ridge.h"
#include "stages/cuda/kernels/running_extreme.h"
#include "stages/cuda/kernels/self_test.h"
#include "stages/cuda/run_on_host.h"
#include "stages/cuda/session.h"

namespace glint::cuda {
namespace {

using Runner = void (*)(const void* arguments, Blocks blocks, HostOrder order);

template <class Kernel>
void RunErased(const void* arguments, Blocks blocks, HostOrder order) {
  Kernel kernel;
  std::memcpy(static_cast<void*>(&kernel), arguments, sizeof kernel);
#ifdef __SANITIZE_THREAD__
  RunOnHost(kernel, blocks, order, AsThreads());
#else
  RunOnHost(kernel, blocks, order);
#endif
}

template <class... Kernels>
std::array<Runner, kKernels> RunnersOf() {
  std::array<Runner, kKernels> runners{};
  ((runners[static_cast<std::size_t>(Kernels::kId)] = &RunErased<Kernels>), ...);
  return runners;
}

const std::array<Runner, kKernels>& Runners() {
  static const auto runners =
      RunnersOf<SelfTestKernel, CopyKernel, LumaConversionKernel, LumaStatisticsKernel,
                ReduceLevelKernel, ExpandPolynomialsKernel, IterateFlowKernel, CannyClassesKernel,
                CannyJoinKernel, CannyReachKernel, CannyWriteKernel, MorphologyPassKernel,
                DifferenceKernel, WarpKernel, DetailKernel, FusionMaximaKernel, FusionScoreKernel,
                ScoreSumsKernel, ScoreMaskKernel, RunningExtremeKernel, SmoothViewsKernel,
                MedianOfViewsKernel, ArtworkSlopesKernel, LargestAroundKernel, PrepareModelKernel,
                FitViewsKernel, TakeOutCurveKernel, KeepResidualsKernel, ScaleOfNoiseKernel,
                ViewUnitsKernel, AddCalmedKernel, RootMeansKernel, SmoothGroupsKernel,
                FindLinesKernel, MarkRidgesKernel>();
  return runners;
}

/// Device memory: each allocation ends where a page begins that nobody may touch.
class Memory {
 public:
  explicit Memory(std::shared_ptr<SimulatedFaults> faults) : faults_(std::move(faults)) {}
  ~Memory() {
    for (const auto& [first, region] : regions_) munmap(region.start, region.length + kPage);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* Allocate(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (faults_->in_use + bytes > faults_->memory) return nullptr;
    const std::size_t length = (bytes + kPage - 1) / kPage * kPage;
    void* mapped = mmap(nullptr, length + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto* start = static_cast<std::byte*>(mapped);
    // Sizes are multiples of 256, as the pool rounds them.
    std::byte* first = start + (length - bytes) / 256 * 256;
    mprotect(start, length, PROT_READ | PROT_WRITE);
    std::memset(start, 0xA5, length);
    if (working_ == 0) mprotect(start, length, PROT_NONE);
    regions_[first] = {start, length, bytes};
    faults_->in_use += bytes;
    return first;
  }

  void Free(std::byte* memory) {
    const std::scoped_lock lock(mutex_);
    const auto found = regions_.find(memory);
    faults_->in_use -= found->second.bytes;
    munmap(found->second.start, found->second.length + kPage);
    regions_.erase(found);
  }

  /// Lets work touch the memory while it runs.
  void Work(const std::function<void()>& work) {
    Protect(+1, PROT_READ | PROT_WRITE);
    work();
    Protect(-1, PROT_NONE);
  }

 private:
  struct Region {
    std::byte* start;
    std::size_t length;
    std::size_t bytes;
  };

  void Protect(int change, int protection) {
    const std::scoped_lock lock(mutex_);
    const int before = working_;
    working_ += change;
    if (before != 0 && working_ != 0) return;
    for (const auto& [first, region] : regions_) mprotect(region.start, region.length, protection);
  }

  static constexpr std::size_t kPage = 4096;

  const std::shared_ptr<SimulatedFaults> faults_;
  std::mutex mutex_;
  std::map<std::byte*, Region> regions_;
  int working_ = 0;
};

absl::Status Lost() {
  return Error(Reason::kDeviceUnavailable, "the simulated GPU met an illegal address");
}

/// What a stream was given and has not done yet.
struct Queue {
  struct Place {
    std::shared_ptr<Queue> queue;
    std::uint64_t count = 0;  // of its works
    bool reached() const { return queue == nullptr || queue->done >= count; }
  };
  struct Work {
    std::function<void()> run;
    Place after;
  };
  std::deque<Work> works;
  std::uint64_t given = 0;
  std::uint64_t done = 0;
};

/// The works of all streams, and in which order they are done.
class Schedule {
 public:
  explicit Schedule(std::shared_ptr<SimulatedFaults> faults) : faults_(std::move(faults)) {}

  std::shared_ptr<Queue> NewQueue() {
    const std::scoped_lock lock(mutex_);
    return queues_.emplace_back(std::make_shared<Queue>());
  }
  void Remove(const std::shared_ptr<Queue>& queue) {
    const std::scoped_lock lock(mutex_);
    std::erase(queues_, queue);
  }

  void Add(Queue& queue, Queue::Work work) {
    const std::scoped_lock lock(mutex_);
    queue.works.push_back(std::move(work));
    ++queue.given;
  }

  Queue::Place EndOf(const std::shared_ptr<Queue>& queue) {
    const std::scoped_lock lock(mutex_);
    return {queue, queue->given};
  }

  /// Works until the place is reached.
  void RunTo(const Queue::Place& place) {
    const std::scoped_lock lock(mutex_);
    while (!place.reached()) RunOne(Choose(place));
  }

 private:
  static bool CanRun(const Queue& queue) {
    return !queue.works.empty() && queue.works.front().after.reached();
  }

  /// A queue whose next work has nothing to wait for.
  Queue& Choose(const Queue::Place& place) {
    Queue* needed = place.queue.get();
    while (!CanRun(*needed)) needed = needed->works.front().after.queue.get();
    const SimulatedOrder order = faults_->order;
    if (order == SimulatedOrder::kNeededOnly) return *needed;
    std::vector<Queue*> others;
    for (const auto& queue : queues_) {
      if (CanRun(*queue) && queue.get() != needed) others.push_back(queue.get());
    }
    if (others.empty()) return *needed;
    if (order == SimulatedOrder::kOthersFirst) return *others.front();
    const std::size_t chosen = random_() % (others.size() + 1);
    return chosen == others.size() ? *needed : *others[chosen];
  }

  static void RunOne(Queue& queue) {
    queue.works.front().run();
    queue.works.pop_front();
    ++queue.done;
  }

  const std::shared_ptr<SimulatedFaults> faults_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Queue>> queues_;
  std::minstd_rand random_;
};

struct Shared {
  explicit Shared(std::shared_ptr<SimulatedFaults> with)
      : faults(std::move(with)), memory(faults), schedule(faults) {}

  absl::Status WaitFor(const Queue::Place& place) {
    ++faults->waits;
    memory.Work([&] { schedule.RunTo(place); });
    return faults->lost ? Lost() : absl::OkStatus();
  }

  std::shared_ptr<SimulatedFaults> faults;
  Memory memory;
  Schedule schedule;
  std::atomic<unsigned> launch = 0;
};

class SimulatedEvent final : public Event {
 public:
  explicit SimulatedEvent(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  absl::Status Wait() override { return shared_->WaitFor(place); }

  Queue::Place place;

 private:
  const std::shared_ptr<Shared> shared_;
};

class SimulatedStream final : public Stream {
 public:
  explicit SimulatedStream(std::shared_ptr<Shared> shared)
      : shared_(std::move(shared)), queue_(shared_->schedule.NewQueue()) {}
  ~SimulatedStream() override {
    Wait().IgnoreError();
    shared_->schedule.Remove(queue_);
  }

  absl::Status CopyIn(Rows2d device, Rows2d host, std::size_t row_bytes, int rows) override {
    return Copy(device, host, row_bytes, rows);
  }
  absl::Status CopyOut(Rows2d host, Rows2d device, std::size_t row_bytes, int rows) override {
    return Copy(host, device, row_bytes, rows);
  }
  absl::Status CopyInShared(Rows2d device, Rows2d host, std::size_t row_bytes, int rows) override {
    return Copy(device, host, row_bytes, rows);
  }
  absl::Status CopyOutShared(Rows2d host, Rows2d device, std::size_t row_bytes, int rows) override {
    return Copy(host, device, row_bytes, rows);
  }
  absl::Status Clear(std::byte* device, std::size_t bytes) override {
    return Add([=] { std::memset(device, 0, bytes); });
  }
  absl::Status Record(Event& event) override {
    if (shared_->faults->lost) return Lost();
    static_cast<SimulatedEvent&>(event).place = shared_->schedule.EndOf(queue_);
    return absl::OkStatus();
  }
  absl::Status WaitFor(const Event& event) override {
    const Queue::Place place = static_cast<const SimulatedEvent&>(event).place;
    return shared_->faults->forgets_wait_for ? absl::OkStatus() : Add([] {}, place);
  }
  absl::Status Wait() override { return shared_->WaitFor(shared_->schedule.EndOf(queue_)); }

 protected:
  absl::Status Launch(KernelId kernel, const void* arguments, std::size_t bytes,
                      Blocks blocks) override {
    const auto* first = static_cast<const std::byte*>(arguments);
    const unsigned launch = shared_->launch++;
    const HostOrder order{.last_block_first = launch % 2 == 1,
                          .thread_step = static_cast<int>(2 * (launch * 37 % 128) + 1),
                          .first_thread = static_cast<int>(launch * 101 % 256)};
    return Add(
        [shared = shared_.get(), kernel, blocks, order, copy = std::vector(first, first + bytes)] {
          SimulatedFaults& faults = *shared->faults;
          ++faults.launches;
          if (faults.launches_left == 0) {
            faults.lost = true;
            return;
          }
          if (faults.launches_left > 0) --faults.launches_left;
          Runners()[static_cast<std::size_t>(kernel)](copy.data(), blocks, order);
        });
  }

 private:
  absl::Status Copy(Rows2d to, Rows2d from, std::size_t row_bytes, int rows) {
    return Add([=] {
      for (int y = 0; y < rows; ++y) {
        std::memcpy(to.first + y * to.stride, from.first + y * from.stride, row_bytes);
      }
    });
  }

  absl::Status Add(std::function<void()> work, Queue::Place after = {}) {
    if (shared_->faults->lost) return Lost();
    const auto run = [faults = shared_->faults.get(), work = std::move(work)] {
      if (!faults->lost) work();
    };
    shared_->schedule.Add(*queue_, {run, std::move(after)});
    return absl::OkStatus();
  }

  const std::shared_ptr<Shared> shared_;
  const std::shared_ptr<Queue> queue_;
};

class SimulatedGpu final : public Gpu {
 public:
  SimulatedGpu(std::shared_ptr<SimulatedFaults> faults, int ordinal)
      : info_{.ordinal = ordinal,
              .name = "simulated GPU",
              .pci = "0000:00:00.0",
              .major = 9,
              .minor = 0,
              .multiprocessors = 1,
              .memory = faults->memory,
              .driver = 13000,
              .runtime = 13000},
        shared_(std::make_shared<Shared>(std::move(faults))) {}

  const GpuInfo& info() const override { return info_; }
  absl::StatusOr<std::size_t> FreeMemory() override {
    if (IsLost()) return Lost();
    return shared_->faults->memory - shared_->faults->in_use;
  }
  absl::StatusOr<std::byte*> Allocate(std::size_t bytes) override {
    if (IsLost()) return Lost();
    if (std::byte* memory = shared_->memory.Allocate(bytes)) return memory;
    return Error(Reason::kOutOfMemory, "the simulated GPU has no memory left");
  }
  void Free(std::byte* memory) noexcept override { shared_->memory.Free(memory); }
  absl::StatusOr<std::byte*> AllocateHost(std::size_t bytes) override {
    if (IsLost()) return Lost();
    if (shared_->faults->no_host_memory) {
      return Error(Reason::kOutOfMemory, "the simulated GPU can have no host memory");
    }
    ++shared_->faults->host_blocks;
    auto* memory = new std::byte[bytes];
    std::memset(memory, 0xA5, bytes);
    return memory;
  }
  void FreeHost(std::byte* memory) noexcept override {
    --shared_->faults->host_blocks;
    delete[] memory;
  }
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream() override {
    if (IsLost()) return Lost();
    return std::make_unique<SimulatedStream>(shared_);
  }
  absl::StatusOr<std::unique_ptr<Event>> MakeEvent() override {
    if (IsLost()) return Lost();
    return std::make_unique<SimulatedEvent>(shared_);
  }
  bool IsLost() const override { return shared_->faults->lost; }

 private:
  const GpuInfo info_;
  const std::shared_ptr<Shared> shared_;
};

}  // namespace

std::shared_ptr<Gpu> MakeSimulatedGpu(std::shared_ptr<SimulatedFaults> faults, int ordinal) {
  return std::make_shared<SimulatedGpu>(std::move(faults), ordinal);
}

}  // namespace glint::cuda
