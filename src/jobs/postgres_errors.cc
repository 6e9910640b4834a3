// SPDX-License-Identifier: Apache-2.0
// What the failures of a PostgreSQL server mean to a worker, and what to do about them. Codes:
// https://www.postgresql.org/docs/15/errcodes-appendix.html
#include <fmt/format.h>

#include <array>
#include <new>
#include <string_view>

#include "jobs/postgres_connection.h"

namespace glint {
namespace {

/// Failures that somebody has to correct, and what about them. A connection that is refused has no
/// code, only the server's message.
struct Advice {
  std::string_view code;     ///< or the start of one; empty: any
  std::string_view message;  ///< a part of it; empty: any
  bool passes;               ///< whether it may by itself
  std::string_view what_to_do;
};

constexpr std::string_view kReadOnly =
    "the server is read-only, as a standby is; name all hosts of the cluster in the URL";
constexpr std::string_view kNoConnectionLeft =
    "the server has no connection left; put PgBouncer in front of it, lower --jobs-connections or "
    "raise max_connections";

constexpr std::array kAdvice = {
    Advice{"25006", "", true, kReadOnly},
    Advice{"", "session is read-only", true, kReadOnly},
    Advice{"53300", "", true, kNoConnectionLeft},
    Advice{"", "too many clients", true, kNoConnectionLeft},
    Advice{"", "too many connections", true, kNoConnectionLeft},
    Advice{"", "remaining connection slots", true, kNoConnectionLeft},
    Advice{"42501", "", false,
           "the role needs CREATE and USAGE on the schema, and must own glint's tables"},
    Advice{"42P01", "", false,
           "glint's tables are gone, or the role's search_path does not reach them"},
    Advice{"3F000", "", false, "the role's search_path names no schema that exists"},
    Advice{"28", "", false, "check user, password (PGPASSFILE, PGPASSWORD) and pg_hba.conf"},
    Advice{"", "authentication failed", false, "check user and password (PGPASSFILE, PGPASSWORD)"},
    Advice{"", "no password supplied", false,
           "give a password by PGPASSFILE, PGPASSWORD or passfile= in the URL"},
    Advice{"", "no pg_hba.conf entry", false, "the server's pg_hba.conf does not let it in"},
    Advice{"", "certificate", false, "check sslmode, sslrootcert and the server's certificate"},
    Advice{"", "server does not support SSL", false, "check sslmode"},
    Advice{"", "does not exist", false, "create the database and the role"},
    Advice{"57P", "", true, "the server shuts down or starts; tried again"},
    Advice{"", "starting up", true, "the server starts; tried again"},
    Advice{"", "shutting down", true, "the server shuts down; tried again"},
    Advice{kNoAnswer, "", true, "is it overloaded, or the network cut? tried again"},
    Advice{"57014", "", true, "the server's statement_timeout is too short for it"},
    Advice{"55P03", "", true, "another session holds a lock for long; see pg_locks"},
    Advice{"08", "", true, "the server or what lies before it ended the connection; tried again"},
};

/// Null when there is none to give.
const Advice* AdviceFor(const PostgresException& failure) {
  const std::string_view message = failure.what();
  for (const Advice& advice : kAdvice) {
    const bool coded =
        advice.code.empty() ? failure.code().empty() : failure.code().starts_with(advice.code);
    if (coded && message.find(advice.message) != std::string_view::npos) return &advice;
  }
  return nullptr;
}

}  // namespace

bool MayPass(const PostgresException& failure) {
  if (const Advice* advice = AdviceFor(failure)) return advice->passes;
  return failure.code().empty() || failure.code().starts_with("53");
}

bool IsRetryable(const PostgresException& failure) {
  // Serialisation, deadlock, and a row that another submission has inserted meanwhile.
  return failure.code() == "40001" || failure.code() == "40P01" || failure.code() == "23505";
}

absl::Status StatusOfPostgres(std::string_view shown, std::string_view purpose) {
  try {
    throw;
  } catch (const StatusException& failure) {
    return failure.status();
  } catch (const PostgresException& failure) {
    if (failure.code() == "53100") {
      return Error(Reason::kDiskFull,
                   fmt::format("jobs in {}: {}: no space is left on the database server's disk "
                               "({}, SQLSTATE 53100); make some there",
                               shown, purpose, failure.what()));
    }
    const Advice* advice = AdviceFor(failure);
    const std::string_view usual =
        failure.code().empty() ? "the server cannot be reached; tried again" : "see its log";
    return Error(
        ServiceReason::kJobStoreUnavailable,
        fmt::format("jobs in {}: {}: {}{}; {}", shown, purpose, failure.what(),
                    failure.code().empty() ? "" : fmt::format(" (SQLSTATE {})", failure.code()),
                    advice != nullptr ? advice->what_to_do : usual));
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, "memory is out while reading jobs");
  } catch (const std::exception& failure) {
    return Error(ServiceReason::kJobStoreUnavailable,
                 fmt::format("jobs in {}: {}: {}", shown, purpose, failure.what()));
  }
}

}  // namespace glint
