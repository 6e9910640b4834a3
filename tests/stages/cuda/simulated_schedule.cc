// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/simulated_schedule.h"

#include <algorithm>
#include <utility>

namespace glint::cuda {
namespace {

bool CanRun(const Queue& queue) {
  return !queue.works.empty() && queue.works.front().after.reached();
}

void RunOne(Queue& queue) {
  queue.works.front().run();
  queue.works.pop_front();
  ++queue.done;
}

}  // namespace

std::shared_ptr<Queue> SimulatedSchedule::NewQueue() {
  const std::scoped_lock lock(mutex_);
  return queues_.emplace_back(std::make_shared<Queue>());
}

void SimulatedSchedule::Remove(const std::shared_ptr<Queue>& queue) {
  const std::scoped_lock lock(mutex_);
  std::erase(queues_, queue);
}

void SimulatedSchedule::Add(Queue& queue, Queue::Work work) {
  const std::scoped_lock lock(mutex_);
  queue.works.push_back(std::move(work));
  ++queue.given;
}

bool SimulatedSchedule::HasWork() const {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(queues_, [](const auto& queue) { return !queue->works.empty(); });
}

Queue::Place SimulatedSchedule::EndOf(const std::shared_ptr<Queue>& queue) {
  const std::scoped_lock lock(mutex_);
  return {queue, queue->given};
}

void SimulatedSchedule::RunTo(const Queue::Place& place) {
  const std::scoped_lock lock(mutex_);
  while (!place.reached()) RunOne(Choose(place));
}

/// A queue whose next work has nothing to wait for.
Queue& SimulatedSchedule::Choose(const Queue::Place& place) {
  Queue* needed = place.queue.get();
  while (!CanRun(*needed)) needed = needed->works.front().after.queue.get();
  const SimulatedOrder order = order_;
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

}  // namespace glint::cuda
