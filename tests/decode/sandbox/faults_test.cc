// SPDX-License-Identifier: Apache-2.0
// A child that dies, hangs or uses too much costs one video, and leaves nothing behind.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "decode/child/confine.h"
#include "decode/sandbox/child_process.h"
#include "decode/sandbox/child_roles.h"
#include "decode/sandbox/processes.h"
#include "decode/sandbox/video_opener.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"
#include "support/test_video.h"

namespace glint {
namespace {

using testing::HasSubstr;
using Clock = CancelToken::Clock;

class Faults : public testing::Test {
 protected:
  Faults() { WriteTestVideo(file_, {.size = {128, 96}, .frames = 40}, FillPattern); }
  ~Faults() override {
    EXPECT_TRUE(Children().empty());
    EXPECT_EQ(OpenDescriptors(), descriptors_);
    EXPECT_EQ(SharedMappings(), 0U);
  }

  /// Opens and decodes to the end or the first error.
  absl::Status DecodeAll(const SandboxOptions& sandbox, const CancelToken& cancel = {}) {
    auto video = OpenVideoInSandbox(file_, {}, cancel, sandbox);
    absl::Status status = video.status();
    while (status.ok()) {
      const auto frame = (*video)->Next();
      status = frame.status();
      if (frame.ok() && !frame->has_value()) break;
    }
    return status;
  }

  const std::size_t descriptors_ = OpenDescriptors();
  const TempFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "a.mp4";
};

TEST_F(Faults, ThatEndTheChildAreNamed) {
  const auto died = [](const char* words) {
    return FailsWith(Reason::kDecoderDied, HasSubstr(words));
  };
  EXPECT_THAT(DecodeAll(WithRole("exits")), died("ended with code 7"));
  EXPECT_THAT(DecodeAll(WithRole("exits-later")), died("ended with code 7"));
  EXPECT_THAT(DecodeAll(WithRole("says-last-words")), died("ended with code 7"));
  EXPECT_THAT(DecodeAll(WithRole("hangs-up")), died("hung up, and was stopped"));
  EXPECT_THAT(DecodeAll(WithRole("spins")), died("processor time"));
  EXPECT_THAT(DecodeAll(WithRole("crashes")), died("signal 11"));
}

TEST_F(Faults, OfAChildThatHangsEndInTime) {
  for (const char* role : {"hangs", "hangs-before-start", "hangs-later", "deaf"}) {
    SCOPED_TRACE(role);
    SandboxOptions sandbox = WithRole(role);
    sandbox.patience = std::chrono::seconds(1);
    EXPECT_THAT(DecodeAll(sandbox), FailsWith(Reason::kDecoderDied, HasSubstr("hung")));
  }
  SandboxOptions sandbox = WithRole("alive-for-ever");
  sandbox.patience = std::chrono::seconds(1);
  sandbox.cpu_s = 1;
  EXPECT_THAT(DecodeAll(sandbox), FailsWith(Reason::kDecoderDied, HasSubstr("hung")));
}

// Not every system has a limit for it: there the worker counts.
TEST_F(Faults, OfAChildInTooManyThreadsEndSoon) {
  const auto start = Clock::now();
  EXPECT_THAT(DecodeAll(WithRole("in-many-threads")),
              FailsWith(Reason::kDecoderDied, HasSubstr("more threads than it may")));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(60)) << "its patience is 120 s";
}

TEST_F(Faults, AreNeededForNoCancellation) {
  std::stop_source stop;
  {
    auto source = OpenVideoInSandbox(file_, {}, CancelToken(stop.get_token()), {});
    ASSERT_THAT(source, IsOk());
    ASSERT_THAT((*source)->Next(), IsOk());
    stop.request_stop();
    EXPECT_THAT((*source)->Next(), FailsWith(Reason::kCancelled, HasSubstr("")));
  }
  EXPECT_THAT(DecodeAll({}, CancelToken(stop.get_token())),
              FailsWith(Reason::kCancelled, HasSubstr("")));
  const CancelToken late({}, Clock::now());
  EXPECT_THAT(DecodeAll({}, late), FailsWith(Reason::kDeadlineExceeded, HasSubstr("")));
}

TEST_F(Faults, GiveWayToCancellationAndDeadline) {
  for (const char* role : {"hangs", "hangs-before-start", "hangs-later"}) {
    SCOPED_TRACE(role);
    const CancelToken late({}, Clock::now() + std::chrono::milliseconds(200));
    EXPECT_THAT(DecodeAll(WithRole(role), late),
                FailsWith(Reason::kDeadlineExceeded, HasSubstr("")));
    std::stop_source stop;
    const std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      stop.request_stop();
    });
    EXPECT_THAT(DecodeAll(WithRole(role), CancelToken(stop.get_token())),
                FailsWith(Reason::kCancelled, HasSubstr("")));
  }
}

