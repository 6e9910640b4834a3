// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "glint/thread_pool.h"

namespace glint {

struct ThreadPool::Job {
  std::int64_t count = 0;
  std::function<void(std::int64_t)> work;
  std::atomic<std::int64_t> next = 0;
  Mutex mutex;
  CondVar all_done;
  std::int64_t done ABSL_GUARDED_BY(mutex) = 0;
  std::exception_ptr exception ABSL_GUARDED_BY(mutex);

  void WaitUntilDone() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    all_done.Wait(mutex, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) { return done == count; });
  }
};

ThreadPool::ThreadPool(int threads) {
  workers_.reserve(static_cast<std::size_t>(std::max(0, threads - 1)));
  for (int i = 1; i < threads; ++i) {
    workers_.emplace_back([this](const std::stop_token& stop) { Serve(stop); });
  }
}

ThreadPool::~ThreadPool() = default;  // each jthread asks its Serve to stop and joins it

void ThreadPool::ParallelFor(std::int64_t count, const std::function<void(std::int64_t)>& work) {
  if (count == 1) {
    work(0);
  } else if (count > 1) {
    Finish(*Offer(count, std::cref(work)));
  }
}

ThreadPool::Pending ThreadPool::Start(std::int64_t count, std::function<void(std::int64_t)> work) {
  return count > 0 ? Pending(Offer(count, std::move(work))) : Pending();
}

/// A job that the workers may begin.
std::shared_ptr<ThreadPool::Job> ThreadPool::Offer(std::int64_t count,
                                                   std::function<void(std::int64_t)> work) {
  auto job = std::make_shared<Job>();
  job->count = count;
  job->work = std::move(work);
  if (!workers_.empty()) {
    {
      const MutexLock lock(mutex_);
      jobs_.push_back(job);
    }
    wake_.NotifyAll();
  }
  return job;
}

void ThreadPool::Finish(Job& job) {
  while (job.next < job.count) Work(job);
  const MutexLock lock(job.mutex);
  job.WaitUntilDone();
  if (job.exception) std::rethrow_exception(job.exception);
}

ThreadPool::Pending::~Pending() { Abandon(); }

ThreadPool::Pending& ThreadPool::Pending::operator=(Pending&& other) noexcept {
  if (this != &other) {
    Abandon();
    job_ = std::move(other.job_);
  }
  return *this;
}

void ThreadPool::Pending::Abandon() {
  if (!job_) return;
  const std::int64_t left_out =
      job_->count - std::min(job_->next.exchange(job_->count), job_->count);
  {
    const MutexLock lock(job_->mutex);
    job_->done += left_out;
    job_->WaitUntilDone();
  }
  job_.reset();
}

void ThreadPool::Pending::Finish() {
  if (const auto job = std::exchange(job_, nullptr)) ThreadPool::Finish(*job);
}

void ThreadPool::Serve(const std::stop_token& stop) {
  while (true) {
    std::shared_ptr<Job> job;
    {
      const MutexLock lock(mutex_);
      const auto any_left = [this]()
                                ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !jobs_.empty(); };
      if (!wake_.Wait(mutex_, stop, any_left)) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
      if (job->next + 1 < job->count)
        jobs_.push_back(job);  // the next worker gets another job's turn
    }
    Work(*job);
  }
}

void ThreadPool::Work(Job& job) {
  const std::int64_t index = job.next.fetch_add(1);
  if (index >= job.count) return;
  std::exception_ptr thrown;
  try {
    job.work(index);
  } catch (...) {
    thrown = std::current_exception();
  }
  const MutexLock lock(job.mutex);
  if (thrown && !job.exception) job.exception = thrown;
  if (++job.done == job.count) job.all_done.NotifyAll();
}

std::shared_ptr<ThreadPool> MakeThreadPool(int threads) {
  return std::make_shared<ThreadPool>(threads);
}

}  // namespace glint
