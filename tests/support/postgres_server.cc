// SPDX-License-Identifier: Apache-2.0
#include "support/postgres_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <cstdlib>
#include <fstream>
#include <memory>

namespace glint {

TestPostgres* TestPostgres::Get() {
  static const std::unique_ptr<TestPostgres> server = Start();
  return server.get();
}

std::unique_ptr<TestPostgres> TestPostgres::Start() {
  std::unique_ptr<TestPostgres> made(new TestPostgres);
  if (made->Run("start") != 0) return nullptr;
  made->port_ = made->ReadPort("PGPORT=");
  return made;
}

int TestPostgres::ReadPort(std::string_view name) const {
  std::ifstream file(folder_.path() / "postgres.env");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) return std::atoi(line.c_str() + name.size());
  }
  return 0;
}

TestPostgres::~TestPostgres() { Run("stop"); }

int TestPostgres::Run(const std::string& action) const {
  const std::string folder = folder_.path().string();
  return std::system(fmt::format("{}/scripts/postgres_server.sh {} {} > {}/script.log 2>&1",
                                 GLINT_SOURCE_DIR, action, folder, folder)
                         .c_str());
}

std::string TestPostgres::MakeDatabase() {
  const std::string base = fmt::format("postgresql://glint@127.0.0.1:{}/", port_);
  const std::string name = fmt::format("jobs_{}", ++databases_);
  RunSql(base + "postgres", "CREATE DATABASE " + name);
  return base + name;
}

std::string TestPostgres::AdministratorUrl(const std::string& url) const {
  return fmt::format("postgresql://postgres@127.0.0.1:{}/{}", port_,
                     url.substr(url.rfind('/') + 1));
}

std::string TestPostgres::BouncerUrl(const std::string& url) {
  if (bouncer_port_ == 0 && Run("bouncer") == 0) bouncer_port_ = ReadPort("BOUNCER_PORT=");
  if (bouncer_port_ == 0) return "";
  return fmt::format("postgresql://glint@127.0.0.1:{}/{}", bouncer_port_,
                     url.substr(url.rfind('/') + 1));
}

std::string RunSql(const std::string& url, const std::string& sql) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url.c_str()), PQfinish);
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()),
                                                             PQclear);
  const auto status = PQresultStatus(result.get());
  EXPECT_TRUE(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
      << sql << ": " << PQerrorMessage(connection.get());
  return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

}  // namespace glint
