// SPDX-License-Identifier: Apache-2.0
// What is no usable video: each gets its reason and one sentence that names the file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "decode/decode_all.h"
#include "glint/video.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"
#include "support/test_video.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Fails for that reason, in one line that names the file and has the words.
auto Refused(Reason reason, const std::string& file, const std::string& words) {
  return FailsWith(reason, AllOf(HasSubstr(file), HasSubstr(words), Not(HasSubstr("\n"))));
}

absl::Status Opened(const std::filesystem::path& file, const VideoLimits& limits = {}) {
  return OpenVideoInProcess(file, {.limits = limits}).status();
}

class BadInput : public testing::Test {
 protected:
  std::filesystem::path Path(std::string_view name) const { return folder_.path() / name; }
  const TempFolder folder_;
};

TEST_F(BadInput, ThatIsNoFileIsNamedForWhatItIs) {
  EXPECT_THAT(Opened(Path("none.mp4")),
              Refused(Reason::kInputNotFound, "none.mp4", "does not exist"));
  EXPECT_THAT(Opened(folder_.path()),
              Refused(Reason::kNotAVideo, folder_.path().string(), "is a directory"));
  EXPECT_THAT(Opened("/dev/null"), Refused(Reason::kNotAVideo, "/dev/null", "no regular file"));
  ASSERT_EQ(mkfifo(Path("pipe.mp4").c_str(), 0600), 0);
  EXPECT_THAT(Opened(Path("pipe.mp4")), Refused(Reason::kNotAVideo, "pipe.mp4", "no regular file"));
}

TEST_F(BadInput, WithoutPermissionIsUnreadable) {
  const auto file = folder_.Write("secret.mp4", "x");
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(file, std::filesystem::perms::none);
  const WithoutRootRights nobody;
  EXPECT_THAT(Opened(file), Refused(Reason::kInputUnreadable, "secret.mp4", "permission"));
}

TEST_F(BadInput, OfOtherKindsIsNotAVideo) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"empty.mp4", "", "is empty"},
      {"one.mp4", std::string(1, '\0'), "no video that glint knows"},
      {"text.mp4", "Dear reader,\nthis is no video.\n", "a text file"},
      {"photo.mp4", "\x89PNG\r\n\x1a\n and so on", "a still picture"},
      {"sound.wav", std::string("RIFF\x24\0\0\0WAVEfmt ", 16), "no video that glint knows"},
      {"list.m3u8", "#EXTM3U\n#EXT-X-VERSION:3\nfile:///etc/passwd\n", "playlist"},
      {"bom.m3u8", "\xEF\xBB\xBF\n#EXTM3U\n", "playlist"},
      {"list.txt", "ffconcat version 1.0\nfile a.mp4\n", "playlist"},
      {"list.mpd", "<?xml version=\"1.0\"?>\n<MPD xmlns=\"urn:mpeg:dash\"/>", "playlist"},
      {"list.sdp", "v=0\no=- 0 0 IN IP4 127.0.0.1\n", "playlist"},
      {"list.pls", "[playlist]\nFile1=a.mp4\n", "playlist"},
  };
  for (const auto& [name, content, words] : cases) {
    EXPECT_THAT(Opened(folder_.Write(name, content)), Refused(Reason::kNotAVideo, name, words));
  }
}

TEST_F(BadInput, APlaylistOpensNothingElse) {
  WriteTestVideo(Path("real.mp4"), {}, FillPattern);
  const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(watch, 0);
  ASSERT_GE(inotify_add_watch(watch, Path("real.mp4").c_str(), IN_OPEN | IN_ACCESS), 0);
  const std::string real = Path("real.mp4").string();
  for (const std::string& list : {"#EXTM3U\n#EXTINF:1,\n" + real + "\n#EXT-X-ENDLIST\n",
                                  "ffconcat version 1.0\nfile " + real, "file '" + real + "'\n"}) {
    for (const char* name : {"list.m3u8", "list.ffconcat", "list.mp4"}) {
      EXPECT_THAT(Opened(folder_.Write(name, list)), Refused(Reason::kNotAVideo, name, "playlist"));
    }
  }
  std::array<char, 4096> events{};
  EXPECT_EQ(read(watch, events.data(), events.size()), -1) << "the named file was opened";
  ASSERT_THAT(Opened(Path("real.mp4")), IsOk());
  EXPECT_GT(read(watch, events.data(), events.size()), 0) << "the watch does not work";
  close(watch);
}