TEST_F(Faults, KillTheChildAtAnyMoment) {
  std::mt19937 random(7);
  int died = 0;
  for (int round = 0; round < 40; ++round) {
    std::stop_source done;
    const auto delay = std::chrono::microseconds(random() % 60'000);
    std::jthread killer([&, delay] {
      std::this_thread::sleep_for(delay);
      for (const pid_t child : Children()) kill(child, SIGKILL);
    });
    const absl::Status status = DecodeAll({});
    killer.join();
    if (status.ok()) continue;
    ++died;
    EXPECT_THAT(status, FailsWith(Reason::kDecoderDied, HasSubstr("killed")));
  }
  EXPECT_GT(died, 0);
}

TEST_F(Faults, LeaveTheFramesThatCameBefore) {
  std::vector<VideoFrame> frames;
  std::vector<Plane> colours;
  {
    auto video = OpenVideoInSandbox(file_, {}, {}, {});
    ASSERT_THAT(video, IsOk());
    for (int i = 0; i < 3; ++i) {
      auto frame = (*video)->Next();
      ASSERT_THAT(frame, IsOk());
      frames.push_back(**std::move(frame));
      colours.push_back(frames.back().picture->ToRgb());
    }
    for (const pid_t child : Children()) kill(child, SIGKILL);
    absl::Status status;
    for (int i = 0; i < 10 && status.ok(); ++i) status = (*video)->Next().status();
    EXPECT_THAT(status, FailsWith(Reason::kDecoderDied, HasSubstr("killed")));
    EXPECT_THAT((*video)->Next(), FailsWith(Reason::kDecoderDied, HasSubstr("killed")));
  }
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Plane again = frames[i].picture->ToRgb();
    EXPECT_EQ(std::memcmp(again.data(), colours[i].data(), std::size_t{128} * 3), 0);
  }
}

TEST_F(Faults, OfTheSandboxItselfDependOnTheMode) {
  const SandboxOptions broken = WithRole("dies-confined");
  std::vector<std::string> warnings;
  const auto opener = [&](SandboxMode mode, const SandboxOptions& sandbox) {
    const auto warn = [&](std::string_view text) { warnings.emplace_back(text); };
    return OpenerWith({.sandbox = mode, .warn = warn}, sandbox);
  };
  const auto automatic = opener(SandboxMode::kAuto, broken);
  EXPECT_THAT(automatic(file_, {}, {}), IsOk());
  EXPECT_THAT(automatic(file_, {}, {}), IsOk());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("without the sandbox"));
  EXPECT_THAT(opener(SandboxMode::kOn, broken)(file_, {}, {}),
              FailsWith(Reason::kDeviceUnavailable, HasSubstr("sandbox")));
  // A video that kills its decoder is not tried again outside.
  EXPECT_THAT(
      opener(SandboxMode::kAuto, WithRole("hangs-later"))(folder_.path() / "none.mp4", {}, {}),
      FailsWith(Reason::kInputNotFound, HasSubstr("none.mp4")));
  const auto crashing = opener(SandboxMode::kAuto, WithRole("frame-first"));
  EXPECT_THAT(crashing(file_, {}, {}), FailsWith(Reason::kDecoderDied, HasSubstr("nonsense")));
  EXPECT_EQ(warnings.size(), 1U);
  // What is to run without it says so before the first video.
  const auto off = opener(SandboxMode::kOff, broken);
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_THAT(warnings[1], HasSubstr("without the sandbox: --decode-sandbox=off"));
  EXPECT_THAT(off(file_, {}, {}), IsOk());
}

TEST_F(Faults, OfTheDriverLeaveTheVideoToTheCpu) {
  for (const DecodeMode decode : {DecodeMode::kNvdec, DecodeMode::kCpu}) {
    bool started = false;
    auto video =
        OpenVideoInSandbox(file_, {.decode = decode}, {}, WithRole("crashes-with-nvdec"), &started);
    ASSERT_THAT(video, IsOk());
    EXPECT_TRUE(started);
    EXPECT_EQ((*video)->info().decoder, "cpu");
    EXPECT_THAT((*video)->info().decoder_why,
                decode == DecodeMode::kCpu
                    ? HasSubstr("asked for")
                    : HasSubstr("nvdec was asked for, but the decoder's process crashed"));
    EXPECT_THAT((*video)->Next(), IsOk());
  }
  // A child that has crashed with nothing but the CPU is not tried a third time.
  EXPECT_THAT(OpenVideoInSandbox(file_, {.decode = DecodeMode::kNvdec}, {}, WithRole("exits")),
              FailsWith(Reason::kDecoderDied, HasSubstr("code 7")));
}

TEST_F(Faults, LeaveNothingBehindAfterManyVideos) {
  std::int64_t resident_before = 0;
  for (int round = 0; round < 200; ++round) {
    auto video = OpenVideoInSandbox(file_, {.threads = 1}, {}, {});
    ASSERT_THAT(video, IsOk());
    std::vector<VideoFrame> frames;
    for (int i = 0; i < round % 5; ++i) {
      auto frame = (*video)->Next();
      ASSERT_THAT(frame, IsOk());
      frames.push_back(**std::move(frame));
    }
    video->reset();
    frames.clear();
    EXPECT_TRUE(Children().empty());
    EXPECT_EQ(OpenDescriptors(), descriptors_);
    EXPECT_EQ(SharedMappings(), 0U);
    if (round == 20) resident_before = ResidentBytes();
  }
  EXPECT_LT(ResidentBytes(), resident_before + (sandbox::kSanitized ? 64 << 20 : 4 << 20));
}

TEST_F(Faults, OfOneVideoDoNotTouchOthers) {
  std::vector<std::jthread> threads;
  threads.reserve(4);
  std::atomic<int> sound = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const bool lies = i % 2 == 1;
      for (int round = 0; round < 3; ++round) {
        const absl::Status status = DecodeAll(lies ? WithRole("stride-huge") : SandboxOptions{});
        if (status.ok() != lies) ++sound;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(sound, 12);
}

}  // namespace
}  // namespace glint
