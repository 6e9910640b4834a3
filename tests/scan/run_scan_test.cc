// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <stop_token>

#include "analyse/item_types.h"
#include "base/thread_pool.h"
#include "glint/error.h"
#include "glint/scan.h"
#include "image/png.h"
#include "scan/watched_backend.h"
#include "support/memory_store.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"
#include "support/test_video.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Key;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAreArray;

constexpr Size kFrame{320, 240};
constexpr int kFrames = 40;
constexpr int kLeft = 70, kTop = 40, kWidth = 180, kHeight = 150;  // of the object in frame 0

int Artwork(int u, int v) {
  const double wave = std::sin(0.31 * u + 0.13 * v) + std::sin(0.17 * u - 0.23 * v) +
                      std::sin(0.07 * v * std::sin(0.05 * u));
  return 150 + static_cast<int>(std::lround(20 * wave));
}

constexpr Rectangle kBlown{60, 50, 40, 40};  // of the object: what a lamp whitens in every frame

/// A textured card on a dark table, moving `px_per_frame` to the right every other frame, under a
/// lamp that sways.
void Card(int index, double px_per_frame, bool blown, TestFrame& frame) {
  const int shift = static_cast<int>(std::lround(px_per_frame * index));
  for (int y = 0; y < kFrame.height; ++y) {
    for (int x = 0; x < kFrame.width; ++x) {
      const int u = x - kLeft - shift;
      const int v = y - kTop;
      const bool on_card = u >= 0 && u < kWidth && v >= 0 && v < kHeight;
      const bool white = blown && u >= kBlown.x && u < kBlown.x + kBlown.width && v >= kBlown.y &&
                         v < kBlown.y + kBlown.height;
      const double lamp =
          1 + 0.06 * std::sin(0.4 * index) * (static_cast<double>(u) / kWidth - 0.5);
      const int lit = static_cast<int>(std::lround(lamp * Artwork(u, v)));
      frame.Set(0, x, y, white ? 255 : on_card ? lit : 35 + (x * 7 + y * 13) % 5);
    }
  }
  for (const int component : {1, 2}) {
    for (int y = 0; y < frame.size(component).height; ++y) {
      for (int x = 0; x < frame.size(component).width; ++x) frame.Set(component, x, y, 128);
    }
  }
}

class Recorder final : public ProgressSink {
 public:
  void OnProgress(const Progress& progress) override {
    if (steps.empty() || steps.back() != progress.step) steps.push_back(progress.step);
    if (cancel_at == progress.step) stop.request_stop();
  }
  std::vector<ScanStep> steps;
  std::optional<ScanStep> cancel_at;
  std::stop_source stop;
};

class RunScanTest : public testing::Test {
 protected:
  std::string Clip(double px_per_frame, bool blown = false, std::string_view name = "clip.mp4") {
    const auto file = folder_.path() / name;
    WriteTestVideo(file, {.size = kFrame, .frames = kFrames, .lossless = false},
                   [&](int index, TestFrame& frame) { Card(index, px_per_frame, blown, frame); });
    return file.string();
  }

  absl::StatusOr<ScanResult> Scan(const std::string& input, ObjectStore& store, int threads = 2,
                                  const std::string& profile = "classic",
                                  BeforeCommit before_commit = {},
                                  const std::string& reference = "", const std::string& back = "",
                                  const std::string& item_type = "card") {
    ThreadPool pool(threads);
    auto choice = SelectBackend("cpu", BackendTable(), {.pool = &pool});
    EXPECT_THAT(choice, IsOk());
    const std::shared_ptr<Backend> cpu = choice->backend;
    choice->backend = std::make_shared<WatchedBackend>(*cpu, stages_seen_);
    DevicePool devices(*std::move(choice));
    const ScanDeps deps{*fetcher_, store, devices, pool, &progress_, std::move(before_commit)};
    const ScanRequest request{.scan_id = "scan-1",
                              .input = input,
                              .back = back,
                              .prefix = "scan-1",
                              .item_type = item_type,
                              .profile = profile,
                              .reference = reference};
    return RunScan(request, deps, CancelToken(progress_.stop.get_token()));
  }

  TempFolder folder_;
  std::unique_ptr<Fetcher> fetcher_ = MakeFileFetcher();
  MemoryStore store_;
  Recorder progress_;
  StagesSeen stages_seen_;
};

