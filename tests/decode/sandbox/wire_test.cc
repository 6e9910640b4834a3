// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/wire.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "decode/child/libav_picture.h"
#include "decode/sandbox/frame_check.h"

/// tests/fuzz/wire_fuzzer.cc
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace glint::sandbox {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<ChildMessage> ChildMessages() {
  return {Ready{.missing = "a, b",
                .ffmpeg = "5.1",
                .decodable = {true, false, true},
                .accelerated = true,
                .decoder_why = "asked for"},
          Alive{},
          NeedSlot{123'456},
          Starved{},
          Opened{.container = "avi",
                 .codec = "h264",
                 .pixel_format = "gray",
                 .coded_size = {640, 480},
                 .orientation = {.transpose = true, .flip_y = true},
                 .frames = 7,
                 .duration_s = 1.25,
                 .frames_per_s = 29.97,
                 .full_range = true,
                 .truncated = true,
                 .decoder = "nvdec",
                 .decoder_why = "asked for",
                 .warnings = {"one", ""}},
          Frame{.slot = 3,
                .layout = {.components = {{{0, 2, 0, 6}, {1, 4, 0, 6}, {1, 4, 2, 6}}},
                           .depth = 10,
                           .chroma_shift_x = 1,
                           .chroma_shift_y = 2},
                .matrix = ColorMatrix::kFcc,
                .chroma_site = ChromaSite::kTopLeft,
                .full_range = true,
                .timestamp_us = 4,
                .damaged = 5,
                .offset = {6, 7, 8, 9},
                .stride = {-10, 11, 12, 13}},
          Ended{.damaged = 2, .warnings = {"three"}},
          Failed{"CORRUPT_VIDEO", std::string(5000, 'x')}};
}

std::vector<WorkerMessage> WorkerMessages() {
  return {Start{.name = "'a.mp4'",
                .limits = {},
                .threads = 2,
                .rotation = 270,
                .memory_bytes = 3,
                .cpu_s = 4,
                .decode = DecodeMode::kNvdec},
          SlotGiven{5, 6}, SlotRefused{}, More{7, {0, 511, 3}}};
}

TEST(Wire, CarriesEveryMessageWhole) {
  for (const ChildMessage& message : ChildMessages()) {
    const auto parsed = ParseChildMessage(Serialise(message));
    ASSERT_TRUE(parsed) << message.index();
    EXPECT_EQ(parsed->index(), message.index());
    EXPECT_EQ(Serialise(*parsed), Serialise(message));
  }
  for (const WorkerMessage& message : WorkerMessages()) {
    const auto parsed = ParseWorkerMessage(Serialise(message));
    ASSERT_TRUE(parsed) << message.index();
    EXPECT_EQ(Serialise(*parsed), Serialise(message));
  }
  const auto opened = ParseChildMessage(Serialise(ChildMessages()[4]));
  EXPECT_EQ(std::get<Opened>(*opened).coded_size, (Size{640, 480}));
  EXPECT_EQ(std::get<Opened>(*opened).duration_s, 1.25);
  EXPECT_EQ(std::get<Opened>(*opened).warnings, (std::vector<std::string>{"one", ""}));
  EXPECT_EQ(std::get<Frame>(*ParseChildMessage(Serialise(ChildMessages()[5]))).stride[0], -10);
}

TEST(Wire, RefusesEveryMessageThatIsCutOrLonger) {
  for (const ChildMessage& message : ChildMessages()) {
    const Bytes whole = Serialise(message);
    for (std::size_t kept = 0; kept < whole.size(); ++kept) {
      EXPECT_FALSE(ParseChildMessage(std::span(whole).first(kept))) << message.index();
    }
    Bytes longer = whole;
    longer.push_back(0);
    EXPECT_FALSE(ParseChildMessage(longer)) << message.index();
  }
}

TEST(Wire, RefusesNumbersOutOfRange) {
  const auto refused = [](const ChildMessage& message) {
    return !ParseChildMessage(Serialise(message)).has_value();
  };
  EXPECT_TRUE(refused(NeedSlot{0}));
  EXPECT_TRUE(refused(NeedSlot{-1}));
  EXPECT_TRUE(refused(Frame{.slot = kMaxSlots}));
  EXPECT_TRUE(refused(Frame{.slot = -1}));
  EXPECT_TRUE(refused(Frame{.timestamp_us = -1}));
  EXPECT_TRUE(refused(Frame{.offset = {0, 0, 0, -1}}));
  EXPECT_TRUE(refused(Frame{.stride = {std::numeric_limits<std::int64_t>::min(), 0, 0, 0}}));
  EXPECT_TRUE(refused(Opened{.coded_size = {0, 5}}));
  EXPECT_TRUE(refused(Opened{.coded_size = {5, 5}, .duration_s = std::nan("")}));
  EXPECT_TRUE(refused(Opened{.coded_size = {5, 5}, .duration_s = INFINITY}));
  EXPECT_TRUE(refused(Opened{.coded_size = {5, 5}, .frames_per_s = -1}));
  EXPECT_TRUE(refused(Opened{.coded_size = {5, 5}, .bit_depth = 7}));
  EXPECT_TRUE(refused(Frame{.layout = {.depth = 17}}));
  EXPECT_TRUE(refused(Frame{.layout = {.chroma_shift_x = 3}}));
  EXPECT_TRUE(refused(Frame{.layout = {.components = {{{.plane = kPlanes}}}}}));
  EXPECT_TRUE(refused(Frame{.layout = {.components = {{{.step = 0}}}}}));
  EXPECT_TRUE(refused(Frame{.layout = {.components = {{{.offset = -1}}}}}));
  EXPECT_TRUE(refused(Frame{.matrix = static_cast<ColorMatrix>(6)}));
  EXPECT_TRUE(refused(Frame{.chroma_site = static_cast<ChromaSite>(4)}));
  EXPECT_FALSE(refused(Frame{}));
  EXPECT_FALSE(refused(Opened{.coded_size = {5, 5}}));
}

TEST(Wire, CutsTextsThatAreTooLong) {
  const auto parsed =
      ParseChildMessage(Serialise(ChildMessage(Failed{"x", std::string(1 << 20, 'y')})));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(std::get<Failed>(*parsed).message, std::string(kMaxTextBytes, 'y'));
}

/// A message's bytes with up to three changes.
Bytes Mutant(const std::vector<ChildMessage>& messages, std::mt19937& random) {
  Bytes bytes = Serialise(messages[random() % messages.size()]);
  if (bytes.size() > 200) bytes.resize(200);
  const int changes = static_cast<int>(random() % 4);
  for (int i = 0; i < changes && !bytes.empty(); ++i) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<std::uint8_t>(random());
        break;
      case 1:
        bytes[at] ^= static_cast<std::uint8_t>(1U << (random() % 8));
        break;
      case 2:
        bytes.resize(at);
        break;
      default:
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), 8, 0xFF);
        break;
    }
  }
  return bytes;
}

