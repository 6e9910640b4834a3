// SPDX-License-Identifier: Apache-2.0
// What can go wrong with a PostgreSQL server and the way to it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "jobs/postgres_connection.h"
#include "jobs/postgres_jobs.h"
#include "support/cut_proxy.h"
#include "support/postgres_server.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::_;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

bool Within(std::chrono::seconds time, const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(20ms);
  }
  return true;
}

class PostgresFaults : public testing::Test {
 protected:
  void SetUp() override {
    server_ = TestPostgres::Get();
    if (server_ == nullptr) {
      GTEST_SKIP() << "PostgreSQL is not installed (scripts/setup.sh --tests)";
    }
    url_ = server_->MakeDatabase();
  }
  static std::unique_ptr<JobStore> Open(const std::string& url,
                                        const PostgresJobsOptions& options = {}) {
    auto store = OpenPostgresJobs(url, {}, options);
    EXPECT_THAT(store, IsOk());
    return *std::move(store);
  }

  TestPostgres* server_ = nullptr;
  std::string url_;
};

TEST_F(PostgresFaults, AServerThatIsAwayIsWaitedForAndItsJobsGoOn) {
  const auto own = TestPostgres::Start();
  ASSERT_TRUE(own);
  const std::string url = own->MakeDatabase();
  own->Kill();
  const auto away =
      FailsWith(ServiceReason::kJobStoreUnavailable,
                AllOf(HasSubstr("127.0.0.1"), HasSubstr("submitting a scan"), HasSubstr("again")));
  const auto store = Open(url);  // also when it starts
  EXPECT_THAT(store->Submit({"a", "r", ""}), away);
  ASSERT_TRUE(own->Restart());
  ASSERT_THAT(store->Submit({"a", "r", ""}), IsOk());
  std::atomic<int> heard = 0;
  const auto subscription =
      store->Subscribe([&](const std::string&) { ++heard; }, JobChanges::kAll);
  const auto claimed = store->Claim("worker", 1h);
  ASSERT_THAT(claimed, IsOk());
  own->Kill();
  EXPECT_THAT(store->Heartbeat((*claimed)->lease, 1h),
              FailsWith(ServiceReason::kJobStoreUnavailable, _));
  ASSERT_TRUE(own->Restart());
  EXPECT_THAT(store->Heartbeat((*claimed)->lease, 1h), IsOk());
  // Those who listen catch up with what was said while nobody could listen.
  const int before = heard;
  const auto other = Open(url);
  ASSERT_THAT(other->Submit({"b", "r", ""}), IsOk());
  EXPECT_TRUE(Within(20s, [&] { return heard > before; }));
  EXPECT_THAT(store->Complete((*claimed)->lease, "result"), IsOk());
}

TEST_F(PostgresFaults, IdleConnectionsThatTheServerEndedCostNoCall) {
  const auto store = Open(url_);
  ASSERT_THAT(store->Submit({"a", "r", ""}), IsOk());
  RunSql(server_->AdministratorUrl(url_),
         "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
         "current_database() AND pid <> pg_backend_pid()");
  EXPECT_THAT(store->Get("a"), IsOk());
  EXPECT_THAT(store->Cancel("a"), IsOk());
}

TEST_F(PostgresFaults, ACutConnectionLosesNothingAndIsMadeAgain) {
  CutProxy proxy(server_->port());
  const auto direct = Open(url_);
  const auto store = Open(fmt::format("postgresql://glint@127.0.0.1:{}/{}", proxy.port(),
                                      url_.substr(url_.rfind('/') + 1)));
  std::atomic<int> heard = 0;
  const auto subscription =
      store->Subscribe([&](const std::string&) { ++heard; }, JobChanges::kAll);
  ASSERT_THAT(store->Submit({"a", "r", ""}), IsOk());
  EXPECT_TRUE(Within(20s, [&] { return heard == 1; }));
  proxy.Cut();
  EXPECT_THAT(store->Submit({"b", "r", ""}), FailsWith(ServiceReason::kJobStoreUnavailable, _));
  ASSERT_THAT(direct->Submit({"c", "r", ""}), IsOk());
  std::this_thread::sleep_for(1s);
  proxy.PassOn();
  EXPECT_THAT(store->Submit({"b", "r", ""}), IsOk());
  EXPECT_TRUE(Within(20s, [&] { return heard == 3; })) << "of what others did meanwhile, too";
}