TEST_F(RunScanTest, StoresAWholeSetAndFindsTheObject) {
  const auto result = Scan(Clip(0.05), store_);
  ASSERT_THAT(result, IsOk());
  const ScanReport& report = result->report;
  EXPECT_EQ(report.outcome, ScanOutcome::kScanned);
  EXPECT_THAT(report.frames, SizeIs(kFrames));
  ASSERT_THAT(report.golden, Not(IsEmpty()));
  ASSERT_TRUE(report.object);
  const double shift = std::lround(0.05 * static_cast<double>(report.object->reference_frame));
  EXPECT_NEAR(report.object->corners[0].x, kLeft + shift, 2);
  EXPECT_NEAR(report.object->corners[0].y, kTop, 2);
  EXPECT_NEAR(report.object->corners[2].x, kLeft + kWidth + shift, 2);
  EXPECT_NEAR(report.object->corners[2].y, kTop + kHeight, 2);

  const auto sets = store_.sets();
  ASSERT_THAT(sets, Contains(Key("scan-1")));
  std::vector<std::string> names;
  for (const auto& [name, content] : sets.at("scan-1")) {
    names.push_back(name);
    EXPECT_FALSE(content.empty()) << name;
  }
  EXPECT_THAT(names,
              IsSupersetOf({"report.json", "timing.json", "report.html", "mask.png", "labels.png",
                            "overlay.png", "heatmap.png", "rectified.png", "golden_01.png",
                            "regions/surface_mask.png", "regions/corner_tl_crop.png"}));
  const auto json = nlohmann::json::parse(sets.at("scan-1").at("report.json"));
  EXPECT_EQ(json["object"]["reference_frame"], report.object->reference_frame);
}

TEST_F(RunScanTest, MakesFrontAndBackOneResult) {
  const std::string front = Clip(0.05), back = Clip(0.1, false, "back.mp4");
  const auto result = Scan(front, store_, 2, "classic", {}, "", back, "comic");
  ASSERT_THAT(result, IsOk());
  ASSERT_TRUE(result->back);
  EXPECT_EQ(result->report.named_regions[0].name, "spine");
  EXPECT_EQ(result->report.named_regions[0].box.x, 0);
  const NamedRegion& spine = result->back->report.named_regions[0];
  EXPECT_EQ(spine.name, "spine");
  EXPECT_EQ(spine.box.x + spine.box.width, result->back->report.object->size.width)
      << "the back's bound edge lies on the right";
  EXPECT_THAT(result->back->both.verdict, AllOf(HasSubstr("Front: "), HasSubstr("Back: ")));

  const auto sets = store_.sets();
  const auto& files = sets.at("scan-1");
  for (const char* name : {"mask.png", "rectified.png", "report.json", "regions/spine_mask.png"}) {
    EXPECT_THAT(files, Contains(Key(name)));
    EXPECT_THAT(files, Contains(Key("back/" + std::string(name))));
  }
  EXPECT_THAT(files, Not(Contains(Key("back/report.html"))));
  const auto report = nlohmann::json::parse(files.at("report.json"));
  EXPECT_EQ(report["both_sides"]["back"]["report"], "back/report.json");
  EXPECT_FALSE(nlohmann::json::parse(files.at("back/report.json")).contains("both_sides"));
}

TEST_F(RunScanTest, OneSideThatCannotBeUsedLeavesTheOtherJudged) {
  const std::string front = Clip(0.05), shaken = Clip(3, false, "shaken.mp4");
  const auto result = Scan(front, store_, 2, "classic", {}, "", shaken);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->report.outcome, ScanOutcome::kScanned);
  EXPECT_EQ(result->back->report.outcome, ScanOutcome::kNoUsableFrames);
  const auto sets = store_.sets();
  const auto& files = sets.at("scan-1");
  const auto both = nlohmann::json::parse(files.at("report.json"))["both_sides"];
  EXPECT_TRUE(both["back"]["damaged_percent"].is_null());
  EXPECT_EQ(both["notes"][0], "The back was not judged: no frame was steady enough.");
  EXPECT_THAT(files, Not(Contains(Key("back/mask.png"))));
}

TEST_F(RunScanTest, ABackThatCannotBeReadPublishesNothing) {
  EXPECT_THAT(Scan(Clip(0.05), store_, 2, "classic", {}, "", "missing.mp4"),
              FailsWith(Reason::kInputNotFound, HasSubstr("back: ")));
  std::ofstream(folder_.path() / "no.mp4") << "no video";
  EXPECT_THAT(Scan(Clip(0.05), store_, 2, "classic", {}, "", (folder_.path() / "no.mp4").string()),
              FailsWith(Reason::kNotAVideo, HasSubstr("back: ")));
  EXPECT_THAT(store_.sets(), IsEmpty());
}

