// SPDX-License-Identifier: Apache-2.0
// Every kind of bad input, through the whole program: one clear line, the right exit code, and
// nothing left behind.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>

#include "cli/clips.h"
#include "cli/program.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string ContentOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A proper clip, made once.
const std::string& CardBytes() {
  static const std::string bytes = [] {
    const TempFolder folder;
    WriteCardVideo(folder.path() / "card.mp4", {.size = {160, 120}, .frames = 12});
    return ContentOf(folder.path() / "card.mp4");
  }();
  return bytes;
}

/// The output is one line of the program, which says what happened to what.
void ExpectFailure(const Ended& ended, int exit_code, const std::string& says) {
  EXPECT_EQ(ended.exit_code, exit_code) << ended.err;
  EXPECT_THAT(ended.out, IsEmpty());
  const auto lines = Lines(ended.err);
  const auto told = std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("glint: ");
  });
  EXPECT_EQ(told, 1) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr(says));
}

struct BadVideo {
  const char* name;
  int exit_code;
  const char* says;
  std::function<void(const fs::path& file)> make;
};

void Write(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

const BadVideo kBadVideos[] = {
    {"empty.mp4", 4, "empty.mp4", [](const fs::path& file) { Write(file, ""); }},
    {"text.mp4", 4, "text.mp4",
     [](const fs::path& file) { Write(file, std::string(2000, 'a').append("\nnot a video\n")); }},
    {"noise.mp4", 4, "noise.mp4",
     [](const fs::path& file) {
       std::string noise(5000, '\0');
       unsigned state = 1;
       for (char& c : noise) c = static_cast<char>((state = state * 1103515245U + 12345U) >> 24U);
       Write(file, noise);
     }},
    {"no_index.mp4", 4, "no_index.mp4",
     [](const fs::path& file) { Write(file, CardBytes().substr(0, CardBytes().size() / 2)); }},
    {"audio.mkv", 4, "audio.mkv",
     [](const fs::path& file) { WriteTestVideo(file, {.audio_only = true}, FillPattern); }},
    {"codec.mkv", 4, "codec.mkv",
     [](const fs::path& file) {
       WriteCardVideo(file, {.size = {64, 48}, .codec = "ffv1", .lossless = false});
     }},
    {"playlist.m3u8", 4, "playlist.m3u8",
     [](const fs::path& file) {
       Write(file, "#EXTM3U\n#EXTINF:1,\n/etc/hostname\n#EXT-X-ENDLIST\n");
     }},
    {"concat.mp4", 4, "concat.mp4",
     [](const fs::path& file) { Write(file, "ffconcat version 1.0\nfile /etc/hostname\n"); }},
    {"directory.mp4", 3, "is a directory",
     [](const fs::path& file) { fs::create_directory(file); }},
    {"missing.mp4", 3, "does not exist", [](const fs::path&) {}},
    {"tiny.mp4", 5, "8x8",
     [](const fs::path& file) {
       WriteCardVideo(file, {.size = {8, 8}, .frames = 3});
     }},
};

TEST(BadInput, EveryBadVideoGetsOneLineItsExitCodeAndNoOutput) {
  for (const BadVideo& bad : kBadVideos) {
    SCOPED_TRACE(bad.name);
    const TempFolder folder;
    bad.make(folder.path() / bad.name);
    const auto before = FilesBelow(folder.path());
    ExpectFailure(RunProgram({"scan", bad.name}, {.folder = folder.path()}), bad.exit_code,
                  bad.says);
    EXPECT_EQ(FilesBelow(folder.path()), before) << "something was left behind";
  }
}

TEST(BadInput, OddVideosHaveTheirOutcomeAndSayItInOneLine) {
  const auto flipped = [](const fs::path& file) {
    std::string bytes = CardBytes();
    for (std::size_t i = 700; i < bytes.size(); i += 97) bytes[i] ^= 0x15;
    Write(file, bytes);
  };
  const auto black = [](const fs::path& file) {
    WriteTestVideo(file, {.frames = 5}, [](int, TestFrame& frame) {
      for (int y = 0; y < frame.size(0).height; ++y) {
        for (int x = 0; x < frame.size(0).width; ++x) frame.Set(0, x, y, 16);
      }
    });
  };
  const auto frames = [](int count, Size size) {
    return [=](const fs::path& file) { WriteCardVideo(file, {.size = size, .frames = count}); };
  };
  struct OddVideo {
    const char* name;
    std::function<void(const fs::path&)> make;
    const char* outcome;  // of the report; nullptr: there is none, and the exit code is 4
    const char* says;     // in one line
  };
  const OddVideo odd[] = {
      {"one.mp4", frames(1, {160, 120}), "no_usable_frames", "The video has a single frame"},
      {"two.mp4", frames(2, {160, 120}), "not_judged", "No flat object with four sides"},
      {"16.mp4", frames(4, {16, 16}), "not_judged", "No flat object with four sides"},
      {"8k.mp4", frames(1, {7680, 4320}), "no_usable_frames", "The video has a single frame"},
      {"black.mp4", black, "not_judged", "No flat object with four sides"},
      {"flipped.mp4", flipped, nullptr, "the index of 'flipped.mp4' is missing or damaged"},
      {"tiny.mp4", frames(4, {64, 48}), "not_judged", "The frames do not fit onto each other"},
      {"漫画 ü.mp4", frames(4, {160, 120}), "not_judged", "No flat object with four sides"}};
  for (const auto& [name, make, outcome, says] : odd) {
    SCOPED_TRACE(name);
    const TempFolder folder;
    make(folder.path() / name);
    const Ended ended = RunProgram({"scan", name, "--out", "out"}, {.folder = folder.path()});
    if (outcome == nullptr) {
      ExpectFailure(ended, 4, says);
      EXPECT_THAT(FilesBelow(folder.path()), SizeIs(1));
      continue;
    }
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const auto lines = Lines(ended.out);
    EXPECT_EQ(std::ranges::count_if(lines,
                                    [text = says](const std::string& line) {
                                      return line.find(text) != std::string::npos;
                                    }),
              1)
        << ended.out;
    const std::string report = ContentOf(folder.path() / "out/report.json");
    EXPECT_THAT(report, HasSubstr("\"outcome\": \"" + std::string(outcome) + "\""));
    EXPECT_THAT(report, testing::Not(HasSubstr("nan")));
    EXPECT_THAT(report, testing::Not(HasSubstr("inf,")));
  }
}

/// A folder with a proper clip in it that everybody may read.
class BadPlace : public testing::Test {
 protected:
  BadPlace() {
    fs::permissions(folder_.path(), fs::perms{0755});
    folder_.Write("card.mp4", CardBytes());
  }
  const TempFolder folder_;
};

TEST_F(BadPlace, AnUnreadableFile) {
  fs::permissions(folder_.path() / "card.mp4", fs::perms::none);
  ExpectFailure(RunProgram({"scan", "card.mp4", "--out", "/tmp/glint-nobody/out"},
                           {.folder = folder_.path(), .as_nobody = true}),
                3, "right to read");
  EXPECT_FALSE(fs::exists("/tmp/glint-nobody"));
}

TEST_F(BadPlace, AnOutputFolderThatMayNotBeWritten) {
  fs::create_directory(folder_.path() / "locked");
  fs::permissions(folder_.path() / "locked", fs::perms{0555});
  ExpectFailure(RunProgram({"scan", "card.mp4", "--out", "locked/out"},
                           {.folder = folder_.path(), .as_nobody = true}),
                6, "may write");
  EXPECT_THAT(FilesBelow(folder_.path()), SizeIs(2));
}

TEST_F(BadPlace, AFolderOfOtherFiles) {
  folder_.Write("mine/letter.txt", "dear");
  ExpectFailure(RunProgram({"scan", "card.mp4", "--out", "mine"}, {.folder = folder_.path()}), 6,
                "choose another output folder");
  EXPECT_THAT(FilesBelow(folder_.path() / "mine"), testing::ElementsAre("letter.txt"));
}

TEST_F(BadPlace, AFileThatMayNotGrow) {
  // The limit holds for stderr, too: few words.
  ExpectFailure(RunProgram({"synth", "--size", "320x240", "--frames", "2", "--out", "out"},
                           {.folder = folder_.path(), .max_file_bytes = 300}),
                6, "File too large");
  // And for memory that is shared with the decoder, whatever confines it.
  for (const char* sandbox : {"--decode-sandbox=auto", "--decode-sandbox=off"}) {
    const Ended ended = RunProgram({"scan", "card.mp4", "--out", "scan", sandbox},
                                   {.folder = folder_.path(), .max_file_bytes = 2000});
    ExpectFailure(ended, 7, "limit on the size of files");
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "scan" / "report.json"));
}