TEST_F(PostgresFaults, WhoCouldNotListenAtTheStartHearsOfAllThatHappenedSince) {
  CutProxy proxy(server_->port());
  proxy.Cut();
  const auto store =
      Open(url_, {.listen_url = fmt::format("postgresql://glint@127.0.0.1:{}/{}", proxy.port(),
                                            url_.substr(url_.rfind('/') + 1))});
  std::atomic<int> heard = 0;
  const auto subscription =
      store->Subscribe([&](const std::string&) { ++heard; }, JobChanges::kAll);
  ASSERT_THAT(Open(url_)->Submit({"a", "r", ""}), IsOk());
  proxy.PassOn();
  EXPECT_TRUE(Within(20s, [&] { return heard == 1; }));
}

TEST_F(PostgresFaults, AServerThatSaysNothingIsGivenUp) {
  CutProxy proxy(server_->port());
  const auto store = Open(fmt::format("postgresql://glint@127.0.0.1:{}/{}", proxy.port(),
                                      url_.substr(url_.rfind('/') + 1)),
                          {.answer_within = 300ms});
  ASSERT_THAT(store->Submit({"a", "r", ""}), IsOk());
  proxy.Swallow();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(store->Get("a"), FailsWith(ServiceReason::kJobStoreUnavailable, _));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 2s);
  proxy.PassOn();
  EXPECT_THAT(store->Get("a"), IsOk());
}

TEST_F(PostgresFaults, ALateWorkersWritesAreRefused) {
  const auto frozen = Open(url_);
  const auto successor = Open(url_);
  ASSERT_THAT(frozen->Submit({"a", "r", ""}), IsOk());
  const auto late = frozen->Claim("frozen", 100ms);
  ASSERT_THAT(late, IsOk());
  std::this_thread::sleep_for(150ms);
  const auto claimed = successor->Claim("successor", 1h);
  ASSERT_THAT(claimed, IsOk());
  ASSERT_TRUE(*claimed);
  EXPECT_THAT(frozen->Heartbeat((*late)->lease, 1h), FailsWith(ServiceReason::kClaimLost, _));
  EXPECT_THAT(frozen->Complete((*late)->lease, "late"), FailsWith(ServiceReason::kClaimLost, _));
  EXPECT_THAT(successor->Complete((*claimed)->lease, "result"), IsOk());
  EXPECT_EQ(successor->Get("a")->result, "result");
}

TEST_F(PostgresFaults, WhoNeverGetsInIsToldAtOnceAndNotHisPassword) {
  const auto refused = [&](const std::string& user, const std::string& database,
                           std::string_view why) {
    const std::string url =
        fmt::format("postgresql://{}:pass-word@127.0.0.1:{}/{}", user, server_->port(), database);
    EXPECT_THAT(OpenPostgresJobs(url, {}),
                FailsWith(ServiceReason::kJobStoreUnavailable,
                          AllOf(HasSubstr(std::string(why)), Not(HasSubstr("pass-word")))));
  };
  refused("nobody_knows", "postgres", "create the database and the role");
  refused("glint", "no_such_database", "create the database and the role");
  for (const char* url : {"", "jobs.sqlite", "mysql://a:pass-word@host/b",
                          "postgresql://a:pass-word@host/b?no_such_option=1"}) {
    EXPECT_THAT(OpenPostgresJobs(url, {}),
                FailsWith(Reason::kInvalidOption,
                          AllOf(HasSubstr("postgresql://"), Not(HasSubstr("pass-word")))))
        << url;
  }
}

