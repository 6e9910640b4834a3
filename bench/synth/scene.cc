// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/scene.h"

#include <algorithm>
#include <cmath>

#include "bench/synth/artwork.h"

namespace glint {
namespace {

constexpr int kPeakStep = 10;  // frames between two looks at how visible a defect is

/// Linear light to a gamma-coded value 0..255: bright light saturates softly, as in a phone.
float Develop(float light) {
  constexpr float kKnee = 0.8F;
  if (light > kKnee) {
    const float over = (light - kKnee) / (1 - kKnee);
    light = kKnee + (1 - kKnee) * over / (1 + over);
  }
  return 255.0F * std::sqrt(light);
}

float Luma(const std::array<float, 3>& rgb) {
  return 0.2126F * rgb[0] + 0.7152F * rgb[1] + 0.0722F * rgb[2];
}

bool Visible(const Scene& scene, std::size_t frame, int x, int y) {
  const Point p = Apply(scene.camera.frames[frame].frame_from_object,
                        {static_cast<double>(x), static_cast<double>(y)});
  return p.x >= 0 && p.y >= 0 && p.x <= scene.display_size.width - 1 &&
         p.y <= scene.display_size.height - 1;
}

/// Finds for each defect where it changes the picture most, against the same object undamaged.
void MeasurePeaks(Scene& scene, const Surface& clean) {
  for (std::size_t frame = 0; frame < scene.camera.frames.size(); frame += kPeakStep) {
    const SceneView damaged_view(scene, scene.surface, frame);
    const SceneView clean_view(scene, clean, frame);
    for (int y = 0; y < scene.surface.size().height; ++y) {
      for (int x = 0; x < scene.surface.size().width; ++x) {
        const int id = scene.damage.ids.Row<std::uint8_t>(y)[x];
        if (id == 0 || !Visible(scene, frame, x, y)) continue;
        const double delta =
            std::abs(Luma(damaged_view.Colour(x, y)) - Luma(clean_view.Colour(x, y)));
        SynthDefect& defect = scene.damage.defects[static_cast<std::size_t>(id - 1)];
        if (delta <= defect.peak_delta) continue;
        defect.peak_delta = delta;
        defect.peak_frame = static_cast<int>(frame);
      }
    }
  }
}

Size DisplaySize(const SynthOptions& options) {
  const Size size = options.video_size;
  return options.rotation % 180 == 0 ? size : Size{size.height, size.width};
}

}  // namespace

Scene BuildScene(const SynthOptions& options) {
  const Size display = DisplaySize(options);
  CameraPath camera =
      FilmByHand(AspectOf(options.kind), display, options.frames, options.frames_per_s,
                 FilmSeed(options), options.light == SynthLight::kStill);
  const Size flat = camera.flat_size;
  Surface surface(options.kind, DrawArtwork(options.kind, flat, options.seed), options.seed);
  Desk desk(surface.scale(), FilmSeed(options));
  std::vector<Lamps> lamps =
      PlaceLamps(options.light, camera, options.frames_per_s, FilmSeed(options));
  std::vector<Finger> fingers;
  if (options.fingers) {
    fingers = ReachIn(flat, options.frames, options.frames_per_s, FilmSeed(options));
  }
  const double longer = std::max(flat.width, flat.height);
  Scene scene{.kind = options.kind,
              .display_size = display,
              .camera = std::move(camera),
              .lamps = std::move(lamps),
              .light = options.light,
              .bend_px = options.bend * longer,
              .fingers = std::move(fingers),
              .surface = std::move(surface),
              .desk = std::move(desk),
              .damage = NoDamage(flat)};
  if (options.clean) {
    scene.surface.Finish();
    return scene;
  }
  Surface clean = scene.surface;
  clean.Finish();
  scene.damage = DoDamage(options.kind, scene.surface, options.seed);
  scene.surface.Finish();
  MeasurePeaks(scene, clean);
  return scene;
}

SceneView::SceneView(const Scene& scene, const Surface& surface, std::size_t frame)
    : surface_(surface),
      desk_(scene.desk),
      object_light_(FinishOf(scene.kind, scene.light), scene.lamps[frame],
                    scene.camera.frames[frame].eye),
      desk_light_(kDesk, scene.lamps[frame], scene.camera.frames[frame].eye),
      finger_(scene.fingers.empty() ? nullptr : &scene.fingers[frame]),
      bend_px_(scene.bend_px),
      longer_(std::max(surface.size().width, surface.size().height)),
      exposure_(static_cast<float>(scene.camera.frames[frame].exposure)) {
  const Position& eye = scene.camera.frames[frame].eye;
  eye_px_ = {eye.x * longer_ + surface.size().width / 2.0,
             eye.y * longer_ + surface.size().height / 2.0, eye.z * longer_};
}

Point SceneView::Hit(double x, double y) const {
  if (bend_px_ == 0) return {x, y};
  Point at{x, y};
  constexpr int kSteps = 4;  // each ten times nearer: the bulge is flat against the distance
  for (int i = 0; i < kSteps; ++i) {
    const double nearer = Bulge(at.x).height / eye_px_.z;
    at = {x + (eye_px_.x - x) * nearer, y + (eye_px_.y - y) * nearer};
  }
  return at;
}

SceneView::Height SceneView::Bulge(double x) const {
  const double width = surface_.size().width;
  if (x <= 0 || x >= width) return {};
  const double u = 2 * x / width - 1;
  return {bend_px_ * (1 - u * u), -4 * bend_px_ * u / width};
}

std::array<float, 3> SceneView::Seen(double x, double y) const {
  const Point at = Hit(x, y);
  std::array<float, 3> colour = Colour(at.x, at.y);
  if (finger_ == nullptr) return colour;
  const FingerTexel finger = finger_->At(x, y);
  for (std::size_t i = 0; i < 3; ++i) {
    const float skin = Develop(exposure_ * finger.light[i]);
    colour[i] = finger.cover * skin + (1 - finger.cover) * colour[i];
  }
  return colour;
}

std::array<float, 3> SceneView::Colour(double x, double y) const {
  const Size size = surface_.size();
  const double rim = surface_.margin() - 2;
  const bool near = x > -rim && y > -rim && x < size.width + rim - 1 && y < size.height + rim - 1;
  const auto unit_x = static_cast<float>((x - size.width / 2.0) / longer_);
  const auto unit_y = static_cast<float>((y - size.height / 2.0) / longer_);
  Texel texel{};
  texel[kShade] = 1;
  if (near) texel = surface_.Sample(x, y);
  if (bend_px_ != 0) texel[kSlopeX] += static_cast<float>(Bulge(x).slope);
  const float cover = texel[kCover];
  Radiance light{};
  if (cover > 0) light = object_light_.At(unit_x, unit_y, texel);
  if (cover < 1) {
    const Radiance colour = desk_.At(x, y);
    const Radiance desk = desk_light_.At(unit_x, unit_y, {colour[0], colour[1], colour[2]});
    for (std::size_t i = 0; i < 3; ++i)
      light[i] = cover * light[i] + (1 - cover) * texel[kShade] * desk[i];
  }
  return {Develop(exposure_ * light[0]), Develop(exposure_ * light[1]),
          Develop(exposure_ * light[2])};
}

}  // namespace glint