TEST_F(BadInput, WithoutAnIndexIsCorrupt) {
  WriteTestVideo(Path("a.mp4"), {}, FillPattern);
  const std::string bytes = ReadBytes(Path("a.mp4"));
  const std::size_t moov = bytes.find("moov");
  ASSERT_NE(moov, std::string::npos);
  const auto file = folder_.Write("no_moov.mp4", bytes.substr(0, moov - 4));
  EXPECT_THAT(Opened(file), Refused(Reason::kCorruptVideo, "no_moov.mp4", "index"));
  for (const std::size_t kept : {8, 40, 100, 600}) {
    EXPECT_THAT(Opened(folder_.Write("stub.mp4", bytes.substr(0, kept))),
                Refused(Reason::kCorruptVideo, "stub.mp4", "index"));
  }
}

TEST_F(BadInput, WithATableThatNoMemoryHoldsIsOverALimit) {
  WriteTestVideo(Path("a.mp4"), {}, FillPattern);
  std::string bytes = ReadBytes(Path("a.mp4"));
  const std::size_t entries = bytes.find("stts") + 8;  // after its name, version and flags
  ASSERT_LT(entries, bytes.size());
  bytes[entries] = '\xD6';  // 3.6e9 entries of 8 bytes
  EXPECT_THAT(Opened(folder_.Write("endless.mp4", bytes)),
              Refused(Reason::kLimitExceeded, "endless.mp4", "damaged or far too long"));
}

TEST_F(BadInput, WithoutUsableDataIsCorrupt) {
  WriteTestVideo(Path("a.mp4"), {.frames = 5, .muxer_flags = "faststart"}, FillPattern);
  std::string bytes = ReadBytes(Path("a.mp4"));
  const std::size_t data = bytes.find("mdat") + 4;
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(data), bytes.end(), '\xA5');
  EXPECT_THAT(Opened(folder_.Write("noise.mp4", bytes)),
              Refused(Reason::kCorruptVideo, "noise.mp4", "no frame"));
  EXPECT_THAT(Opened(folder_.Write("cut.mp4", bytes.substr(0, data))),
              Refused(Reason::kCorruptVideo, "cut.mp4", "no frame"));
}

TEST_F(BadInput, WithSoundOnlyIsNotAVideo) {
  for (const char* name : {"sound.mov", "sound.mkv", "sound.avi"}) {
    WriteTestVideo(Path(name), {.audio_only = true}, {});
    EXPECT_THAT(Opened(Path(name)), Refused(Reason::kNotAVideo, name, "no video stream"));
  }
}

TEST_F(BadInput, OfAnotherCodecOrPixelFormatIsUnsupported) {
  WriteTestVideo(Path("ffv1.mkv"), {.codec = "ffv1"}, FillPattern);
  EXPECT_THAT(Opened(Path("ffv1.mkv")), Refused(Reason::kUnsupportedVideo, "ffv1.mkv", "ffv1"));
  WriteTestVideo(Path("png.mov"), {.codec = "png", .pixel_format = "rgb24"}, FillPattern);
  EXPECT_THAT(Opened(Path("png.mov")), Refused(Reason::kUnsupportedVideo, "png.mov", "png"));
  WriteTestVideo(Path("rgb.mp4"), {.codec = "libx264rgb", .pixel_format = "rgb24"}, FillPattern);
  EXPECT_THAT(Opened(Path("rgb.mp4")), Refused(Reason::kUnsupportedVideo, "rgb.mp4", "gbrp"));
}