TEST_F(BadPlace, AFullDisk) {
  fs::create_directory(folder_.path() / "disk");
  const Ended ended =
      RunProgram({"scan", "card.mp4", "--out", "disk/out"},
                 {.folder = folder_.path(), .small_disk = (folder_.path() / "disk").string()});
  // Where it is, AFileThatMayNotGrow and the store's own tests have to do.
  if (ended.exit_code == kMayNotMount) GTEST_SKIP() << "mounting is forbidden here";
  ExpectFailure(ended, 6, "no space is left");
}

TEST_F(BadPlace, WrongOptions) {
  struct Case {
    std::vector<std::string> arguments;
    const char* says;
  };
  for (const Case& c : {Case{{"scan", "card.mp4", "--item-type", "vase"}, "vase"},
                        Case{{"scan", "card.mp4", "--profile", "magic"}, "magic"},
                        Case{{"scan", "card.mp4", "--golden", "0"}, "golden"},
                        Case{{"scan", "card.mp4", "--golden", "many"}, "golden"},
                        Case{{"scan", "card.mp4", "--gap", "0"}, "gap"},
                        Case{{"scan", "card.mp4", "--rotation", "45"}, "rotation"},
                        Case{{"scan", "card.mp4", "--motion-limit", "-1"}, "motion limit"},
                        Case{{"scan", "card.mp4", "--motion-limit", "nan"}, "motion limit"},
                        Case{{"scan", "card.mp4", "--jobs", "0"}, "jobs"},
                        Case{{"scan", "card.mp4", "--device", "abacus"}, "abacus"},
                        Case{{"scan", "card.mp4", "--frobnicate"}, "frobnicate"},
                        Case{{"scan", "rtsp://example.com/a.mp4"}, "URLs are not accepted"},
                        Case{{"scan", "https://a b/"}, "https://host/path"},
                        Case{{"scan", "card.mp4", "--allow-source", "a b"}, "names no source"},
                        Case{{"scan", "card.mp4", "--out", "gs://bucket/x"}, "s3://bucket/prefix"},
                        Case{{"scan"}, "nothing to scan"},
                        Case{{"scna"}, "no command 'scna'"},
                        Case{{}, "subcommand"},
                        Case{{"synth", "--kind", "vase"}, "vase"},
                        Case{{"synth", "--size", "big"}, "big"},
                        Case{{"demo", "--kind", "vase"}, "vase"}}) {
    SCOPED_TRACE(c.says);
    ExpectFailure(RunProgram(c.arguments, {.folder = folder_.path()}), 2, c.says);
    EXPECT_THAT(FilesBelow(folder_.path()), SizeIs(1));
  }
}

TEST_F(BadPlace, LimitsAndTime) {
  ExpectFailure(
      RunProgram({"scan", "card.mp4", "--max-pixels", "1000"}, {.folder = folder_.path()}), 5,
      "160x120");
  ExpectFailure(RunProgram({"scan", "card.mp4", "--max-frames", "3"}, {.folder = folder_.path()}),
                5, "3 frames");
  ExpectFailure(RunProgram({"scan", "card.mp4", "--max-bytes", "1k"}, {.folder = folder_.path()}),
                5, "1024");
  ExpectFailure(
      RunProgram({"scan", "card.mp4", "--timeout", "0.000001"}, {.folder = folder_.path()}), 8,
      "time allowed");
  EXPECT_THAT(FilesBelow(folder_.path()), SizeIs(1));
}

}  // namespace
}  // namespace glint