TEST_F(RunScanTest, AnnouncesEveryStepInOrder) {
  ASSERT_THAT(Scan(Clip(0.05), store_), IsOk());
  EXPECT_EQ(progress_.steps,
            (std::vector{ScanStep::kDownloading, ScanStep::kDecoding, ScanStep::kMeasuring,
                         ScanStep::kSelecting, ScanStep::kLocating, ScanStep::kRegistering,
                         ScanStep::kDetecting, ScanStep::kRendering, ScanStep::kUploading,
                         ScanStep::kDone}));
}

TEST_F(RunScanTest, TheHookBeforeTheCommitSeesEveryObjectAndMayAddSome) {
  std::vector<StoredObject> seen;
  const auto before_commit = [&](const ScanResult& result, const std::vector<StoredObject>& objects,
                                 Publication& set) {
    EXPECT_EQ(result.report.scan_id, "scan-1");
    EXPECT_FALSE(result.timing.step_ms.empty());
    EXPECT_THAT(store_.sets(), IsEmpty()) << "published before the hook";
    seen = objects;
    const std::string_view text = "more";
    return set.Put("more.txt", std::as_bytes(std::span(text)), "text/plain");
  };
  ASSERT_THAT(Scan(Clip(0.05), store_, 2, "classic", before_commit), IsOk());
  MemoryStore::Set set = store_.sets().at("scan-1");
  EXPECT_EQ(set.extract("more.txt").mapped(), "more");
  EXPECT_EQ(seen.size(), set.size());
  for (const StoredObject& object : seen) {
    EXPECT_EQ(std::ssize(set[object.name]), object.bytes) << object.name;
    EXPECT_FALSE(object.content_type.empty()) << object.name;
  }
}

TEST_F(RunScanTest, AHookBeforeTheCommitThatRefusesPublishesNothing) {
  const auto refuse = [](const auto&...) {
    return Error(Reason::kStoreDenied, "not yours any more");
  };
  EXPECT_THAT(Scan(Clip(0.05), store_, 2, "classic", refuse),
              FailsWith(Reason::kStoreDenied, HasSubstr("not yours any more")));
  EXPECT_THAT(store_.sets(), IsEmpty());
}

/// Passes on all but pages.
class StoreWithoutPages final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  bool Takes(std::string_view content_type) const override {
    return !content_type.starts_with("text/html");
  }
};

TEST_F(RunScanTest, StoresNothingThatItsPlaceDoesNotTake) {
  MemoryStore memory;
  StoreWithoutPages store(memory);
  std::vector<std::string> named;
  const BeforeCommit look = [&](const ScanResult&, const std::vector<StoredObject>& objects,
                                Publication&) {
    for (const StoredObject& object : objects) named.push_back(object.name);
    return absl::OkStatus();
  };
  ASSERT_THAT(Scan(Clip(0.5), store, 2, "classic", look), IsOk());
  EXPECT_THAT(memory.sets().at("scan-1"),
              AllOf(Contains(Key("report.json")), Contains(Key("mask.png")),
                    Not(Contains(Key("report.html")))));
  EXPECT_THAT(named, Not(Contains("report.html")));
}

TEST_F(RunScanTest, GivesTheSameBytesForAnyNumberOfThreads) {
  const std::string clip = Clip(0.05);
  MemoryStore other;
  ASSERT_THAT(Scan(clip, store_, 1), IsOk());
  ASSERT_THAT(Scan(clip, other, 3), IsOk());
  auto one = store_.sets().at("scan-1");
  auto three = other.sets().at("scan-1");
  one.erase("timing.json");
  three.erase("timing.json");
  ASSERT_EQ(one.size(), three.size());
  for (const auto& [name, content] : one) EXPECT_TRUE(three.at(name) == content) << name;
}

TEST_F(RunScanTest, PhotometricLooksAtViewsAndMarksNothingOnAnUndamagedCard) {
  const auto result = Scan(Clip(0.05), store_, 2, "photometric");
  ASSERT_THAT(result, IsOk());
  EXPECT_GE(result->report.views_chosen, 20);
  EXPECT_EQ(result->report.views_used, result->report.views_chosen);
  ASSERT_TRUE(result->report.damaged_percent);
  EXPECT_LT(*result->report.damaged_percent, 0.5);
  MemoryStore other;
  ASSERT_THAT(Scan(Clip(0.05), other, 1, "photometric"), IsOk());
  EXPECT_TRUE(store_.sets().at("scan-1").at("report.json") ==
              other.sets().at("scan-1").at("report.json"));
  EXPECT_TRUE(store_.sets().at("scan-1").at("mask.png") ==
              other.sets().at("scan-1").at("mask.png"));
}

