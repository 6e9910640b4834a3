// SPDX-License-Identifier: Apache-2.0
// `glint serve` and the commands that call it, as processes.
#include "cli/program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "jobs/sqlite_jobs.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

/// A worker of its own, on a free port.
class ServeProgram : public testing::Test {
 protected:
  ServeProgram() { token_file_ = folder_.Write("tokens", kToken).string(); }

  std::unique_ptr<Program> Serve(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"serve",        "--listen", "127.0.0.1:0", "--token-file",
                                          token_file_,    "--json",   "--device",    "cpu",
                                          "--log-format", "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto program = std::make_unique<Program>(arguments, Program::Setting{folder_.path()});
    EXPECT_TRUE(program->WaitFor("\"serving\"") && program->WaitFor("}\n"));
    return program;
  }

  /// The port that it was given: one that is chosen beforehand may be another's by then.
  static int PortOf(const Program& worker) {
    const auto said = Json::parse(Lines(worker.Said()).at(0), nullptr, false);
    return said.is_object() ? said["ports"].at(0).get<int>() : 0;
  }

  Ended Glint(std::vector<std::string> arguments, int port) {
    for (const std::string& more :
         {std::string("--server"), fmt::format("127.0.0.1:{}", port), std::string("--token-file"),
          token_file_, std::string("--json")}) {
      arguments.push_back(more);
    }
    return RunProgram(arguments, {folder_.path()});
  }

  TempFolder folder_;
  std::string token_file_;
};

TEST_F(ServeProgram, ServesDrainsAndEndsWithSuccess) {
  const auto worker = Serve();
  const int port = PortOf(*worker);
  EXPECT_EQ(Glint({"healthcheck"}, port).exit_code, 0);
  // The address refuses connections or does not exist: the scan fails, which is enough here.
  const Ended submitted = Glint({"submit", "http://192.0.2.1:81/a.mp4", "--id", "refused"}, port);
  EXPECT_EQ(submitted.exit_code, 3) << submitted.out << submitted.err;
  EXPECT_THAT(submitted.out, HasSubstr("URL_NOT_ALLOWED"));
  worker->Signal(SIGTERM);
  const Ended ended = worker->Wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(Glint({"healthcheck", "--timeout", "5"}, port).exit_code, 9);
}

TEST_F(ServeProgram, TheClientsCommandsSeeOneScanToItsEnd) {
  const auto worker = Serve({"--allow-source", "127.0.0.1:1"});
  const int port = PortOf(*worker);
  const Ended waited = Glint({"submit", "http://127.0.0.1:1/a.mp4", "--id", "a"}, port);
  ASSERT_EQ(waited.exit_code, 0) << waited.out << waited.err;
  EXPECT_EQ(Json::parse(Lines(waited.out).front())["scan"]["state"], "SCAN_STATE_QUEUED");
  EXPECT_EQ(Glint({"cancel", "a"}, port).exit_code, 0);
  const Ended watched = Glint({"watch", "a"}, port);
  EXPECT_EQ(watched.exit_code, 130) << watched.out << watched.err;
  EXPECT_THAT(watched.out, HasSubstr("SCAN_STATE_CANCELLED"));
  EXPECT_THAT(Glint({"list"}, port).out, HasSubstr("\"scan_id\":\"a\""));
  EXPECT_EQ(Glint({"get", "unknown"}, port).exit_code, 3);
  worker->Signal(SIGTERM);
  EXPECT_EQ(worker->Wait().exit_code, 0);
}

TEST_F(ServeProgram, EveryErrorOfTheConfigurationIsSaidAtOnce) {
  const Ended ended = RunProgram({"serve", "--listen", "0.0.0.0:1", "--lanes", "none", "--tls-cert",
                                  "none", "--drain-grace", "x"},
                                 {folder_.path()});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("--lanes"), HasSubstr("--drain-grace"),
                               HasSubstr("tls.cert"), HasSubstr("0.0.0.0:1")));
}

TEST_F(ServeProgram, TheLogSaysWhoseTokenSubmittedAndCancelled) {
  const auto worker = Serve({"--allow-source", "127.0.0.1:1"});
  const int port = PortOf(*worker);
  EXPECT_EQ(Glint({"submit", "http://127.0.0.1:1/a.mp4?key=hidden", "--id", "a"}, port).exit_code,
            0);
  EXPECT_EQ(Glint({"cancel", "a"}, port).exit_code, 0);
  EXPECT_EQ(Glint({"get", "a"}, port).exit_code, 0);
  worker->Signal(SIGTERM);
  const std::string log = worker->Wait().err;
  const std::string who = fmt::format("by the token in line 1 of {} (ipv4:127.0.0.1:", token_file_);
  EXPECT_THAT(log,
              AllOf(HasSubstr("scan a is queued " + who), HasSubstr("scan a is cancelled " + who),
                    Not(HasSubstr("hidden")), Not(HasSubstr(kToken))));
}

