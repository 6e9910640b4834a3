// SPDX-License-Identifier: Apache-2.0
#include "scan/put_all.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "glint/error.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Keeps the names it was given; fails for some of them.
class NamesOnly final : public Publication {
 public:
  explicit NamesOnly(std::set<std::string> failing = {}) : failing_(std::move(failing)) {}

  absl::Status Put(std::string_view name, std::span<const std::byte> content,
                   std::string_view content_type) override {
    const std::scoped_lock lock(mutex_);
    names_.insert(std::string(name) + " " + std::string(content_type) + " " +
                  std::to_string(content.size()));
    if (!failing_.contains(std::string(name))) return absl::OkStatus();
    return Error(Reason::kOutputUnwritable, "no " + std::string(name));
  }
  absl::Status Commit() override { return absl::OkStatus(); }

  const std::multiset<std::string>& names() const { return names_; }

 private:
  const std::set<std::string> failing_;
  std::mutex mutex_;
  std::multiset<std::string> names_;
};

std::vector<Artifact> Artifacts(int count) {
  std::vector<Artifact> artifacts;
  artifacts.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    artifacts.push_back({std::string(1, static_cast<char>('a' + i)),
                         std::vector<std::byte>(static_cast<std::size_t>(i)), "image/png"});
  }
  return artifacts;
}

TEST(PutAll, StoresEachOnceAndTellsHowManyAreStored) {
  NamesOnly publication;
  std::vector<std::size_t> told;
  EXPECT_THAT(PutAll(Artifacts(7), publication, {}, [&](std::size_t n) { told.push_back(n); }),
              IsOk());
  EXPECT_THAT(publication.names(),
              ElementsAre("a image/png 0", "b image/png 1", "c image/png 2", "d image/png 3",
                          "e image/png 4", "f image/png 5", "g image/png 6"));
  EXPECT_THAT(told, ElementsAre(1, 2, 3, 4, 5, 6, 7));
}

TEST(PutAll, FailsAsTheFirstThatCannotBeStoredDoes) {
  NamesOnly publication({"c", "d", "l"});
  std::vector<std::size_t> told;
  EXPECT_THAT(PutAll(Artifacts(26), publication, {}, [&](std::size_t n) { told.push_back(n); }),
              FailsWith(Reason::kOutputUnwritable, HasSubstr("no c")));
  EXPECT_THAT(told, ElementsAre(1, 2));
  EXPECT_LT(publication.names().size(), 20U);  // those behind it were not begun
}

TEST(PutAll, BeginsNothingWhenCancelled) {
  std::stop_source stop;
  stop.request_stop();
  NamesOnly publication;
  EXPECT_EQ(
      PutAll(Artifacts(3), publication, CancelToken(stop.get_token()), [](std::size_t) {}).code(),
      absl::StatusCode::kCancelled);
  EXPECT_TRUE(publication.names().empty());
}

}  // namespace
}  // namespace glint
