// SPDX-License-Identifier: Apache-2.0
// A scan from request to stored report: the whole product as one function.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "glint/assessment.h"
#include "glint/cancel.h"
#include "glint/device_pool.h"
#include "glint/export_format.h"
#include "glint/fetcher.h"
#include "glint/item_type.h"
#include "glint/object_store.h"
#include "glint/picture_side.h"
#include "glint/profile.h"
#include "glint/progress.h"
#include "glint/report.h"
#include "glint/video.h"
#include "glint/video_opener.h"

namespace glint {

/// Which frames have their motion measured. The choice of frames is the same.
enum class MotionMode {
  kNeeded,  ///< those that the choice depends on
  kAll,     ///< all of them, for the report's chart
};

/// What to scan, and how.
struct ScanRequest {
  std::string scan_id;                ///< names the result; [A-Za-z0-9._-]{1,128}, no leading dot
  std::string input;                  ///< what the fetcher understands
  std::string back;                   ///< a clip of the item's other side, likewise; empty: none
  std::string prefix;                 ///< where in the store the result goes
  std::string item_type = "generic";  ///< see glint/item_type.h
  std::string profile = std::string(kProfilePhotometric);  ///< see glint/profile.h
  std::string reference;  ///< a good copy: an image, or the report.json of an earlier scan beside
                          ///< its pictures; empty: none. Needs `photometric`
  std::optional<double>
      motion_limit_px;  ///< nothing: 1.0 px at 640 px frame width, scaled with width
  MotionMode motion = MotionMode::kNeeded;
  int golden_frames = 5;        ///< at most this many, 1..32
  int golden_gap = 15;          ///< frames between two of them, at least, >= 1
  std::optional<int> rotation;  ///< VideoOptions::rotation: 0, 90, 180 or 270 degrees clockwise
  std::string size;  ///< of the object, as ParseObjectSize reads it: "63x88mm"; empty: what
                     ///< is usual for its type, if anything is
  PictureSide up = PictureSide::kTop;  ///< where the object's own top is
  std::vector<ExportFormat> exports;   ///< stored beside report.json, in object coordinates, of
                                       ///< scans that judge something
  VideoLimits limits;
};

/// An object that a scan stored.
struct StoredObject {
  std::string name;  ///< relative to the result
  std::string content_type;
  std::int64_t bytes = 0;
};

/// What was found on the other side of an item.
struct BackResult {
  ScanReport report;
  std::optional<Assessment> assessment;  ///< of ScanOutcome::kScanned
  BothSides both;
};

/// What a scan gave; of two sides the front's, beside what the back gave.
struct ScanResult {
  ScanReport report;
  std::optional<Assessment> assessment;  ///< of ScanOutcome::kScanned
  ScanTiming timing;
  std::optional<BackResult> back;  ///< nothing: one side was filmed
};

/// Called when everything is stored and nothing is visible yet: may add objects to the set, or
/// fail, which fails the scan with nothing published.
/// @param objects  what is in the set so far, in the order in which it was stored
using BeforeCommit = std::function<absl::Status(
    const ScanResult& result, const std::vector<StoredObject>& objects, Publication& set)>;

/// What a scan works with. All must outlive it.
struct ScanDeps {
  Fetcher& fetcher;
  ObjectStore& store;
  DevicePool& devices;
  ThreadPool& pool;
  ProgressSink* progress = nullptr;
  BeforeCommit before_commit = {};     ///< may be empty
  VideoOpener open_video = OpenVideo;  ///< MakeVideoOpener gives others
};

/// Fetches, decodes, measures, chooses, locates, registers, detects, renders and stores; of an item
/// filmed from both sides, each side up to what was found on it, and then both together. Either the
/// whole result is in the store afterwards, or nothing. A video without usable frames is a result
/// (ScanOutcome::kNoUsableFrames), not an error; so is one that cannot be judged (kNotJudged).
/// Errors: as in glint/error.h; the message says in which step.
absl::StatusOr<ScanResult> RunScan(const ScanRequest& request, const ScanDeps& deps,
                                   const CancelToken& cancel);

}  // namespace glint
