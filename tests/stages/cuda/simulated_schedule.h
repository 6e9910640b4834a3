// SPDX-License-Identifier: Apache-2.0
// What streams were given to do, and in which order it is done on the host: while somebody waits,
// and never before.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

namespace glint::cuda {

/// Which stream works while somebody waits, where several could. A GPU may do any of it.
enum class SimulatedOrder : std::uint8_t {
  kNeededOnly,   ///< none but those that are waited for: what was not waited for has not happened
  kOthersFirst,  ///< all others as far as they get: what may come too early does
  kRandom,
};

/// What a stream was given and has not done yet.
struct Queue {
  struct Place {
    std::shared_ptr<Queue> queue;
    std::uint64_t count = 0;  ///< of its works
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

/// The works of all streams. Safe to use from several threads.
class SimulatedSchedule {
 public:
  /// @param order  outlives the schedule
  explicit SimulatedSchedule(const std::atomic<SimulatedOrder>& order) : order_(order) {}

  std::shared_ptr<Queue> NewQueue();
  void Remove(const std::shared_ptr<Queue>& queue);
  void Add(Queue& queue, Queue::Work work);
  /// Whether any stream has something to do.
  bool HasWork() const;
  Queue::Place EndOf(const std::shared_ptr<Queue>& queue);
  /// Works until the place is reached.
  void RunTo(const Queue::Place& place);

 private:
  Queue& Choose(const Queue::Place& place);

  const std::atomic<SimulatedOrder>& order_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Queue>> queues_;
  std::minstd_rand random_;
};

}  // namespace glint::cuda
