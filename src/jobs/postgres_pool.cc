// SPDX-License-Identifier: Apache-2.0
#include "jobs/postgres_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace glint {
namespace {

constexpr std::chrono::seconds kKeepIdle(60);

}  // namespace

PostgresPool::PostgresPool(PostgresServer server, int most, std::chrono::milliseconds max_wait,
                           std::function<void(PostgresConnection&)> made)
    : server_(std::move(server)), most_(most), max_wait_(max_wait), made_(std::move(made)) {}

PostgresPool::Loan::Loan(PostgresPool& pool) : pool_(pool), connection_(pool.TakeIdle()) {
  used_before_ = connection_ != nullptr;
  if (used_before_) return;
  try {
    connection_ = std::make_unique<PostgresConnection>(pool_.server_);
    pool_.made_(*connection_);
  } catch (...) {
    pool_.GiveBack(nullptr);
    throw;
  }
}

PostgresPool::Loan::~Loan() { pool_.GiveBack(std::move(connection_)); }

/// Waits for the right to a connection. @return null when it is to be made
std::unique_ptr<PostgresConnection> PostgresPool::TakeIdle() {
  const MutexLock lock(mutex_);
  if (!freed_.WaitFor(mutex_, max_wait_,
                      [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return lent_ < most_; })) {
    throw StatusException(
        Error(ServiceReason::kJobStoreUnavailable,
              fmt::format("all {} connections to the job store have been in use for {} s; is the "
                          "server slow? (--jobs-connections)",
                          most_, std::chrono::duration<double>(max_wait_).count())));
  }
  ++lent_;
  if (idle_.empty()) return nullptr;
  auto connection = std::move(idle_.back().connection);
  idle_.pop_back();
  return connection;
}

void PostgresPool::GiveBack(std::unique_ptr<PostgresConnection> connection) {
  std::vector<Idle> ended;  // without the lock: their last words go over the network
  if (connection && connection->lost()) connection.reset();
  const auto now = Clock::now();
  {
    const MutexLock lock(mutex_);
    --lent_;
    if (connection) idle_.push_back({std::move(connection), now});
    const auto kept =
        std::ranges::find_if(idle_, [&](const Idle& idle) { return now - idle.since < kKeepIdle; });
    std::move(idle_.begin(), kept, std::back_inserter(ended));
    idle_.erase(idle_.begin(), kept);
    freed_.NotifyOne();
  }
}

void PostgresPool::DropIdle() {
  std::vector<Idle> ended;
  const MutexLock lock(mutex_);
  ended.swap(idle_);
}

}  // namespace glint
