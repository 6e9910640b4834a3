// SPDX-License-Identifier: Apache-2.0
// What can go wrong with the file: locks, damage, rights, other people's files, a full disk.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>
#include <vector>

#include "jobs/sqlite_jobs.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::_;
using testing::AllOf;
using testing::HasSubstr;

class SqliteFaults : public testing::Test {
 protected:
  std::unique_ptr<JobStore> Open(std::chrono::milliseconds busy_wait = 5s) {
    auto store = OpenSqliteJobs(file_, {}, {.busy_wait = busy_wait});
    EXPECT_THAT(store, IsOk());
    return *std::move(store);
  }

  const TempFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "jobs.db";
};

TEST_F(SqliteFaults, OnlyTheOwnerMayReadTheFiles) {
  const auto store = Open();
  ASSERT_THAT(store->Submit({"a", "https://host/v?signature=1", ""}), IsOk());
  for (const char* name : {"jobs.db", "jobs.db-wal", "jobs.db-shm"}) {
    struct stat info {};
    ASSERT_EQ(stat((folder_.path() / name).c_str(), &info), 0) << name;
    EXPECT_EQ(info.st_mode & 0777U, 0600U) << name;
  }
}

TEST_F(SqliteFaults, ALockedFileIsUnavailableAndLosesNothing) {
  const auto store = Open(20ms);
  ASSERT_THAT(store->Submit({"a", "r", ""}), IsOk());
  const auto claimed = store->Claim("worker", 30s);
  ASSERT_THAT(claimed, IsOk());
  const JobLease lease = (*claimed)->lease;
  {
    SQLite::Database other(file_.string(), SQLite::OPEN_READWRITE);
    SQLite::Transaction lock(other, SQLite::TransactionBehavior::EXCLUSIVE);
    const auto unavailable = FailsWith(ServiceReason::kJobStoreUnavailable,
                                       AllOf(HasSubstr("locked"), HasSubstr("jobs.db")));
    EXPECT_THAT(store->Submit({"b", "r", ""}), unavailable);
    EXPECT_THAT(store->Cancel("a"), unavailable);
    EXPECT_THAT(store->Heartbeat(lease, 30s), unavailable);
    EXPECT_THAT(store->Complete(lease, "result"), unavailable);
    EXPECT_THAT(store->Get("a"), IsOk()) << "readers do not wait for writers";
  }
  EXPECT_THAT(store->Submit({"b", "r", ""}), IsOk());
  EXPECT_THAT(store->Complete(lease, "result"), IsOk());
}

TEST_F(SqliteFaults, ManyCallersOfALockedFileAllGetAnAnswer) {
  const auto store = Open(50ms);
  SQLite::Database other(file_.string(), SQLite::OPEN_READWRITE);
  const SQLite::Transaction lock(other, SQLite::TransactionBehavior::EXCLUSIVE);
  std::vector<std::jthread> callers;
  callers.reserve(20);
  for (int i = 0; i < 20; ++i) {
    callers.emplace_back([&, i] {
      EXPECT_THAT(store->Submit({"scan-" + std::to_string(i), "r", ""}),
                  FailsWith(ServiceReason::kJobStoreUnavailable, HasSubstr("locked")));
    });
  }
}

TEST_F(SqliteFaults, AFullQueueRefusesWithoutLockOrDisk) {
  constexpr int kWaiting = 200;
  constexpr int kRefused = 5000;
  auto store = *OpenSqliteJobs(file_, {.queue_capacity = kWaiting});
  for (int i = 0; i < kWaiting; ++i) {
    ASSERT_THAT(store->Submit({"scan-" + std::to_string(i), "r", ""}), IsOk());
  }
  SQLite::Database other(file_.string(), SQLite::OPEN_READWRITE);
  const SQLite::Transaction lock(other, SQLite::TransactionBehavior::EXCLUSIVE);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRefused; ++i) {
    ASSERT_THAT(store->Submit({"new-" + std::to_string(i), "r", ""}),
                FailsWith(ServiceReason::kQueueFull, _));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("{:.0f} refusals per second\n", kRefused / took.count());
}

TEST_F(SqliteFaults, AFileThatIsNoDatabaseIsRefusedAndLeftAlone) {
  const std::string text(8192, 'x');
  folder_.Write("jobs.db", text);
  EXPECT_THAT(OpenSqliteJobs(file_, {}),
              FailsWith(ServiceReason::kJobStoreUnavailable,
                        AllOf(HasSubstr("damaged"), HasSubstr("jobs.db"), HasSubstr("backup"))));
  std::ifstream file(file_);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
}

