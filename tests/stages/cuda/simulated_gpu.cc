// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/simulated_gpu.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "glint/error.h"
#include "stages/cuda/as_threads.h"
#include "stages/cuda/captured_work.h"
#include "stages/cuda/context.h"
#include "stages/cuda/kernels/all.h"
#include "stages/cuda/run_on_host.h"
#include "stages/cuda/simulated_memory.h"

namespace glint::cuda {
namespace {

using Runner = void (*)(const void* arguments, Grid grid, HostOrder order);

template <class Kernel>
void RunErased(const void* arguments, Grid grid, HostOrder order) {
  Kernel kernel;
  std::memcpy(static_cast<void*>(&kernel), arguments, sizeof kernel);
#ifdef __SANITIZE_THREAD__
  RunOnHost(kernel, grid, order, AsThreads());
#else
  RunOnHost(kernel, grid, order);
#endif
}

/// How each kernel runs, by KernelId.
constexpr Runner kRunners[] = {
#define GLINT_RUNNER_OF(Name) &RunErased<Name##Kernel>,
    GLINT_KERNELS(GLINT_RUNNER_OF)
#undef GLINT_RUNNER_OF
};

/// What AllocateHost gave.
class HostMemoryBlocks {
 public:
  std::byte* Allocate(std::size_t bytes) {
    auto memory = std::make_unique<std::byte[]>(bytes);
    std::memset(memory.get(), 0xA5, bytes);
    const std::scoped_lock lock(mutex_);
    std::byte* first = memory.get();
    blocks_[first] = {std::move(memory), bytes};
    return first;
  }
  void Free(std::byte* memory) {
    const std::scoped_lock lock(mutex_);
    blocks_.erase(memory);
  }
  bool Holds(const std::byte* first, const std::byte* end) const {
    const std::scoped_lock lock(mutex_);
    return std::ranges::any_of(blocks_, [&](const auto& block) {
      return block.first <= first && end <= block.first + block.second.bytes;
    });
  }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes;
  };

  mutable std::mutex mutex_;
  std::map<std::byte*, Block> blocks_;
};

absl::Status Lost() {
  return Error(Reason::kDeviceUnavailable, "the simulated GPU met an illegal address");
}

struct Shared {
  explicit Shared(std::shared_ptr<SimulatedFaults> with)
      : faults(std::move(with)), schedule(faults->order) {}

  absl::Status WaitFor(const Queue::Place& place) {
    ++faults->waits;
    memory.Work([&] { schedule.RunTo(place); });
    return faults->lost ? Lost() : absl::OkStatus();
  }

  std::shared_ptr<SimulatedFaults> faults;
  SimulatedMemory memory;
  HostMemoryBlocks host_memory;
  SimulatedSchedule schedule;
  std::atomic<unsigned> launch = 0;
};

class SimulatedGraph final : public Graph {
 public:
  explicit SimulatedGraph(CapturedWork with) : work(std::move(with)) {}
  const CapturedWork work;
};

/// Fails for work that no graph may hold: copies between the GPU and any memory of the host's.
class GraphCheck final : public WorkSink {
 public:
  explicit GraphCheck(const HostMemoryBlocks& host_memory) : host_memory_(host_memory) {}
  absl::Status Launch(KernelId, const void*, std::size_t, Grid) override { return {}; }
  absl::Status Clear(std::byte*, std::size_t) override { return {}; }
  absl::Status CopyPinnedToDevice(Rows2d, Rows2d host, std::size_t row_bytes, int rows) override {
    return Check(host, row_bytes, rows);
  }
  absl::Status CopyDeviceToPinned(Rows2d host, Rows2d, std::size_t row_bytes, int rows) override {
    return Check(host, row_bytes, rows);
  }

 private:
  absl::Status Check(Rows2d host, std::size_t row_bytes, int rows) const {
    const std::byte* end = host.first + (rows - 1) * host.stride + row_bytes;
    if (host_memory_.Holds(host.first, end)) return absl::OkStatus();
    return Error(Reason::kDeviceUnavailable, "a graph copies from or to memory of the host's");
  }

  const HostMemoryBlocks& host_memory_;
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
  absl::Status CopyPinnedToDevice(Rows2d device, Rows2d host, std::size_t row_bytes,
                                  int rows) override {
    return Copy(device, host, row_bytes, rows);
  }
  absl::Status CopyDeviceToPinned(Rows2d host, Rows2d device, std::size_t row_bytes,
                                  int rows) override {
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

  absl::StatusOr<std::unique_ptr<Graph>> InstantiateGraph(const CapturedWork& work) override {
    SimulatedFaults& faults = *shared_->faults;
    ++faults.graphs_tried;
    if (faults.lost) return Lost();
    if (faults.refuses_graphs) return Error(Reason::kDeviceUnavailable, "no graph is made");
    GraphCheck check(shared_->host_memory);
    GLINT_RETURN_IF_ERROR(work.Replay(check));
    ++faults.graphs_made;
    return std::make_unique<SimulatedGraph>(work);
  }

  absl::Status LaunchGraph(Graph& graph) override {
    SimulatedFaults& faults = *shared_->faults;
    if (faults.lost) return Lost();
    if (faults.refuses_to_run_graphs) return Error(Reason::kDeviceUnavailable, "no graph is run");
    ++faults.graph_runs;
    return static_cast<SimulatedGraph&>(graph).work.Replay(*this);
  }

  absl::Status Launch(KernelId kernel, const void* arguments, std::size_t bytes,
                      Grid grid) override {
    const auto* first = static_cast<const std::byte*>(arguments);
    const unsigned launch = shared_->launch++;
    const HostOrder order{.last_block_first = launch % 2 == 1,
                          .thread_step = static_cast<int>(2 * (launch * 37 % 128) + 1),
                          .first_thread = static_cast<int>(launch * 101 % 256)};
    return Add(
        [shared = shared_.get(), kernel, grid, order, copy = std::vector(first, first + bytes)] {
          SimulatedFaults& faults = *shared->faults;
          ++faults.launches;
          if (faults.launches_left == 0) {
            faults.lost = true;
            return;
          }
          if (faults.launches_left > 0) --faults.launches_left;
          kRunners[static_cast<std::size_t>(kernel)](copy.data(), grid, order);
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
    SimulatedFaults& faults = *shared_->faults;
    if (faults.in_use.fetch_add(bytes) + bytes <= faults.memory) {
      if (std::byte* memory = shared_->memory.Allocate(bytes)) return memory;
    }
    faults.in_use -= bytes;
    return Error(Reason::kOutOfMemory, "the simulated GPU has no memory left");
  }
  void Free(std::byte* memory) noexcept override {
    shared_->faults->in_use -= shared_->memory.Free(memory);
  }
  absl::StatusOr<std::byte*> AllocateHost(std::size_t bytes) override {
    if (IsLost()) return Lost();
    if (shared_->faults->no_host_memory) {
      return Error(Reason::kOutOfMemory, "the simulated GPU can have no host memory");
    }
    ++shared_->faults->host_blocks;
    return shared_->host_memory.Allocate(bytes);
  }
  void FreeHost(std::byte* memory) noexcept override {
    --shared_->faults->host_blocks;
    if (shared_->schedule.HasWork()) ++shared_->faults->freed_under_way;
    shared_->host_memory.Free(memory);
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