TEST_F(PostgresFaults, AUrlIsShownWithoutWhoAndHow) {
  const auto url = ReadPostgresUrl(
      "postgresql://who:secret-word@one:5433,two:5434/jobs?sslmode=verify-full&passfile=/x");
  ASSERT_THAT(url, IsOk());
  EXPECT_EQ(url->shown, "postgresql://one,two:5433,5434/jobs");
  EXPECT_EQ(url->password, "secret-word");
}

TEST_F(PostgresFaults, AServerWithoutAConnectionLeftIsNamed) {
  const auto store = Open(url_);
  RunSql(url_,
         fmt::format("ALTER DATABASE {} CONNECTION LIMIT 0", url_.substr(url_.rfind('/') + 1)));
  const auto late = Open(url_);
  EXPECT_THAT(late->Submit({"a", "r", ""}),
              FailsWith(ServiceReason::kJobStoreUnavailable, HasSubstr("PgBouncer")));
  RunSql(server_->AdministratorUrl(url_),
         fmt::format("ALTER DATABASE {} CONNECTION LIMIT -1", url_.substr(url_.rfind('/') + 1)));
  EXPECT_THAT(late->Submit({"a", "r", ""}), IsOk());
}

TEST_F(PostgresFaults, AStandbyIsNamedAndTheNextHostIsTaken) {
  Open(url_);
  const std::string database = url_.substr(url_.rfind('/') + 1);
  RunSql(url_, fmt::format("ALTER DATABASE {} SET default_transaction_read_only = on", database));
  const auto store = Open(url_);
  EXPECT_THAT(store->Submit({"a", "r", ""}),
              FailsWith(ServiceReason::kJobStoreUnavailable,
                        AllOf(HasSubstr("read-only"), HasSubstr("hosts"))));
  RunSql(url_ + "?options=-cdefault_transaction_read_only%3Doff",
         fmt::format("ALTER DATABASE {} RESET default_transaction_read_only", database));
  EXPECT_THAT(store->Submit({"a", "r", ""}), IsOk());
  // The first host is not there: the second one is.
  const auto hosts = Open(
      fmt::format("postgresql://glint@127.0.0.1:1,127.0.0.1:{}/{}", server_->port(), database));
  EXPECT_THAT(hosts->Get("a"), IsOk());
}

TEST_F(PostgresFaults, AFullDiskOfTheServerIsNamedAndLosesNothing) {
  const auto store = Open(url_);
  ASSERT_THAT(store->Submit({"a", "r", ""}), IsOk());
  RunSql(url_,
         "CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION "
         "'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$");
  RunSql(url_,
         "CREATE TRIGGER full_disk BEFORE INSERT ON glint_events FOR EACH STATEMENT EXECUTE "
         "FUNCTION no_space()");
  EXPECT_THAT(store->Submit({"b", "r", ""}),
              FailsWith(Reason::kDiskFull, AllOf(HasSubstr("server"), HasSubstr("53100"))));
  RunSql(url_, "DROP TRIGGER full_disk ON glint_events");
  EXPECT_THAT(store->Get("b"), FailsWith(ServiceReason::kScanNotFound, _)) << "not half of it";
  EXPECT_THAT(store->Submit({"b", "r", ""}), IsOk());
}

TEST_F(PostgresFaults, TextThatIsNoUtf8IsKeptAsTextAndBytesAsTheyAre) {
  const auto store = Open(url_);
  const std::string bytes("\0\xff\\x'", 5);
  ASSERT_THAT(store->Submit({"a", bytes, "caf\xe9"}), IsOk());
  const auto claimed = store->Claim("worker", 1h);
  ASSERT_THAT(claimed, IsOk());
  ASSERT_THAT(store->Fail((*claimed)->lease,
                          {Reason::kNotAVideo, std::string("a\0b \xff 'quoted' \\", 16)}),
              IsOk());
  EXPECT_EQ(store->Get("a")->request, bytes);
  EXPECT_EQ(store->Get("a")->shown_url, "caf\xEF\xBF\xBD");
  EXPECT_EQ(store->Get("a")->failure.value_or(JobFailure{}).message,
            "a\xEF\xBF\xBD"
            "b \xEF\xBF\xBD 'quoted' \\");
}

}  // namespace
}  // namespace glint