TEST_F(SqliteFaults, DamageInsideTheFileIsAnErrorOfTheCall) {
  {
    const auto store = Open();
    for (int i = 0; i < 200; ++i) {
      ASSERT_THAT(store->Submit({"scan-" + std::to_string(i), std::string(500, 'r'), ""}), IsOk());
    }
  }
  constexpr int kPage = 4096;
  constexpr int kFirstDamaged = 30;  // behind the roots of the tables
  {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    const auto pages = static_cast<int>(std::filesystem::file_size(file_)) / kPage;
    const std::string junk(kPage, '\x5a');
    for (int page = kFirstDamaged; page < pages; ++page) {
      file.seekp(std::streamoff{page} * kPage);
      file.write(junk.data(), kPage);
    }
  }
  const auto store = OpenSqliteJobs(file_, {});
  ASSERT_THAT(store, IsOk());
  EXPECT_THAT((*store)->List("", 1000, {}),
              FailsWith(ServiceReason::kJobStoreUnavailable, HasSubstr("damaged")));
}

TEST_F(SqliteFaults, ARowThatIsGoneIsDamageToo) {
  const auto store = Open();
  {
    SQLite::Database file(file_.string(), SQLite::OPEN_READWRITE);
    file.exec("DELETE FROM glint_counters");
  }
  EXPECT_THAT(store->Submit({"a", "request", ""}),
              FailsWith(ServiceReason::kJobStoreUnavailable,
                        AllOf(HasSubstr("a row is gone"), HasSubstr("backup"))));
}

TEST_F(SqliteFaults, AnotherProgramsDatabaseIsRefusedAndLeftAlone) {
  {
    SQLite::Database other(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("CREATE TABLE theirs (x INTEGER)");
  }
  EXPECT_THAT(OpenSqliteJobs(file_, {}),
              FailsWith(ServiceReason::kJobStoreUnavailable, HasSubstr("another program")));
  SQLite::Database other(file_.string());
  EXPECT_EQ(other.execAndGet("SELECT COUNT(*) FROM sqlite_master").getInt(), 1);
  EXPECT_EQ(other.execAndGet("PRAGMA journal_mode").getString(), "delete");
}

TEST_F(SqliteFaults, AFileOfANewerGlintIsRefused) {
  Open();
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
      .exec("INSERT INTO glint_schema (version, applied_us) VALUES (1000, 0)");
  EXPECT_THAT(OpenSqliteJobs(file_, {}), FailsWith(ServiceReason::kJobStoreUnavailable,
                                                   AllOf(HasSubstr("1000"), HasSubstr("newer"))));
}

TEST_F(SqliteFaults, AFileThatMayNotBeWrittenIsRefused) {
  Open();
  const WithoutRootRights nobody;
  if (geteuid() == 65534) {
    EXPECT_THAT(OpenSqliteJobs(file_, {}),
                FailsWith(ServiceReason::kJobStoreUnavailable, HasSubstr("jobs.db")));
  }
  EXPECT_THAT(OpenSqliteJobs("/proc/no/jobs.db", {}),
              FailsWith(ServiceReason::kJobStoreUnavailable, _));
}

/// In a process of its own, because of the limit: submits until the disk is "full" and writes the
/// number of acknowledged jobs to `report`.
[[noreturn]] void FillDisk(const std::filesystem::path& file, int report) {
  std::signal(SIGXFSZ, SIG_IGN);
  const auto store = OpenSqliteJobs(file, {.queue_capacity = 1'000'000});
  if (!store.ok()) _exit(1);
  const rlimit limit{.rlim_cur = 1'500'000, .rlim_max = 1'500'000};
  setrlimit(RLIMIT_FSIZE, &limit);
  for (int i = 0; i < 100'000; ++i) {
    const auto submitted =
        (*store)->Submit({"scan-" + std::to_string(i), std::string(2000, 'r'), ""});
    if (submitted.ok()) continue;
    const bool full = ReasonOf(submitted.status()) == Reason::kDiskFull;
    const bool readable = (*store)->Get("scan-0").ok();
    if (write(report, &i, sizeof i) != sizeof i) _exit(2);
    _exit(full && readable ? 0 : 3);
  }
  _exit(4);
}

TEST_F(SqliteFaults, AFullDiskIsSaidSoAndLosesNothing) {
  int report[2];
  ASSERT_EQ(pipe(report), 0);
  const pid_t child = fork();
  if (child == 0) FillDisk(file_, report[1]);
  close(report[1]);
  int acknowledged = 0;
  EXPECT_EQ(read(report[0], &acknowledged, sizeof acknowledged),
            static_cast<ssize_t>(sizeof acknowledged));
  close(report[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_GT(acknowledged, 10);
  const auto store = Open();
  EXPECT_EQ(store->Counts()->queued, acknowledged);
  EXPECT_THAT(store->Submit({"after", "r", ""}), IsOk());
}

}  // namespace
}  // namespace glint