absl::StatusOr<Plane> Decoded(const std::string& png) {
  return DecodePng(std::as_bytes(std::span(png)));
}

TEST_F(RunScanTest, PhotometricSaysWhereItCannotTellAndLeavesThatOutOfThePercentages) {
  const auto result = Scan(Clip(0.05, true), store_, 2, "photometric");
  ASSERT_THAT(result, IsOk());
  const ScanReport& report = result->report;
  const double blown = 100.0 * Size{kBlown.width, kBlown.height}.area() / (kWidth * kHeight);
  ASSERT_TRUE(report.unknown_percent);
  EXPECT_NEAR(*report.unknown_percent, blown, 1);
  const auto set = store_.sets().at("scan-1");
  const auto unknown = Decoded(set.at("layers/unknown.png"));
  const auto mask = Decoded(set.at("mask.png"));
  ASSERT_THAT(unknown, IsOk());
  ASSERT_THAT(mask, IsOk());
  ASSERT_EQ(unknown->size(), report.object->size);
  EXPECT_EQ(MarkedPercent(*unknown), *report.unknown_percent);
  EXPECT_EQ(unknown->Row<std::uint8_t>(kBlown.y + 20)[kBlown.x + 20], 255);
  EXPECT_EQ(MarkedPercent(*mask, *unknown), 0);
  EXPECT_EQ(report.damaged_percent, DamagedPercent(*mask, Unmarked(*unknown)));
}

/// Writes a stored result to a folder, as a store of folders does.
void WriteResult(const MemoryStore& store, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const MemoryStore::Set set = store.sets().at("scan-1");
  for (const auto& [name, content] : set) {
    if (name.find('/') != std::string::npos) continue;
    std::ofstream(folder / name, std::ios::binary) << content;
  }
}

TEST_F(RunScanTest, ComparedWithItselfNothingChangedAndNothingIsNew) {
  const std::string clip = Clip(0.05);
  ASSERT_THAT(Scan(clip, store_, 2, "photometric"), IsOk());
  const auto folder = folder_.path() / "earlier";
  WriteResult(store_, folder);
  for (const auto& reference : {folder, folder / "report.json", folder / "median.png"}) {
    SCOPED_TRACE(reference.filename());
    const bool report = reference.extension() != ".png";
    MemoryStore store;
    const auto result = Scan(clip, store, 2, "photometric", {}, reference.string());
    ASSERT_THAT(result, IsOk());
    const auto& facts = result->report.reference;
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->name, report ? "report.json" : "median.png");
    EXPECT_EQ(facts->scan_id, report ? "scan-1" : "");
    EXPECT_GT(facts->compared_percent, 80);
    EXPECT_EQ(facts->changed_percent, 0);
    EXPECT_EQ(facts->new_regions, report ? std::optional<std::int64_t>(0) : std::nullopt);
    for (const DefectRegion& region : result->report.regions) {
      EXPECT_EQ(region.is_new, report ? std::optional(false) : std::nullopt) << region.id;
    }
    const auto set = store.sets().at("scan-1");
    EXPECT_THAT(set, AllOf(Contains(Key("reference.png")), Contains(Key("layers/reference.png"))));
    EXPECT_EQ(set.contains("layers/new.png"), report);
    EXPECT_TRUE(set.at("mask.png") == store_.sets().at("scan-1").at("mask.png"));
  }
}

TEST_F(RunScanTest, AReferenceOfAnotherObjectFailsAndLeavesNothing) {
  const std::string clip = Clip(0.05);
  const auto other = folder_.path() / "other.png";
  Plane picture = Plane::Host({200, 160}, PixelType::kU8x3);
  for (int y = 0; y < 160; ++y) {
    for (int x = 0; x < 600; ++x) {
      picture.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(x / 7 * 31 + y / 9 * 57);
    }
  }
  const auto png = EncodePng(picture);
  ASSERT_THAT(png, IsOk());
  std::ofstream(other, std::ios::binary)
      .write(reinterpret_cast<const char*>(png->data()), std::ssize(*png));
  EXPECT_THAT(Scan(clip, store_, 2, "photometric", {}, other.string()),
              FailsWith(Reason::kInvalidOption, HasSubstr("does not show the object")));
  EXPECT_THAT(Scan(clip, store_, 2, "photometric", {}, (folder_.path() / "none.png").string()),
              FailsWith(Reason::kInputNotFound, HasSubstr("--reference")));
  EXPECT_THAT(store_.sets(), IsEmpty());
}

