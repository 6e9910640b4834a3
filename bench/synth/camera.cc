// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/camera.h"

#include <algorithm>
#include <cmath>

#include "bench/synth/maths.h"
#include "bench/synth/random.h"

namespace glint {
namespace {

constexpr double kFill = 0.86;     // of the frame's side that limits the object
constexpr double kMargin = 0.012;  // of the frame that always stays free around the object
constexpr double kFocal = 0.95;    // focal length in units of the frame's longer side
constexpr Position kFixed = {0.55, -0.4, 0.1};  // beside the camera: right, down, forward
constexpr double kSway = 0.010;                 // turns
constexpr double kReference = 1280;  // longer side of the frames for which tremor is in pixels

/// A sum of sines: smooth, without end, never the same.
class SmoothNoise {
 public:
  /// @param low,high  hertz
  SmoothNoise(Random& random, double amplitude, double low, double high, int waves) {
    for (int i = 0; i < waves; ++i) {
      const double hertz = random.Uniform(low, high);
      const double phase = random.Unit();
      waves_.push_back({amplitude * random.Uniform(0.6, 1) / std::sqrt(waves), hertz, phase});
    }
  }

  double At(double seconds) const {
    double sum = 0;
    for (const Wave& wave : waves_) sum += wave.amplitude * Sine(wave.hertz * seconds + wave.phase);
    return sum;
  }

 private:
  struct Wave {
    double amplitude, hertz, phase;
  };
  std::vector<Wave> waves_;
};

/// How the hand moves; angles in turns, shifts in units of the frame's longer side.
struct Hand {
  /// @param sway_turns  how far the object sways
  Hand(Random& random, double sway_turns)
      : tilt_x(random.Uniform(-0.022, 0.022)),
        tilt_y(random.Uniform(-0.022, 0.022)),
        roll(random.Uniform(-0.012, 0.012)),
        drift{SmoothNoise(random, 0.014, 0.07, 0.2, 2), SmoothNoise(random, 0.014, 0.07, 0.2, 2)},
        tremor{SmoothNoise(random, 0.7 / kReference, 2, 7, 4),
               SmoothNoise(random, 0.7 / kReference, 2, 7, 4)},
        calm(random, 0.5, 0.1, 0.3, 2),
        sway{SmoothNoise(random, sway_turns, 0.06, 0.18, 2),
             SmoothNoise(random, sway_turns, 0.06, 0.18, 2)},
        turn(random, 0.004, 0.06, 0.2, 2),
        height(random, 0.03, 0.05, 0.15, 2),
        light(random, 0.08, 0.04, 0.15, 2) {}

