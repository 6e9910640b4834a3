// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "support/temp_folder.h"

namespace glint {

/// A real PostgreSQL server (scripts/postgres_server.sh) in a temporary folder on a free port of
/// the loopback.
class TestPostgres {
 public:
  /// The one of this program, started when it is first asked for; null where PostgreSQL is not
  /// installed (tests are skipped then).
  static TestPostgres* Get();
  /// One of the caller's own, to be killed. @return null as Get
  static std::unique_ptr<TestPostgres> Start();
  ~TestPostgres();
  TestPostgres(const TestPostgres&) = delete;
  TestPostgres& operator=(const TestPostgres&) = delete;

  /// Makes an empty database. @return its URL, in the name of a role that owns it
  std::string MakeDatabase();
  /// The same database for who may do everything.
  std::string AdministratorUrl(const std::string& url) const;
  /// The same database by a PgBouncer in transaction mode, which is started when it is first asked
  /// for; empty where there is none.
  std::string BouncerUrl(const std::string& url);
  int port() const { return port_; }

  /// kill -9 to all of its processes.
  void Kill() const { Run("kill"); }
  bool Restart() const { return Run("restart") == 0; }

 private:
  TestPostgres() = default;
  int Run(const std::string& action) const;
  int ReadPort(std::string_view name) const;

  const TempFolder folder_;
  int port_ = 0;
  int bouncer_port_ = 0;
  int databases_ = 0;
};

/// Runs a statement of a test. @return the first column of the first row; "" when there is none
std::string RunSql(const std::string& url, const std::string& sql);

}  // namespace glint
