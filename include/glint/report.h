// SPDX-License-Identifier: Apache-2.0
// What a scan finds, as data. report/ writes it as JSON, pictures and a page.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "glint/picture_side.h"
#include "glint/plane.h"
#include "glint/stages.h"
#include "glint/video.h"

namespace glint {

/// A point in pixels; pixel centres lie at integers, so a frame spans -0.5 .. width - 0.5.
struct Point {
  double x = 0;
  double y = 0;
};

/// TL, TR, BR, BL.
using Quadrilateral = std::array<Point, 4>;

struct Rectangle {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Rectangle&) const = default;
};

/// How a scan ended.
enum class ScanOutcome {
  kScanned,         ///< masks were made
  kNoUsableFrames,  ///< no frame was steady enough; `advice` says what to do
  kNotJudged,       ///< the clip does not show what a verdict needs; see ScanReport::not_judged
};

/// What counts most of what a clip lacks for a verdict.
enum class NotJudgedCause {
  kNoObject,          ///< no object with four sides stands out
  kObjectOutside,     ///< no frame shows enough of it
  kFewViews,          ///< too few frames show it
  kStillLight,        ///< the light on it never changed
  kPoorRegistration,  ///< the frames cannot be laid onto each other well enough
};

/// Why a scan was not judged; its advice says what to do.
struct NotJudged {
  NotJudgedCause cause = NotJudgedCause::kNoObject;
  std::int64_t timestamp_us = 0;  ///< of the frame that shows it best
};

/// What was measured on one frame.
struct FrameMeasure {
  std::int64_t index = 0;
  std::int64_t timestamp_us = 0;
  std::int64_t sharpness16 = 0;  ///< variance of the Laplacian in 1/16
  std::optional<std::int64_t>
      motion256;          ///< mean flow from the frame before in 1/256 px; frame 0 has none
  double clipped = 0;     ///< share of pixels <= 2 or >= 253
  bool eligible = false;  ///< steady enough to be chosen
};

/// A chosen frame and how well it lies on the object.
struct GoldenFrame {
  FrameMeasure measure;
  bool registered = false;         ///< used for detection (the reference always is)
  double residual_px = 0;          ///< median residual after registration, object pixels
  double coverage = 0;             ///< share of the object inside the frame
  Homography frame_from_object{};  ///< object pixels to frame pixels
  std::string why_dropped;         ///< empty when registered
};

/// How the object was found in the reference frame.
struct LocatedObject {
  std::int64_t reference_frame = 0;
  Quadrilateral corners{};             ///< displayed pixels of the reference frame
  Size size;                           ///< object pixels: the size of every mask
  std::string method;                  ///< "outline", "moving region" or "full frame"
  double confidence = 0;               ///< 0..1: how well the frames agree on the outline
  PictureSide up = PictureSide::kTop;  ///< the side of the picture at which its own top is
};

enum class RegionKind {
  kLine,
  kSpot,
  kEdgeLoss,  ///< something of the object's edge is gone or worn
  kArea,
  kStain,   ///< darker or more coloured than a good copy
  kFading,  ///< paler than a good copy
};

/// One connected piece of damage.
struct DefectRegion {
  int id = 0;  ///< value of its pixels in labels.png
  RegionKind kind = RegionKind::kSpot;
  Rectangle box;               ///< object pixels
  Quadrilateral frame_box{};   ///< the box in the reference frame
  std::int64_t area_px = 0;    ///< object pixels
  double length_px = 0;        ///< longer side of the smallest rotated rectangle
  double width_px = 0;         ///< area / length
  double strength = 0;         ///< mean score, 0..1: by its family, see docs/definitions.md
  int views = 0;               ///< pictures that show it
  std::optional<bool> is_new;  ///< not marked by the earlier scan that this one was compared with
  /// Of detectors that look at views and tell families apart:
  std::string family;                      ///< the layer that most of it lies in: kLinesLayer, ...
  std::optional<double> confidence;        ///< 0..1, see docs/definitions.md
  std::optional<std::int64_t> best_frame;  ///< index of the frame that shows it best
};

/// A named part of the surface, by item type, and how much of it is damaged.
struct NamedRegion {
  std::string name;                       ///< "spine", "corner_tl", ..., "surface"
  Rectangle box;                          ///< object pixels
  std::optional<double> damaged_percent;  ///< of its pixels; nothing when it could not be seen
};

