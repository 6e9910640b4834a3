// SPDX-License-Identifier: Apache-2.0
// What the program says to people who look for a command, and what shells read of it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/clips.h"
#include "cli/program.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class HelpProgram : public testing::Test {
 protected:
  Ended Run(const std::vector<std::string>& arguments) {
    return RunProgram(arguments, {.folder = folder_.path()});
  }
  /// Runs a line of bash in the folder. @return its exit code as system() has it
  int Bash(const std::string& line) {
    const std::string command = "cd '" + folder_.path().string() + "' && bash -c '" + line + "'";
    return std::system(command.c_str());  // NOLINT(cert-env33-c): a shell is what is tested
  }

  TempFolder folder_;
};

TEST_F(HelpProgram, SuggestsWhatMayHaveBeenMeant) {
  struct Case {
    std::vector<std::string> arguments;
    const char* says;
  };
  for (const Case& c : {Case{{"scna", "a.mp4"}, "no command 'scna'; did you mean 'scan'?"},
                        Case{{"scan", "a.mp4", "--item-tpye=card"}, "did you mean '--item-type'?"},
                        Case{{"scan", "a.mp4", "--motion", "neded"}, "did you mean 'needed'?"},
                        Case{{"help", "serv"}, "did you mean 'serve'?"}}) {
    const Ended ended = Run(c.arguments);
    EXPECT_EQ(ended.exit_code, 2) << c.says;
    EXPECT_THAT(ended.err, HasSubstr(c.says));
    EXPECT_THAT(Lines(ended.err), testing::SizeIs(1));
  }
  EXPECT_THAT(Run({"xyzzy"}).err, Not(HasSubstr("did you mean")));
}

TEST_F(HelpProgram, ExplainsACommandAndTheExitCodesOnce) {
  const Ended help = Run({"help", "store", "sweep"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("glint store sweep"));
  const Ended codes = Run({"help", "exit-codes"});
  EXPECT_THAT(codes.out, AllOf(HasSubstr("NOT_A_VIDEO"), HasSubstr("130")));
  const Ended scan = Run({"scan", "--help"});
  EXPECT_THAT(scan.out, AllOf(Not(HasSubstr("NOT_A_VIDEO")), HasSubstr("exit-codes")));
  EXPECT_EQ(Run({"-V"}).out, Run({"--version"}).out);
}

TEST_F(HelpProgram, BashCompletesCommandsFlagsAndValues) {
  std::ofstream(folder_.path() / "completion") << Run({"completion", "bash"}).out;
  const std::string ask =
      "source completion; complete_words() { COMP_WORDS=(\"$@\"); COMP_CWORD=$((${#COMP_WORDS[@]} "
      "- 1)); "
      "COMP_LINE=\"$*\"; COMP_POINT=${#COMP_LINE}; "
      "local f=$(complete -p glint | sed \"s/.*-F \\([^ ]*\\).*/\\1/\"); "
      "$f glint \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; "
      "printf \"%s\\n\" \"${COMPREPLY[@]}\" >> replies; }; ";
  ASSERT_EQ(Bash(ask + "complete_words glint sca; complete_words glint scan --item-t; "
                       "complete_words glint scan --profile cl"),
            0);
  std::ifstream file(folder_.path() / "replies");
  const std::string replies{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(Lines(replies), (std::vector<std::string>{"scan", "--item-type", "classic"}));
}

TEST_F(HelpProgram, OtherShellsAndTheManualNameEveryCommand) {
  for (const char* kind : {"zsh", "fish", "man"}) {
    const Ended written = Run({"completion", kind});
    EXPECT_EQ(written.exit_code, 0);
    for (const char* command : {"scan", "serve", "doctor"}) {
      EXPECT_THAT(written.out, HasSubstr(command)) << kind;
    }
  }
  EXPECT_THAT(Run({"completion", "man"}).out, HasSubstr(".TH GLINT 1"));
}

TEST_F(HelpProgram, ResultsOfDifferentVideosNeverTakeEachOthersPlace) {
  for (const char* folder : {"a", "b"}) {
    fs::create_directory(folder_.path() / folder);
    WriteCardVideo(folder_.path() / folder / "кот.mp4", {.size = {160, 120}, .frames = 12});
  }
  EXPECT_EQ(Run({"scan", "a/кот.mp4", "--profile", "classic"}).exit_code, 0);
  EXPECT_EQ(Run({"scan", "b/кот.mp4", "--profile", "classic"}).exit_code, 0);
  EXPECT_EQ(Run({"scan", "a/кот.mp4", "--profile", "classic", "--force"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_.path() / "glint-out/кот/report.json"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path() / "glint-out"), {}), 2 + 1)
      << "two results and the record of what is whose";
}

TEST_F(HelpProgram, AFolderIsReplacedByTheSameVideoOnly) {
  for (const char* folder : {"a", "b"}) {
    fs::create_directory(folder_.path() / folder);
    WriteCardVideo(folder_.path() / folder / "IMG_1.mp4", {.size = {160, 120}, .frames = 12});
  }
  const std::vector<std::string> first = {"scan",    "a/IMG_1.mp4", "--profile",
                                          "classic", "--out",       "result"};
  std::vector<std::string> second = first;
  second[1] = "b/IMG_1.mp4";
  EXPECT_EQ(Run(first).exit_code, 0);
  const Ended refused = Run(second);
  EXPECT_EQ(refused.exit_code, 6);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("another video"), HasSubstr("a/IMG_1.mp4")));
  EXPECT_EQ(Run(first).exit_code, 0) << "the same video's result is replaced";
  second.push_back("--force");
  EXPECT_EQ(Run(second).exit_code, 0);
  EXPECT_EQ(Run(first).exit_code, 6) << "now it is the other one's";
}