// Whatever bytes come, the answer is a message that writes the same bytes again, or none.
TEST(Wire, ParsesAnyBytesToThemselvesOrNothing) {
  std::mt19937 random(1);
  const auto messages = ChildMessages();
  int parsed_count = 0;
  for (int round = 0; round < 200'000; ++round) {
    const Bytes bytes = Mutant(messages, random);
    if (const auto parsed = ParseChildMessage(bytes)) {
      ++parsed_count;
      ASSERT_EQ(Serialise(*parsed), bytes);
    }
  }
  EXPECT_GT(parsed_count, 1000) << "the test made hardly any message that is one";
}

// The fuzzer's own checks abort where one does not hold.
TEST(Wire, PassesTheChecksOfItsFuzzer) {
  std::vector<ChildMessage> messages = ChildMessages();
  for (const AVPixelFormat format :
       {AV_PIX_FMT_GRAY8, AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12, AV_PIX_FMT_YUV444P10LE}) {
    Frame frame{
        .layout = *LayoutOf(format), .offset = {0, 2048, 4096, 0}, .stride = {64, 64, 64, 0}};
    std::vector<std::uint8_t> slot(8192);
    ASSERT_TRUE(CheckedPicture(frame, {32, 32}, slot, nullptr)) << format;
    messages.emplace_back(frame);
    constexpr std::int64_t kLastRow = std::int64_t{31} * 64;
    frame.offset = {kLastRow, 2048 + kLastRow, 4096 + kLastRow, 0};  // bottom up
    frame.stride = {-64, -64, -64, 0};
    messages.emplace_back(frame);
  }
  std::mt19937 random(2);
  for (int round = 0; round < 20'000; ++round) {
    const Bytes bytes = Mutant(messages, random);
    ASSERT_EQ(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()), 0);
  }
}

}  // namespace
}  // namespace glint::sandbox