TEST_F(ServeProgram, ATokenFileThatAllMayReadIsWarnedOf) {
  using std::filesystem::perms;
  for (const bool readable : {true, false}) {
    permissions(std::filesystem::path(token_file_), perms(readable ? 0644 : 0640));
    const auto worker = Serve();
    worker->Signal(SIGTERM);
    const Ended ended = worker->Wait();
    EXPECT_EQ(ended.err.find("can read the tokens in") != std::string::npos, readable) << ended.err;
    EXPECT_EQ(Lines(ended.out).size(), 1U) << "nothing but its ports: " << ended.out;
  }
}

TEST_F(ServeProgram, ACrashSaysSoOnStderr) {
  if (kSanitized) GTEST_SKIP() << "sanitizers report crashes themselves";
  const auto worker = Serve();
  worker->Signal(SIGABRT);
  const Ended ended = worker->Wait();
  EXPECT_EQ(ended.exit_code, -SIGABRT);
  EXPECT_THAT(ended.err, HasSubstr("SIGABRT received"));
}

TEST_F(ServeProgram, ASecondWorkerOnTheSameAddressSaysSo) {
  const auto worker = Serve();
  const auto taken = fmt::format("127.0.0.1:{}", PortOf(*worker));
  const Ended second = RunProgram(
      {"serve", "--device", "cpu", "--listen", taken, "--state", "other"}, {folder_.path()});
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, HasSubstr("cannot listen on"));
  worker->Signal(SIGTERM);
  EXPECT_EQ(worker->Wait().exit_code, 0);
}

TEST_F(ServeProgram, AnIdleWorkerEndsByItself) {
  const auto worker = Serve({"--exit-when-idle", "500ms"});
  EXPECT_EQ(worker->Wait().exit_code, 0);
}

TEST_F(ServeProgram, AWorkerThatEndsByItselfLeavesNothingWaiting) {
  for (int round = 0; round < 3; ++round) {
    const auto worker = Serve({"--allow-source", "127.0.0.1:1", "--exit-when-idle", "200ms"});
    const int port = PortOf(*worker);
    // Scans that fail one after the other, with pauses in which it may end, until it takes none.
    constexpr int kDoesNotTakeTheCall = 9;
    int accepted = 0;
    for (; accepted < 30; ++accepted) {
      const auto id = fmt::format("s{}-{}", round, accepted);
      const Ended ended = Glint({"submit", "http://127.0.0.1:1/a.mp4", "--id", id, "--wait"}, port);
      if (ended.exit_code == kDoesNotTakeTheCall) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(100 + 100 * (accepted % 7)));
    }
    EXPECT_LT(accepted, 30) << "it never was idle";
    EXPECT_EQ(worker->Wait().exit_code, 0);
    const auto jobs = OpenSqliteJobs(folder_.path() / "glint-state" / "jobs.sqlite", {});
    ASSERT_TRUE(jobs.ok());
    const auto counts = (*jobs)->Counts();
    ASSERT_TRUE(counts.ok());
    EXPECT_EQ(counts->queued + counts->running, 0) << "of " << accepted << " accepted ones";
  }
}

TEST_F(ServeProgram, SigtermUnderLoadEndsCleanlyAndKeepsWhatWasAccepted) {
  const std::vector<std::string> flags = {"--allow-source", "127.0.0.1:1", "--drain-grace", "1s"};
  auto worker = Serve(flags);
  const int port = PortOf(*worker);
  std::atomic<bool> stop = false;
  std::atomic<int> accepted = 0;
  {
    std::vector<std::jthread> callers;
    callers.reserve(3);
    for (int thread = 0; thread < 3; ++thread) {
      callers.emplace_back([&, thread] {
        for (int i = 0; !stop; ++i) {
          const auto id = fmt::format("s{}-{}", thread, i);
          const Ended ended = Glint({"submit", "http://127.0.0.1:1/a.mp4", "--id", id}, port);
          if (ended.exit_code == 0) ++accepted;
        }
      });
    }
    while (accepted < 5) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    worker->Signal(SIGTERM);
    EXPECT_EQ(worker->Wait().exit_code, 0);
    stop = true;
  }
  worker = Serve(flags);
  const auto listed = Lines(Glint({"list", "--limit", "1000"}, PortOf(*worker)).out);
  EXPECT_EQ(std::ssize(listed), accepted) << "neither more nor fewer than were acknowledged";
  worker->Signal(SIGTERM);
  EXPECT_EQ(worker->Wait().exit_code, 0);
}

}  // namespace
}  // namespace glint