class Limits : public BadInput {};

TEST_F(Limits, OfSizeHoldForWhatTheHeaderDeclares) {
  WriteTestVideo(Path("small.mp4"), {.size = {8, 8}}, FillPattern);
  EXPECT_THAT(Opened(Path("small.mp4")), Refused(Reason::kLimitExceeded, "small.mp4", "8x8"));
  WriteTestVideo(Path("ok.mp4"), {.size = {16, 16}}, FillPattern);
  EXPECT_THAT(Opened(Path("ok.mp4")), IsOk());

  std::string bytes = ReadBytes(Path("ok.mp4"));
  const std::size_t size = bytes.find("avc1", bytes.find("stsd")) + 28;  // 16-bit width, height
  bytes.replace(size, 4, "\xFF\xFF\xFF\xFF");
  EXPECT_THAT(Opened(folder_.Write("huge.mp4", bytes)),
              Refused(Reason::kLimitExceeded, "huge.mp4", "65535x65535"));
}

TEST_F(Limits, OfASideHoldForStripsOfFewPixels) {
  WriteTestVideo(Path("strip.mp4"), {.size = {64, 32}}, FillPattern);
  EXPECT_THAT(Opened(Path("strip.mp4"), {.max_side = 64}), IsOk());
  EXPECT_THAT(Opened(Path("strip.mp4"), {.max_side = 63}),
              Refused(Reason::kLimitExceeded, "strip.mp4", "64x32"));
}

TEST_F(Limits, OfShapeHoldForStrips) {
  WriteTestVideo(Path("strip.mp4"), {.size = {16 * 66, 16}}, FillPattern);
  EXPECT_THAT(Opened(Path("strip.mp4")), Refused(Reason::kLimitExceeded, "strip.mp4", "64 to 1"));
  WriteTestVideo(Path("band.mp4"), {.size = {16, 16 * 64}}, FillPattern);
  EXPECT_THAT(Opened(Path("band.mp4")), IsOk());
}

TEST_F(Limits, OfSizeHoldForWhatArrives) {
  // The decoder itself stops absurd sizes; a little too large is seen when the frame arrives.
  for (const Size size : {Size{640, 480}, Size{48, 32}, Size{8, 8}}) {
    WriteTestVideo(Path("a.mp4"), {.size = size}, FillPattern);
    std::string bytes = ReadBytes(Path("a.mp4"));
    bytes.replace(bytes.find("avc1", bytes.find("stsd")) + 28, 4, std::string("\0\x20\0\x20", 4));
    EXPECT_THAT(Opened(folder_.Write("lies.mp4", bytes), {.max_pixels = 32LL * 32}),
                Refused(Reason::kLimitExceeded, "lies.mp4", ""))
        << ToString(size);
  }
}

TEST_F(Limits, OfFramesDurationStreamsAndBytes) {
  WriteTestVideo(Path("a.mp4"), {.frames = 30}, FillPattern);
  EXPECT_THAT(Opened(Path("a.mp4"), {.max_frames = 30, .max_duration_s = 1, .max_streams = 1}),
              IsOk());
  EXPECT_THAT(Opened(Path("a.mp4"), {.max_frames = 29}),
              Refused(Reason::kLimitExceeded, "a.mp4", "29 frames"));
  EXPECT_THAT(Opened(Path("a.mp4"), {.max_duration_s = 0.9}),
              Refused(Reason::kLimitExceeded, "a.mp4", "0.9 s"));
  EXPECT_THAT(Opened(Path("a.mp4"), {.max_streams = 0}),
              Refused(Reason::kLimitExceeded, "a.mp4", "streams"));
  EXPECT_THAT(Opened(Path("a.mp4"), {.max_bytes = 100}),
              Refused(Reason::kLimitExceeded, "a.mp4", "100 allowed"));
}

}  // namespace
}  // namespace glint