  double tilt_x, tilt_y, roll;
  std::array<SmoothNoise, 2> drift;
  std::array<SmoothNoise, 2> tremor;
  SmoothNoise calm;  // how strong the tremor is
  std::array<SmoothNoise, 2> sway;
  SmoothNoise turn, height, light;
};

using Matrix = std::array<double, 9>;

Matrix Multiply(const Matrix& a, const Matrix& b) {
  Matrix product{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      for (std::size_t k = 0; k < 3; ++k)
        product[row * 3 + column] += a[row * 3 + k] * b[k * 3 + column];
    }
  }
  return product;
}

Matrix Inverse(const Matrix& m) {
  const Matrix adjugate = {
      m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
      m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
      m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
  const double determinant = m[0] * adjugate[0] + m[1] * adjugate[3] + m[2] * adjugate[6];
  Matrix inverse{};
  for (std::size_t i = 0; i < 9; ++i) inverse[i] = adjugate[i] / determinant;
  return inverse;
}

/// Rotation from object to camera: first about the line of sight, then tilted.
Matrix Rotation(double roll, double tilt_x, double tilt_y) {
  const Matrix about_z = {Cosine(roll), -Sine(roll), 0, Sine(roll), Cosine(roll), 0, 0, 0, 1};
  const Matrix about_x = {
      1, 0, 0, 0, Cosine(tilt_x), -Sine(tilt_x), 0, Sine(tilt_x), Cosine(tilt_x)};
  const Matrix about_y = {Cosine(tilt_y), 0, Sine(tilt_y),  0, 1, 0,
                          -Sine(tilt_y),  0, Cosine(tilt_y)};
  return Multiply(about_x, Multiply(about_y, about_z));
}

struct View {
  Homography frame_from_unit{};  // object's own units to displayed pixels
  Position eye, fixed;
};

/// The pinhole camera at time `seconds`.
/// @param base_roll  turns by which the phone is turned
/// @param distance   from the object's middle, in longer sides of the object
View ViewAt(const Hand& hand, double base_roll, double distance, Size display, double seconds) {
  const double focal = kFocal * std::max(display.width, display.height);
  const Matrix r =
      Rotation(base_roll + hand.roll + hand.turn.At(seconds),
               hand.tilt_x + hand.sway[0].At(seconds), hand.tilt_y + hand.sway[1].At(seconds));
  const double shake = std::max(0.15, 0.8 + hand.calm.At(seconds));
  const double z = distance * (1 + hand.height.At(seconds));
  const double x =
      (hand.drift[0].At(seconds) + shake * hand.tremor[0].At(seconds)) * distance / kFocal;
  const double y =
      (hand.drift[1].At(seconds) + shake * hand.tremor[1].At(seconds)) * distance / kFocal;
  const Matrix pose = {r[0], r[1], x, r[3], r[4], y, r[6], r[7], z};
  const Matrix lens = {focal, 0, (display.width - 1) / 2.0, 0, focal, (display.height - 1) / 2.0, 0,
                       0,     1};
  // The camera looks along +z of a frame whose z points into the desk; "up" is the other way.
  const auto seen_from_object = [&](Position at) {
    const double from_x = at.x - x, from_y = at.y - y, from_z = at.z - z;
    return Position{r[0] * from_x + r[3] * from_y + r[6] * from_z,
                    r[1] * from_x + r[4] * from_y + r[7] * from_z,
                    -(r[2] * from_x + r[5] * from_y + r[8] * from_z)};
  };
  return {Multiply(lens, pose), seen_from_object({0, 0, 0}), seen_from_object(kFixed)};
}

struct Extent {
  double x, y;  // half sides in units of the longer one
};

Extent HalfSides(double aspect) {
  return aspect < 1 ? Extent{aspect / 2, 0.5} : Extent{0.5, 0.5 / aspect};
}

bool Inside(const View& view, Extent half, Size display) {
  const double rim = kMargin * std::max(display.width, display.height);
  for (const Point corner : {Point{-half.x, -half.y}, Point{half.x, -half.y}, Point{half.x, half.y},
                             Point{-half.x, half.y}}) {
    const Point p = Apply(view.frame_from_unit, corner);
    if (p.x < rim || p.y < rim || p.x > display.width - 1 - rim || p.y > display.height - 1 - rim) {
      return false;
    }
  }
  return true;
}

/// The views of all frames from as near as the whole object fits.
std::vector<View> FitViews(const Hand& hand, double base_roll, Extent half, Size display,
                           int frames, int frames_per_s) {
  const bool turned = base_roll != 0;
  const double across = 2 * (turned ? half.y : half.x);
  const double down = 2 * (turned ? half.x : half.y);
  const double focal = kFocal * std::max(display.width, display.height);
  double distance =
      focal * std::max(across / (kFill * display.width), down / (kFill * display.height));
  std::vector<View> views;
  for (int attempt = 0; attempt < 60; ++attempt) {
    views.clear();
    for (int i = 0; i < frames; ++i) {
      views.push_back(
          ViewAt(hand, base_roll, distance, display, static_cast<double>(i) / frames_per_s));
      if (!Inside(views.back(), half, display)) break;
    }
    if (static_cast<int>(views.size()) == frames && Inside(views.back(), half, display)) break;
    distance *= 1.02;
  }
  return views;
}

double Distance(Point a, Point b) {
  const double x = a.x - b.x;
  const double y = a.y - b.y;
  return std::sqrt(x * x + y * y);
}

Size FlatSize(const std::vector<View>& views, Extent half) {
  double width = 0;
  double height = 0;
  for (const View& view : views) {
    const Point left = Apply(view.frame_from_unit, {-half.x, 0});
    const Point right = Apply(view.frame_from_unit, {half.x, 0});
    const Point top = Apply(view.frame_from_unit, {0, -half.y});
    const Point bottom = Apply(view.frame_from_unit, {0, half.y});
    width += Distance(left, right);
    height += Distance(top, bottom);
  }
  const double longer = std::max(width, height) / static_cast<double>(views.size());
  return {static_cast<int>(std::floor(2 * half.x * longer + 0.5)),
          static_cast<int>(std::floor(2 * half.y * longer + 0.5))};
}

double MeanMotion(const Homography& before, const Homography& after, Size flat) {
  constexpr int kGrid = 5;
  double sum = 0;
  for (int row = 0; row < kGrid; ++row) {
    for (int column = 0; column < kGrid; ++column) {
      const Point p{flat.width * (column + 0.5) / kGrid, flat.height * (row + 0.5) / kGrid};
      sum += Distance(Apply(before, p), Apply(after, p));
    }
  }
  return sum / (kGrid * kGrid);
}

/// Most scans lose the focus for a moment. @return standard deviation per frame
std::vector<double> Defocus(int frames, int frames_per_s, Size display, Random& random) {
  std::vector<double> blur(static_cast<std::size_t>(frames));
  const bool happens = random.Chance(0.6);
  const double middle = frames * random.Uniform(0.2, 0.8);
  const double length = std::min(frames_per_s * random.Uniform(0.1, 0.2), frames * 0.04);
  const double peak = random.Uniform(1, 2) * std::max(display.width, display.height) / kReference;
  for (int i = 0; happens && i < frames; ++i) {
    blur[static_cast<std::size_t>(i)] = peak * Bell((i - middle) / length);
  }
  return blur;
}

}  // namespace

Quadrilateral CameraPath::Corners(std::size_t frame) const {
  const double w = flat_size.width;
  const double h = flat_size.height;
  const Homography& map = frames[frame].frame_from_object;
  return {Apply(map, {0, 0}), Apply(map, {w, 0}), Apply(map, {w, h}), Apply(map, {0, h})};
}

CameraPath FilmByHand(double aspect, Size display, int frames, int frames_per_s, std::uint32_t seed,
                      bool tilting) {
  Random random(seed, 2);
  const Hand hand(random, tilting ? 3 * kSway : kSway);
  const bool across = (aspect < 1) != (display.width < display.height);
  const double side = random.Chance(0.5) ? 0.25 : -0.25;
  const Extent half = HalfSides(aspect);
  const std::vector<View> views =
      FitViews(hand, across ? side : 0, half, display, frames, frames_per_s);
  const std::vector<double> defocus = Defocus(frames, frames_per_s, display, random);

  CameraPath path;
  path.flat_size = FlatSize(views, half);
  const double longer = std::max(path.flat_size.width, path.flat_size.height);
  const Matrix unit_from_flat = {1 / longer, 0,          -path.flat_size.width / 2.0 / longer,
                                 0,          1 / longer, -path.flat_size.height / 2.0 / longer,
                                 0,          0,          1};
  for (std::size_t i = 0; i < views.size(); ++i) {
    CameraFrame frame;
    frame.frame_from_object = Multiply(views[i].frame_from_unit, unit_from_flat);
    frame.object_from_frame = Inverse(frame.frame_from_object);
    frame.eye = views[i].eye;
    frame.fixed = views[i].fixed;
    frame.exposure = 1 + hand.light.At(static_cast<double>(i) / frames_per_s);
    frame.defocus = defocus[i];
    path.motion_px.push_back(i == 0 ? 0
                                    : MeanMotion(path.frames.back().frame_from_object,
                                                 frame.frame_from_object, path.flat_size));
    path.frames.push_back(frame);
  }
  return path;
}

}  // namespace glint
