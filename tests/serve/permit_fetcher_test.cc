// SPDX-License-Identifier: Apache-2.0
#include "serve/permit_fetcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "support/status_matchers.h"

namespace glint {
namespace {

using namespace std::chrono_literals;

class NoFile final : public FetchedFile {
 public:
  const std::filesystem::path& path() const override { return path_; }

 private:
  std::filesystem::path path_ = "file";
};

/// "slow" comes when it is let go, everything else at once.
class Source final : public Fetcher {
 public:
  absl::StatusOr<std::unique_ptr<FetchedFile>> Fetch(std::string_view input,
                                                     const FetchProgress& /*progress*/,
                                                     const CancelToken& /*cancel*/) override {
    if (input == "slow") come_.get_future().wait();
    return std::make_unique<NoFile>();
  }
  void LetGo() { come_.set_value(); }

 private:
  std::promise<void> come_;
};

TEST(PermitFetcher, ASlowSourceHoldsNoPermit) {
  Source source;
  const auto fetcher = MakePermitFetchers(source, 1).usual;
  std::jthread slow([&] { EXPECT_THAT(fetcher->Fetch("slow", {}, {}), IsOk()); });
  for (int i = 0; i < 10; ++i) EXPECT_THAT(fetcher->Fetch("quick", {}, {}), IsOk());
  source.LetGo();
}

TEST(PermitFetcher, AsManyScansComputeAsThereArePermits) {
  Source source;
  const auto fetcher = MakePermitFetchers(source, 2).usual;
  std::atomic<int> busy = 0;
  std::atomic<int> most = 0;
  {
    std::vector<std::jthread> scans;
    scans.reserve(8);
    for (int i = 0; i < 8; ++i) {
      scans.emplace_back([&] {
        const auto file = fetcher->Fetch("quick", {}, {});
        EXPECT_THAT(file, IsOk());
        most = std::max(most.load(), ++busy);
        std::this_thread::sleep_for(20ms);
        --busy;
      });
    }
  }
  EXPECT_EQ(most, 2);
}

TEST(PermitFetcher, WhoWaitsForAPermitCanBeStopped) {
  Source source;
  const auto fetcher = MakePermitFetchers(source, 1).usual;
  const auto held = fetcher->Fetch("quick", {}, {});
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] {
    return fetcher->Fetch("quick", {}, CancelToken(stop.get_token())).status();
  });
  EXPECT_EQ(waiting.wait_for(100ms), std::future_status::timeout);
  stop.request_stop();
  EXPECT_THAT(waiting.get(), FailsWith(Reason::kCancelled, testing::_));
}

TEST(PermitFetcher, WhoseWorkerHasDiedRunsBesideNoOther) {
  Source source;
  const PermitFetchers fetchers = MakePermitFetchers(source, 2);
  auto held = fetchers.usual->Fetch("quick", {}, {});
  auto alone =
      std::async(std::launch::async, [&] { return fetchers.alone->Fetch("quick", {}, {}); });
  EXPECT_EQ(alone.wait_for(100ms), std::future_status::timeout) << "another runs";
  auto later =
      std::async(std::launch::async, [&] { return fetchers.usual->Fetch("quick", {}, {}); });
  EXPECT_EQ(later.wait_for(100ms), std::future_status::timeout) << "nobody overtakes it";
  held->reset();
  auto file = alone.get();
  EXPECT_EQ(later.wait_for(100ms), std::future_status::timeout) << "it runs alone";
  file->reset();
  EXPECT_THAT(later.get(), IsOk());
}

}  // namespace
}  // namespace glint