/// Which backend ran a stage.
struct StageDevice {
  std::string stage;
  std::string device;
};

/// The good copy that a scan was compared with.
struct ReferenceFacts {
  std::string name;             ///< of its file, without folders and what a URL may hide
  std::string scan_id;          ///< of the earlier scan; empty: it was an image
  double compared_percent = 0;  ///< of the surface: where both show the same print
  double changed_percent = 0;   ///< of the compared surface
  std::optional<std::int64_t> new_regions;  ///< that the earlier scan had not marked
};

/// Names of the layers, layers/<name>.png. Each family of damage has one;
inline constexpr std::string_view kLinesLayer = "lines";
inline constexpr std::string_view kOutlineLayer = "outline";
inline constexpr std::string_view kStaticLayer = "static";
inline constexpr std::string_view kReferenceLayer = "reference";
/// these are no families: what an earlier scan had not marked, light, and what cannot be judged.
inline constexpr std::string_view kNewLayer = "new";
inline constexpr std::string_view kGlareLayer = "glare";
inline constexpr std::string_view kUnknownLayer = "unknown";

/// Everything a scan says, without its pictures.
struct ScanReport {
  std::string scan_id;
  std::string item_type;
  std::string profile;
  ScanOutcome outcome = ScanOutcome::kScanned;
  std::optional<NotJudged> not_judged;  ///< of ScanOutcome::kNotJudged
  VideoInfo video;
  DecodeSummary decoding;
  double motion_limit_px = 0;
  std::string motion_mode = "all";
  std::vector<FrameMeasure> frames;
  std::vector<GoldenFrame> golden;
  std::int64_t views_chosen = 0;  ///< frames taken as views, by detectors that look at views
  std::int64_t views_used = 0;    ///< of those, the ones that could be registered
  std::optional<LocatedObject> object;
  std::optional<ReferenceFacts> reference;  ///< nothing: it was compared with none
  std::vector<DefectRegion> regions;
  std::int64_t regions_found = 0;  ///< regions in all; `regions` lists the largest
  std::vector<NamedRegion> named_regions;
  std::optional<double> damaged_percent;  ///< of the seen surface
  std::optional<double> unknown_percent;  ///< of the surface: not seen well enough to be judged; of
                                          ///< detectors that look at views
  std::optional<double> glare_percent;    ///< of the surface: a highlight passed over it; of
                                          ///< detectors that look at views
  std::vector<std::string> advice;        ///< for the person who filmed
  std::vector<std::string> warnings;
  std::string device;
  std::string device_why;
  std::vector<StageDevice> stages;  ///< that ran, by StagesRun
};

/// One golden frame as the result has it.
struct GoldenPicture {
  std::vector<std::byte> png;  ///< the frame as displayed
  std::string page_url;        ///< smaller, for the page: a JPEG as data: URL
};

/// A region in the frame that shows it best, as seen straight from above.
struct CloseUp {
  int region = 0;        ///< DefectRegion::id
  Rectangle box;         ///< what it shows, object pixels; may reach beyond the object
  std::string page_url;  ///< a JPEG as data: URL
};

/// Pictures of a scan; those in object coordinates lie on the host.
struct ScanPictures {
  Plane rectified;  ///< kU8x3: the reference frame
  Plane median;     ///< kU8x3: the median of the views, of detectors that look at views
  Plane good_copy;  ///< kU8x3: what the scan was compared with; empty: with nothing
  Plane mask;       ///< kU8: 0 and 255
  Plane labels;     ///< kS32: region ids, 0 where there is none
  Plane score;      ///< kS32: how strong the evidence is, 2^-ClassicFusionStage::kScoreBits
  std::vector<std::pair<std::string, Plane>> layers;  ///< kU8 by name (kLinesLayer, ...), of
                                                      ///< detectors that tell families apart
  std::vector<GoldenPicture> golden;                  ///< in the order of the report
  std::vector<CloseUp> close_ups;                     ///< likewise; of detectors that look at views
};

/// Where the time of a scan went. Goes to timing.json, so that report.json is deterministic.
struct ScanTiming {
  std::vector<std::pair<std::string, double>> step_ms;  ///< wall milliseconds per step, in order
  double wall_ms = 0;
  double cpu_ms = 0;                ///< of the process and its ended decoder children
  std::int64_t peak_rss_bytes = 0;  ///< of the process
  int threads = 0;
};

}  // namespace glint
