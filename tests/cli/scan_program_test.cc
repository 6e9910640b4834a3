// SPDX-License-Identifier: Apache-2.0
// The program as its users meet it: output, batches, interruptions.
#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/clips.h"
#include "cli/program.h"
#include "support/sanitized.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

/// Frames of a clip whose scan is interrupted.
constexpr int kLongScan = FewerIfSanitized(1500, 200);

class ScanProgram : public testing::Test {
 protected:
  void WriteCard(const std::string& name, int frames = 12, Size size = {160, 120}) {
    fs::create_directories((folder_.path() / name).parent_path());
    WriteCardVideo(folder_.path() / name, {.size = size, .frames = frames});
  }
  Ended Run(const std::vector<std::string>& arguments) {
    return RunProgram(arguments, {.folder = folder_.path()});
  }
  /// Draws a labelled scan into s.
  Ended Draw(const char* frames, const char* seed) {
    return Run({"synth", "--size", FewerIfSanitized("1280x720", "480x360"), "--frames", frames,
                "--seed", seed, "--out", "s"});
  }
  /// The events of a run with --json; every line must be one.
  std::vector<json> Events(const Ended& ended) {
    std::vector<json> events;
    for (const std::string& line : Lines(ended.out)) {
      events.push_back(json::parse(line, nullptr, false));
      EXPECT_TRUE(events.back().is_object()) << line;
    }
    return events;
  }
  json EventOf(const std::vector<json>& events, const std::string& name) {
    for (const json& event : events) {
      if (event.value("event", "") == name) return event;
    }
    return json::object();
  }
  static std::string Content(const fs::path& file) {
    std::ostringstream content;
    content << std::ifstream(file, std::ios::binary).rdbuf();
    return content.str();
  }
  /// A batch with --json. @return its last event
  json Batch(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "scan");
    arguments.emplace_back("--json");
    const auto events = Events(Run(arguments));
    return events.empty() ? json::object() : events.back();
  }

  const TempFolder folder_;
};

TEST_F(ScanProgram, LeavesAResultAndSaysWhereAndWhat) {
  WriteCard("My Card.mp4");
  const Ended ended = Run({"scan", "My Card.mp4"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("glint-out/My_Card/report.html"), HasSubstr("12 frames")));
  EXPECT_THAT(ended.out, Not(HasSubstr("\x1b"))) << "no colour outside a terminal";
  EXPECT_THAT(ended.err, AllOf(HasSubstr("My_Card: measuring\n"), Not(HasSubstr("\r"))));
  EXPECT_THAT(FilesBelow(folder_.path() / "glint-out/My_Card"),
              IsSupersetOf({"report.json", "report.html", "timing.json"}));
}

