// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace glint {
namespace {

using Json = nlohmann::ordered_json;

/// Cut to so many decimals, so that the text is short.
double Rounded(double value, double steps) { return std::floor(value * steps + 0.5) / steps; }
double Hundredths(double value) { return Rounded(value, 100); }

Json Pair(Size size) { return Json::array({size.width, size.height}); }

Json BoxJson(const Rectangle& box) { return Json::array({box.x, box.y, box.width, box.height}); }

/// The bounding box of each id in a mask.
Json BoxesOf(const Plane& ids) {
  std::map<int, Rectangle> boxes;
  for (int y = 0; y < ids.height(); ++y) {
    for (int x = 0; x < ids.width(); ++x) {
      const int id = ids.Row<std::uint8_t>(y)[x];
      if (id == 0) continue;
      const auto [entry, is_new] = boxes.try_emplace(id, Rectangle{x, y, 1, 1});
      if (is_new) continue;
      Rectangle& box = entry->second;
      const int right = std::max(box.x + box.width, x + 1);
      box.x = std::min(box.x, x);
      box.width = right - box.x;
      box.height = y + 1 - box.y;
    }
  }
  Json json = Json::object();
  for (const auto& [id, box] : boxes) json[std::to_string(id)] = BoxJson(box);
  return json;
}

Json CornersJson(const CameraPath& camera) {
  Json frames = Json::array();
  for (std::size_t i = 0; i < camera.frames.size(); ++i) {
    Json corners = Json::array();
    for (const Point& p : camera.Corners(i))
      corners.push_back(Json::array({Hundredths(p.x), Hundredths(p.y)}));
    frames.push_back(std::move(corners));
  }
  return frames;
}

Json DefectsJson(const std::vector<SynthDefect>& defects) {
  Json list = Json::array();
  for (const SynthDefect& defect : defects) {
    list.push_back({{"id", defect.id},
                    {"type", defect.type},
                    {"severity", defect.severity},
                    {"bbox_flat", BoxJson(defect.box)},
                    {"area_px", defect.area_px},
                    {"peak_delta", Rounded(defect.peak_delta, 10)},
                    {"peak_frame", defect.peak_frame}});
  }
  return list;
}

/// The object's mask as a frame shows it.
Plane MaskInFrame(const Scene& scene, int frame) {
  const Plane& flat = scene.damage.ids;
  const SceneView view(scene, scene.surface, static_cast<std::size_t>(frame));
  const Homography& map = scene.camera.frames[static_cast<std::size_t>(frame)].object_from_frame;
  Plane mask = Plane::Host(scene.display_size, PixelType::kU8);
  for (int y = 0; y < mask.height(); ++y) {
    for (int x = 0; x < mask.width(); ++x) {
      const Point flat_point = Apply(map, {static_cast<double>(x), static_cast<double>(y)});
      const Point p = view.Hit(flat_point.x, flat_point.y);
      const int u = static_cast<int>(std::floor(p.x + 0.5));
      const int v = static_cast<int>(std::floor(p.y + 0.5));
      const bool inside = u >= 0 && v >= 0 && u < flat.width() && v < flat.height();
      mask.Row<std::uint8_t>(y)[x] = inside ? flat.Row<std::uint8_t>(v)[u] : std::uint8_t{0};
    }
  }
  return mask;
}

int SteadiestFrame(const std::vector<double>& motion) {
  if (motion.size() < 2) return 0;  // the first frame has no motion
  return static_cast<int>(std::min_element(motion.begin() + 1, motion.end()) - motion.begin());
}

}  // namespace

std::vector<FrameMask> MaskFrames(const Scene& scene) {
  const int steadiest = SteadiestFrame(scene.camera.motion_px);
  const int middle = static_cast<int>(scene.camera.frames.size() / 2);
  std::vector<FrameMask> masks;
  for (const int frame : std::set<int>{0, steadiest, middle}) {
    masks.push_back({frame, frame == steadiest, MaskInFrame(scene, frame)});
  }
  return masks;
}

std::string MaskFileName(const std::string& name, const FrameMask& mask) {
  return fmt::format("{}.mask_f{:04}.png", name, mask.frame);
}

std::string LabelsJson(const SynthOptions& options, const std::string& name, const Scene& scene,
                       const std::vector<FrameMask>& masks) {
  Json labels = {
      {"clip", name + ".mp4"},
      {"kind", std::string(Name(options.kind))},
      {"clean", options.clean},
      {"paired_with", nullptr},
      {"art", "drawn by glint synth"},
      {"seed", options.seed},
      {"fps", options.frames_per_s},
      {"frames", options.frames},
      {"coded_size", Pair(options.video_size)},
      {"display_size", Pair(scene.display_size)},
      {"rotation_metadata", options.rotation},
      {"flat_size", Pair(scene.camera.flat_size)},
      {"corner_order", "TL,TR,BR,BL of the flat object rectangle, in displayed-frame pixels"},
      {"corners", CornersJson(scene.camera)},
  };
  if (options.film_seed) labels["film_seed"] = *options.film_seed;
  Json motion = Json::array();
  for (const double px : scene.camera.motion_px) motion.push_back(Hundredths(px));
  Json exposure = Json::array();
  Json defocus = Json::array();
  for (const CameraFrame& frame : scene.camera.frames) {
    exposure.push_back(Rounded(frame.exposure, 1000));
    defocus.push_back(Hundredths(frame.defocus));
  }
  Json lamps = Json::array();
  for (const Lamps& frame : scene.lamps)
    lamps.push_back(Json::array({Hundredths(frame[0].x), Hundredths(frame[0].y)}));
  labels["motion_px"] = std::move(motion);
  labels["exposure"] = std::move(exposure);
  labels["defocus_sigma"] = std::move(defocus);
  labels["light_xy"] = std::move(lamps);
  labels["defects"] = DefectsJson(scene.damage.defects);
  labels["mask_flat"] = name + ".mask_flat.png";
  Json frames = Json::array();
  for (const FrameMask& mask : masks) {
    frames.push_back({{"frame", mask.frame},
                      {"file", MaskFileName(name, mask)},
                      {"steadiest", mask.steadiest},
                      {"bbox", BoxesOf(mask.ids)}});
  }
  labels["mask_frames"] = std::move(frames);
  return labels.dump() + "\n";
}

}  // namespace glint
