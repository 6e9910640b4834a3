// SPDX-License-Identifier: Apache-2.0
#include "observe/line_queue.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace glint {
namespace {

using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

class LineQueueTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(pipe2(pipe_.data(), O_CLOEXEC), 0); }
  void TearDown() override {
    for (const int end : pipe_) {
      if (end >= 0) close(end);
    }
  }
  std::string ReadAll() {
    close(std::exchange(pipe_[1], -1));
    std::string all;
    std::array<char, 4096> piece{};
    for (ssize_t got = 0; (got = read(pipe_[0], piece.data(), piece.size())) > 0;) {
      all.append(piece.data(), static_cast<std::size_t>(got));
    }
    return all;
  }
  std::array<int, 2> pipe_{-1, -1};
};

TEST_F(LineQueueTest, WritesLinesInOrder) {
  {
    LineQueue queue(pipe_[1]);
    EXPECT_TRUE(queue.Push("one"));
    EXPECT_TRUE(queue.Push("two"));
  }
  EXPECT_EQ(ReadAll(), "one\ntwo\n");
}

TEST_F(LineQueueTest, NobodyWaitsForAReaderThatDoesNotCome) {
  const auto start = Clock::now();
  const auto lost_before = LostLogLines();
  {
    LineQueue queue(pipe_[1], 100);
    for (int i = 0; i < 10'000; ++i) queue.Push(std::string(200, 'x'));
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
    EXPECT_GT(LostLogLines(), lost_before + 5'000);
  }
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(8)) << "nor at the end";
  // What was left behind ends when the pipe does.
  close(std::exchange(pipe_[0], -1));
}

TEST_F(LineQueueTest, WritesNothingOnceItHasBeenLeft) {
  {
    LineQueue queue(pipe_[1], 100);
    for (int i = 0; i < 200; ++i) queue.Push(std::string(60'000, 'x'));
  }
  std::array<int, 2> other{};  // takes the number of the descriptor
  ASSERT_EQ(pipe2(other.data(), O_CLOEXEC), 0);
  ASSERT_EQ(dup2(other[1], pipe_[1]), pipe_[1]);
  close(std::exchange(pipe_[0], -1));  // ends the write() that waited
  pollfd arrived{.fd = other[0], .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&arrived, 1, 300), 0) << "lines in a file that has nothing to do with them";
  for (const int end : other) close(end);
}

TEST_F(LineQueueTest, SaysHowManyLinesAreMissing) {
  std::string all;
  {
    LineQueue queue(pipe_[1], 4);
    std::int64_t taken = 0;
    while (queue.Push(std::string(60'000, 'y'))) ++taken;  // until the pipe and the queue are full
    EXPECT_GT(taken, 3);
    // A pipe gives as little at a time as it likes; each line that was taken comes, and that one.
    std::array<char, 1 << 17> piece{};
    while (std::count(all.begin(), all.end(), '\n') < taken + 1) {
      const auto got = read(pipe_[0], piece.data(), piece.size());
      ASSERT_GT(got, 0);
      all.append(piece.data(), static_cast<std::size_t>(got));
    }
  }
  EXPECT_THAT(all, HasSubstr("1 lines of the log were lost here"));
}

}  // namespace
}  // namespace glint