TEST_F(HelpProgram, SaysHowToFilmWhereItGivesAdvice) {
  EXPECT_THAT(Run({"help", "filming"}).out, HasSubstr("Let the light move."));
  WriteCardVideo(folder_.path() / "card.mp4", {.size = {160, 120}, .frames = 12});
  const Ended ended =
      Run({"scan", "card.mp4", "--profile", "classic", "--motion-limit", "0.001", "--out", "r"});
  EXPECT_THAT(ended.out, HasSubstr("glint help filming"));
  std::ifstream file(folder_.path() / "r/report.html");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(page, AllOf(HasSubstr("<a href=\"#filming\">"), HasSubstr("id=\"filming\"")));
}

TEST_F(HelpProgram, NamesFilesThatAreNoLabelsInItsOwnWords) {
  std::ofstream(folder_.path() / "lab.json") << "{\"clip\": 1}";
  std::ofstream(folder_.path() / "text.json") << "no";
  for (const char* file : {"lab.json", "text.json"}) {
    const Ended ended = Run({"eval", file});
    EXPECT_EQ(ended.exit_code, 3);
    EXPECT_THAT(ended.err, AllOf(HasSubstr(file), HasSubstr("COCO"), Not(HasSubstr("exception")),
                                 Not(HasSubstr("parse_error")), Not(HasSubstr("type_error"))));
  }
}

TEST_F(HelpProgram, SaysWhereEverybodyReadsItThatAFileIsCutOff) {
  const fs::path video = folder_.path() / "cut.mp4";
  WriteCardVideo(video, {.size = {320, 240}, .frames = 40, .muxer_flags = "faststart"});
  fs::resize_file(video, fs::file_size(video) * 2 / 3);
  const Ended ended = Run({"scan", "cut.mp4", "--profile", "classic", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  for (const std::string& line : Lines(ended.out)) {
    const auto event = nlohmann::json::parse(line);
    if (event["event"] != "result") continue;
    EXPECT_FALSE(event["warnings"].empty());
  }
  EXPECT_THAT(ended.out, HasSubstr("\"event\":\"result\""));
}

TEST_F(HelpProgram, RefusesALoopbackAddressAndNamesTheFlagThatAllowsIt) {
  const Ended ended = Run({"scan", "http://127.0.0.1:9/card.mp4"});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.err, HasSubstr("--allow-source 127.0.0.1:9"));
}

TEST_F(HelpProgram, ScansWhatComesOnStandardInput) {
  WriteCardVideo(folder_.path() / "card.mp4", {.size = {160, 120}, .frames = 12});
  EXPECT_EQ(Bash("\"" GLINT_PROGRAM "\" scan - --profile classic < card.mp4 2> said"), 0);
  EXPECT_TRUE(fs::exists(folder_.path() / "glint-out/stdin/report.json"));
  EXPECT_NE(Bash("\"" GLINT_PROGRAM "\" scan - < /dev/null 2> said"), 0);
}

}  // namespace
}  // namespace glint