TEST_F(RunScanTest, AClipWithoutSteadyFramesIsAResultWithAdvice) {
  const auto result = Scan(Clip(4), store_, 2, "classic");
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->report.outcome, ScanOutcome::kNoUsableFrames);
  EXPECT_FALSE(result->report.object);
  EXPECT_FALSE(result->report.damaged_percent);
  EXPECT_THAT(result->report.advice, Contains(HasSubstr("moved too much")));
  EXPECT_THAT(store_.sets().at("scan-1"),
              AllOf(Contains(Key("report.json")), Contains(Key("report.html")),
                    Not(Contains(Key("mask.png")))));
}

TEST_F(RunScanTest, SaysWhichStagesRanAndNoOthers) {
  struct Case {
    const char* name;
    const char* profile;
    double px_per_frame;
    std::vector<std::string> stages;
  };
  const Case cases[] = {
      {"classic",
       "classic",
       0.05,
       {"statistics", "flow", "warp", "morphology", "detail", "edges", "fusion", "components"}},
      {"photometric",
       "photometric",
       0.05,
       {"statistics", "flow", "warp", "sheet warp", "morphology", "detail", "artwork", "residual",
        "lines", "ridges", "components"}},
      {"no usable frames", "classic", 4, {"statistics", "flow"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    stages_seen_.clear();
    MemoryStore store;
    const auto result = Scan(Clip(c.px_per_frame), store, 2, c.profile);
    ASSERT_THAT(result, IsOk());
    std::vector<std::string> named;
    for (const StageDevice& stage : result->report.stages) {
      named.push_back(stage.stage);
      EXPECT_EQ(stage.device, "cpu");
    }
    EXPECT_EQ(named, c.stages);
    EXPECT_THAT(stages_seen_, UnorderedElementsAreArray(named));
  }
}

TEST_F(RunScanTest, LeavesNothingWhenStoringFails) {
  const std::string clip = Clip(0.05);
  const absl::Status full = Error(Reason::kDiskFull, "no space left");
  for (const FaultyStore::Faults& faults :
       {FaultyStore::Faults{.begin = full}, FaultyStore::Faults{.put = full},
        FaultyStore::Faults{.put = full, .put_name = "report.json"},
        FaultyStore::Faults{.put = full, .put_name = "timing.json"},
        FaultyStore::Faults{.commit = full}}) {
    FaultyStore faulty(store_, faults);
    EXPECT_THAT(Scan(clip, faulty), FailsWith(Reason::kDiskFull, HasSubstr("uploading: ")));
    EXPECT_THAT(store_.sets(), IsEmpty());
  }
  EXPECT_THAT(progress_.steps, Not(Contains(ScanStep::kDone)));
}

TEST_F(RunScanTest, StopsInEveryStepWhenCancelledAndLeavesNothing) {
  const std::string clip = Clip(0.05);
  for (const ScanStep step : {ScanStep::kDownloading, ScanStep::kDecoding, ScanStep::kMeasuring,
                              ScanStep::kSelecting, ScanStep::kLocating, ScanStep::kRegistering,
                              ScanStep::kDetecting, ScanStep::kRendering, ScanStep::kUploading}) {
    progress_.stop = {};
    progress_.cancel_at = step;
    EXPECT_THAT(Scan(clip, store_),
                FailsWith(Reason::kCancelled, HasSubstr(std::string(Name(step)))))
        << Name(step);
    EXPECT_THAT(store_.sets(), IsEmpty());
  }
}

TEST_F(RunScanTest, SaysInWhichStepAnInputFailed) {
  EXPECT_THAT(Scan((folder_.path() / "none.mp4").string(), store_),
              FailsWith(Reason::kInputNotFound, HasSubstr("downloading: ")));
  EXPECT_THAT(
      Scan(folder_.Write("text.mp4", "this is no video, whatever it is called").string(), store_),
      FailsWith(Reason::kNotAVideo, HasSubstr("decoding: ")));
  EXPECT_THAT(store_.sets(), IsEmpty());
}

}  // namespace
}  // namespace glint
