// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "jobs/postgres_connection.h"

namespace glint {

/// Connections that threads borrow, one transaction at a time; made when they are needed, and ended
/// when they were not for a while.
class PostgresPool {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param most      connections at once
  /// @param max_wait  for one that others have
  /// @param made      called with each new one before it is used; may throw
  PostgresPool(PostgresServer server, int most, std::chrono::milliseconds max_wait,
               std::function<void(PostgresConnection&)> made);

  /// A connection on loan. One that is lost meanwhile is not lent again.
  class Loan {
   public:
    /// Throws PostgresException when there is no connecting, StatusException
    /// (JOB_STORE_UNAVAILABLE) when all are in use for too long.
    explicit Loan(PostgresPool& pool);
    ~Loan();
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    PostgresConnection& connection() { return *connection_; }
    /// Whether it was used before: the server may have ended it since.
    bool used_before() const { return used_before_; }
    /// Ends it instead of lending it again.
    void Discard() { connection_.reset(); }

   private:
    PostgresPool& pool_;
    std::unique_ptr<PostgresConnection> connection_;
    bool used_before_ = false;
  };

  /// Ends what nobody has on loan: the server has gone or been replaced.
  void DropIdle() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Idle {
    std::unique_ptr<PostgresConnection> connection;
    Clock::time_point since;
  };

  std::unique_ptr<PostgresConnection> TakeIdle() ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveBack(std::unique_ptr<PostgresConnection> connection) ABSL_LOCKS_EXCLUDED(mutex_);

  const PostgresServer server_;
  const int most_;
  const std::chrono::milliseconds max_wait_;
  const std::function<void(PostgresConnection&)> made_;
  Mutex mutex_;
  CondVar freed_;
  int lent_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<Idle> idle_ ABSL_GUARDED_BY(mutex_);  // the latest used last
};

}  // namespace glint