TEST_F(ScanProgram, JsonIsTheOnlyThingOnStdout) {
  WriteCard("card.mp4");
  const Ended ended = Run({"scan", "card.mp4", "--out", "here", "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const auto events = Events(ended);
  const json result = EventOf(events, "result");
  EXPECT_EQ(result.value("scan_id", ""), "card");
  EXPECT_EQ(result.value("report", ""), "here/report.html");
  EXPECT_EQ(result.value("frames", 0), 12);
  EXPECT_EQ(EventOf(events, "end").value("exit_code", -1), 0);
  double fraction = 0;
  for (const json& event : events) {
    if (event["event"] != "progress") continue;
    EXPECT_GE(event["fraction"].get<double>(), fraction);
    fraction = event["fraction"].get<double>();
  }
  EXPECT_GT(fraction, 0.5);
}

TEST_F(ScanProgram, SaysWhatDecodedAndWhy) {
  WriteCard("card.mp4");
  const auto bytes_of = [&](const std::string& name) {
    std::ostringstream bytes;
    bytes << std::ifstream(folder_.path() / name, std::ios::binary).rdbuf();
    return bytes.str();
  };
  for (const std::string decode : {"auto", "cpu", "nvdec"}) {
    SCOPED_TRACE(decode);
    const Ended ended = Run({"scan", "card.mp4", "--out", decode, "--decode", decode});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const json decoder = json::parse(bytes_of(decode + "/report.json"))["device"]["decoder"];
    const std::string why = decoder["why"];
    if (decoder["name"] != "nvdec") {
      EXPECT_EQ(decoder["name"], "cpu");
      EXPECT_THAT(why, decode == "auto"  ? HasSubstr("auto: ")
                       : decode == "cpu" ? HasSubstr("asked for")
                                         : HasSubstr("nvdec was asked for, but "));
    } else {
      EXPECT_EQ(decode, "nvdec");
    }
    EXPECT_EQ(bytes_of(decode + "/mask.png"), bytes_of("auto/mask.png"));
  }
  EXPECT_EQ(Run({"scan", "card.mp4", "--decode", "magic"}).exit_code, 2);
}

TEST_F(ScanProgram, TheReportSaysWhatHeldTheDecoder) {
  WriteCard("card.mp4");
  const auto sandbox_of = [&](const std::string& mode) {
    const Ended ended = Run({"scan", "card.mp4", "--out", mode, "--decode-sandbox=" + mode});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    std::ifstream report(folder_.path() / mode / "report.json");
    return json::parse(report)["device"]["decoder"]["sandbox"].get<std::string>();
  };
  EXPECT_EQ(sandbox_of("on"), "whole");
  EXPECT_EQ(sandbox_of("off"), "off");
}

TEST_F(ScanProgram, StripsGetAnAnswerAndNoInternalError) {
  for (const Size size : {Size{4096, 64}, Size{64, 4096}}) {
    WriteCard("strip.mp4", 6, size);
    for (const char* profile : {"classic", "photometric"}) {
      const Ended ended =
          Run({"scan", "strip.mp4", "--out", "strip", "--profile", profile, "--json"});
      EXPECT_EQ(ended.exit_code, 0) << size.width << " " << profile << ended.err;
    }
  }
}

TEST_F(ScanProgram, PutsTheSpineWhereTheObjectsOwnLeftIs) {
  WriteCard("card.mp4");
  const auto report_of = [&](const std::string& up) {
    const Ended ended = Run({"scan", "card.mp4", "--profile", "classic", "--item-type", "comic",
                             "--out", up, "--up", up});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return json::parse(std::ifstream(folder_.path() / up / "report.json"))["object"];
  };
  const json shown = report_of("top");
  EXPECT_EQ(shown["up"], "top");
  const json own = report_of("right");
  EXPECT_EQ(own["up"], "right");
  EXPECT_EQ(own["size"], json({shown["size"][1], shown["size"][0]}));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(own["corners"][i], shown["corners"][(i + 1) % 4]);
  EXPECT_NE(Run({"scan", "card.mp4", "--up", "north"}).exit_code, 0);
}

TEST_F(ScanProgram, FrontAndBackAreOneReport) {
  ASSERT_EQ(Draw("40", "3").exit_code, 0);
  fs::rename(folder_.path() / "s", folder_.path() / "front");
  ASSERT_EQ(Draw("40", "9").exit_code, 0);
  const auto clip = [&](const char* folder) {
    for (const auto& file : fs::directory_iterator(folder_.path() / folder)) {
      if (file.path().extension() == ".mp4") return file.path().string();
    }
    return std::string();
  };
  const Ended ended = Run({"scan", clip("front"), "--back", clip("s"), "--out", "r", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json line = EventOf(Events(ended), "result");
  const auto report = json::parse(Content(folder_.path() / "r" / "report.json"));
  ASSERT_TRUE(report.contains("both_sides"));
  EXPECT_EQ(line["both_sides"]["verdict"], report["both_sides"]["verdict"]);
  const auto back = json::parse(Content(folder_.path() / "r" / "back" / "report.json"));
  EXPECT_EQ(back["damaged_percent"], report["both_sides"]["back"]["damaged_percent"]);
  const std::string page = Content(folder_.path() / "r" / "report.html");
  EXPECT_THAT(page, AllOf(HasSubstr("id=\"front\""), HasSubstr("id=\"back\"")));
  EXPECT_LT(page.size(), 1'500'000);
  EXPECT_FALSE(fs::exists(folder_.path() / "r" / "back" / "report.html")) << "one report";
}

TEST_F(ScanProgram, TheBackBelongsToOneFront) {
  WriteCard("a.mp4");
  WriteCard("b.mp4");
  const Ended batch = Run({"scan", "a.mp4", "b.mp4", "--back", "a.mp4"});
  EXPECT_EQ(batch.exit_code, 2);
  EXPECT_THAT(batch.err, HasSubstr("--back belongs to one front"));
  const Ended missing = Run({"scan", "a.mp4", "--back", "c.mp4"});
  EXPECT_NE(missing.exit_code, 0);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("back"), HasSubstr("c.mp4")));
  EXPECT_FALSE(fs::exists(folder_.path() / "glint-out" / "a" / "report.json"));
}

TEST_F(ScanProgram, JsonTellsFailures) {
  const auto events = Events(Run({"scan", "none.mp4", "--json"}));
  EXPECT_EQ(EventOf(events, "failed").value("reason", ""), "INPUT_NOT_FOUND");
  EXPECT_EQ(EventOf(events, "end").value("exit_code", -1), 3);
  const auto usage = Events(Run({"scan", "none.mp4", "--json", "--item-type", "vase"}));
  EXPECT_EQ(EventOf(usage, "failed").value("exit_code", -1), 2);
}

TEST_F(ScanProgram, ASecondResultReplacesTheFirst) {
  WriteCard("card.mp4");
  ASSERT_EQ(Run({"scan", "card.mp4", "--out", "out"}).exit_code, 0);
  folder_.Write("out/stale.png", "x");
  ASSERT_EQ(Run({"scan", "card.mp4", "--out", "out"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(folder_.path() / "out/stale.png"));
}

TEST_F(ScanProgram, ABatchGoesOnAfterAFailureAndCanBeResumed) {
  WriteCard("a/card.mp4");
  WriteCard("b/card.mp4");
  folder_.Write("broken.mp4", "text");
  folder_.Write("list.txt", "a/card.mp4\nbroken.mp4\n");
  const std::vector<std::string> batch = {"b/card.mp4", "--list", "list.txt", "--out",
                                          "results",    "--jobs", "2"};
  json end = Batch(batch);
  EXPECT_EQ(end["scanned"], 2) << end;
  EXPECT_EQ(end["failed"], 1) << end;
  EXPECT_EQ(end["exit_code"], 4) << end;
  EXPECT_GT(end["videos_per_s"], 0) << end;
  const auto files = FilesBelow(folder_.path() / "results");

  end = Batch(batch);
  EXPECT_EQ(end["scanned"], 0) << end;
  EXPECT_EQ(end["skipped"], 2) << end;
  EXPECT_EQ(FilesBelow(folder_.path() / "results"), files);

  auto forced = batch;
  forced.emplace_back("--force");
  EXPECT_EQ(Batch(forced)["scanned"], 2);
  auto other_options = batch;
  other_options.insert(other_options.end(), {"--golden", "3"});
  EXPECT_EQ(Batch(other_options)["scanned"], 2) << "another question needs another answer";
  WriteCard("b/card.mp4", 9);
  EXPECT_EQ(Batch(other_options)["scanned"], 1) << "a changed video is another input";
}

TEST_F(ScanProgram, CtrlCEndsCleanly) {
  WriteCard("long.mp4", kLongScan, {320, 240});
  const auto before = FilesBelow(folder_.path());
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program({"scan", "long.mp4", "--out", "out", "--json", "--threads", "1"},
                    {.folder = folder_.path()});
    ASSERT_TRUE(program.WaitFor("\"measuring\""));
    program.Signal(signal);
    const Ended ended = program.Wait();
    EXPECT_EQ(ended.exit_code, 130) << ended.err;
    EXPECT_EQ(EventOf(Events(ended), "failed").value("reason", ""), "CANCELLED");
    EXPECT_EQ(FilesBelow(folder_.path()), before);
  }
}

TEST_F(ScanProgram, ASecondCtrlCEndsAtOnce) {
  WriteCard("long.mp4", kLongScan, {320, 240});
  Program program({"scan", "long.mp4", "--out", "out", "--json", "--threads", "1"},
                  {.folder = folder_.path()});
  ASSERT_TRUE(program.WaitFor("\"measuring\""));
  program.Signal(SIGINT);
  program.Signal(SIGTERM);  // another one, because equal signals that wait are one
  EXPECT_EQ(program.Wait().exit_code, 130);
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
}

TEST_F(ScanProgram, AKilledScanLeavesNothingThatLooksComplete) {
  WriteCard("long.mp4", kLongScan, {320, 240});
  {
    Program program({"scan", "long.mp4", "--out", "out", "--json", "--threads", "1"},
                    {.folder = folder_.path()});
    ASSERT_TRUE(program.WaitFor("\"measuring\""));
    program.Signal(SIGKILL);
    EXPECT_EQ(program.Wait().exit_code, -SIGKILL);
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
  WriteCard("long.mp4", 6);
  EXPECT_EQ(Run({"scan", "long.mp4", "--out", "out"}).exit_code, 0);
  EXPECT_EQ(Lines(Run({"version"}).out).size(), 1U);
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
  }
}

TEST_F(ScanProgram, AClosedPipeDoesNotStopAScan) {
  WriteCard("card.mp4");
  const std::string line = "cd '" + folder_.path().string() +
                           "' && '" GLINT_PROGRAM "' scan card.mp4 --out out --json | true";
  ASSERT_EQ(std::system(line.c_str()), 0);  // NOLINT(cert-env33-c): a pipe is what is tested
  EXPECT_TRUE(fs::exists(folder_.path() / "out/report.json"));
}

TEST_F(ScanProgram, VersionSaysWhichGpuCodeTheBuildHolds) {
  const json line = json::parse(Run({"version", "--json"}).out);
  EXPECT_EQ(line["event"], "version");
  const json& cuda = line["cuda"];
  if (cuda.contains("why")) {  // a build without nvcc
    EXPECT_EQ(cuda.size(), 1U);
    return;
  }
  ASSERT_FALSE(cuda["sms"].empty());
  EXPECT_GE(cuda["sms"].front(), 75) << "10 times the compute capability";
  EXPECT_GT(cuda["ptx"], 0);
  EXPECT_NE(cuda["runtime"], "");
  EXPECT_NE(cuda["least_driver"], "");
}

TEST_F(ScanProgram, DoctorKnowsTheDevices) {
  const Ended ended = Run({"doctor", "--json", "--out", "out"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const auto events = Events(ended);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0]["devices"].back()["name"], "cpu");
  EXPECT_EQ(events[0]["devices"].back()["ok"], true);
  EXPECT_EQ(events[0]["output"]["ok"], true);
  EXPECT_TRUE(events[0]["ffmpeg"]["decoders"]["h264"]);
  EXPECT_THAT(FilesBelow(folder_.path()), IsEmpty());
  EXPECT_EQ(Run({"doctor", "--device", "abacus"}).exit_code, 2);
  EXPECT_EQ(Run({"doctor", "--out", "/proc/none"}).exit_code, 6);
}

TEST_F(ScanProgram, DemoFindsDamageThatItDrewAndUsesTheSampleAgain) {
  const char* const frames = FewerIfSanitized("40", "8");
  const std::vector<std::string> demo = {"demo", "--frames", frames, "--json"};
  const Ended first = Run(demo);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  const json score = EventOf(Events(first), "score");
  EXPECT_TRUE(score.contains("recall")) << first.out << first.err;
  if (!kSanitized) {  // so few frames show little
    EXPECT_GT(score.value("precision", 0.0), 0.8) << first.out << first.err;
    EXPECT_GT(score.value("recall", 0.0), 0.6) << first.out;
  }
  EXPECT_TRUE(fs::exists(folder_.path() / "glint-demo/result/report.html"));
  const Ended second = Run({"demo", "--frames", frames});
  EXPECT_THAT(second.err, HasSubstr("using the sample"));
  EXPECT_THAT(second.out, AllOf(HasSubstr("known defects"), HasSubstr("precision")));
}

TEST_F(ScanProgram, DemoSaysThatOneFrameShowsNothing) {
  const Ended ended = Run({"demo", "--frames", "1", "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(EventOf(Events(ended), "result").value("outcome", ""), "no_usable_frames");
  EXPECT_EQ(EventOf(Events(ended), "score").value("recall", -1.0), 0);
  EXPECT_EQ(EventOf(Events(ended), "score").value("marked", -1.0), 0);
}

TEST_F(ScanProgram, EvalScansLabelledVideosOnceAndJudgesThem) {
  ASSERT_EQ(Draw("12", "4").exit_code, 0);
  const std::string labels = "s/page_4.labels.json";
  const Ended first = Run({"eval", labels, "--json", "--out", "e"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  const auto events = Events(first);
  EXPECT_EQ(EventOf(events, "result").value("scan_id", ""), "page_4");
  EXPECT_EQ(EventOf(events, "evaluated").value("name", ""), "page_4");
  EXPECT_GT(EventOf(events, "evaluated").value("marked", 0.0), 0);
  EXPECT_EQ(EventOf(events, "evaluation").value("scans", 0), 1);
  const json file = json::parse(std::ifstream(folder_.path() / "e/evaluation.json"));
  EXPECT_EQ(file["results"][0]["name"], "page_4");

  const Ended again = Run({"eval", labels, "--out", "e"});
  EXPECT_THAT(again.out, AllOf(HasSubstr("1 skipped"), HasSubstr("lines: mean F")));
  const Ended judged = Run({"eval", labels, "--reports", "e", "--out", "j"});
  EXPECT_THAT(judged.out, HasSubstr("lines: mean F"));
  EXPECT_EQ(FilesBelow(folder_.path() / "j"),
            (std::set<std::string>{"evaluation.json", "precision_recall.svg", "reliability.svg"}));
  EXPECT_EQ(Run({"eval", labels, "--reports", "nowhere"}).exit_code, 3);
  EXPECT_EQ(Run({"eval", labels, labels}).exit_code, 2);
}

TEST_F(ScanProgram, EvalScansWithOtherParametersAndSaysSo) {
  ASSERT_EQ(Draw("12", "4").exit_code, 0);
  const auto marked = [&](const std::vector<std::string>& set) {
    std::vector<std::string> eval = {"eval", "s/page_4.labels.json", "--json", "--out", "e"};
    eval.insert(eval.end(), set.begin(), set.end());
    const Ended ended = Run(eval);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const auto events = Events(ended);
    EXPECT_EQ(EventOf(events, "evaluation").contains("set"), !set.empty());
    return EventOf(events, "evaluated").value("marked", -1.0);
  };
  const double usual = marked({});
  EXPECT_GT(usual, 0);
  EXPECT_LT(marked({"--set", "outline.min_seed_pixels=10000"}), usual) << "no gap is so large";
  EXPECT_EQ(marked({}), usual) << "scanned again with the defaults";
  const json file = json::parse(std::ifstream(folder_.path() / "e/evaluation.json"));
  EXPECT_FALSE(file.contains("set"));
}

TEST_F(ScanProgram, EvalListsParametersAndRefusesWhatIsNone) {
  const Ended listed = Run({"eval", "--list-params"});
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("lines.weak_energy"));
  const auto refused = [&](const std::string& set) {
    const Ended ended = Run({"eval", "s/none.labels.json", "--set", set});
    EXPECT_EQ(ended.exit_code, 2) << set;
    return ended.err;
  };
  EXPECT_THAT(refused("lines.weak=2"),
              AllOf(HasSubstr("--set: there is no parameter"), HasSubstr("lines.weak_energy")));
  EXPECT_THAT(refused("lines.weak_energy=-1"), HasSubstr("it must lie in 0 to"));
  EXPECT_THAT(refused("lines.weak_energy"), HasSubstr("write NAME=VALUE"));
  EXPECT_EQ(Run({"eval"}).exit_code, 2);
}

TEST_F(ScanProgram, EvalJudgesTheRestWhenAScanFailsOrHasNoUsableFrames) {
  ASSERT_EQ(Draw("12", "4").exit_code, 0);
  for (const char* seed : {"5", "6"}) {
    ASSERT_EQ(Draw("1", seed).exit_code, 0);
  }
  std::ofstream(folder_.path() / "s/page_5.mp4") << "no video";
  const std::vector<std::string> labels = {"s/page_5.labels.json", "s/page_6.labels.json",
                                           "s/page_4.labels.json"};
  const auto eval = [&](std::vector<std::string> options) {
    options.insert(options.begin(), "eval");
    options.insert(options.end(), labels.begin(), labels.end());
    return Run(options);
  };
  const Ended ended = eval({"--out", "e"});
  EXPECT_EQ(ended.exit_code, 4) << ended.err;  // as glint scan of the same
  EXPECT_THAT(ended.out, AllOf(HasSubstr("page_5 failed: NOT_A_VIDEO"),
                               HasSubstr("no usable frames"), HasSubstr("over 2 scans")));
  const json file = json::parse(std::ifstream(folder_.path() / "e/evaluation.json"));
  ASSERT_EQ(file["results"].size(), 3U);
  EXPECT_EQ(file["results"][0]["outcome"], "failed");
  EXPECT_EQ(file["results"][1]["outcome"], "no_usable_frames");
  EXPECT_EQ(file["results"][1]["lines"]["recall"], 0);
  EXPECT_EQ(file["results"][2]["outcome"], "scanned");
  EXPECT_EQ(file["failed"], 1);

  // An earlier result is none of a scan that fails now.
  std::ofstream(folder_.path() / "s/page_4.mp4") << "no video";
  const Ended forced = eval({"--out", "e", "--force"});
  EXPECT_EQ(forced.exit_code, 4);
  EXPECT_THAT(forced.out, HasSubstr("page_4 failed: NOT_A_VIDEO"));

  // Results that are not there fail one by one, too.
  ASSERT_TRUE(fs::remove(folder_.path() / "e/page_4/mask.png"));
  const Ended judged = eval({"--reports", "e", "--out", "j", "--json"});
  EXPECT_EQ(judged.exit_code, 3);
  std::map<std::string, std::string> outcomes;
  for (const json& event : Events(judged)) {
    if (event["event"] == "evaluated") outcomes[event["name"]] = event["outcome"];
  }
  EXPECT_EQ(outcomes,
            (std::map<std::string, std::string>{
                {"page_4", "failed"}, {"page_5", "failed"}, {"page_6", "no_usable_frames"}}));
}

}  // namespace
}  // namespace glint
