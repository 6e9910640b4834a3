// SPDX-License-Identifier: Apache-2.0
#include "bench/verify/cases.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

#include "base/status_macros.h"
#include "base/stored_rows.h"

namespace glint {
namespace {

constexpr int kFrames = 6;

/// A displacement of up to 2 px whose nodes differ much from their neighbours.
Displacement DrawnDisplacement(Size picture) {
  const Size nodes = Displacement::NodesFor(picture);
  Displacement drawn{.x = Plane::Host(nodes, PixelType::kS16),
                     .y = Plane::Host(nodes, PixelType::kS16)};
  for (int y = 0; y < nodes.height; ++y) {
    for (int x = 0; x < nodes.width; ++x) {
      drawn.x.Row<std::int16_t>(y)[x] = static_cast<std::int16_t>((x * 367 + y * 113) % 1025 - 512);
      drawn.y.Row<std::int16_t>(y)[x] = static_cast<std::int16_t>((x * 211 + y * 449) % 1025 - 512);
    }
  }
  return drawn;
}

/// S. Vigna's splitmix64: numbers that do not depend on the standard library.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// low .. high
  int UniformInt(int low, int high) {
    return low + static_cast<int>(Next() % static_cast<unsigned>(high - low + 1));
  }

 private:
  std::uint64_t state_;
};

Plane Drawn(Size size, const std::function<int(int, int)>& draw) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) {
    auto* row = plane.Row<std::uint8_t>(y);
    for (int x = 0; x < size.width; ++x) row[x] = static_cast<std::uint8_t>(draw(x, y));
  }
  return plane;
}

/// Patches of grey with soft edges under some noise, shifted; all in integers.
Plane Picture(Size size, int cell, int shift_x, int shift_y, std::uint64_t seed, int noise) {
  const auto grey_of = [&](int i, int j) {
    const std::uint32_t across = static_cast<std::uint32_t>(i) * 7919U;
    const std::uint32_t down = static_cast<std::uint32_t>(j) * 104729U;
    return static_cast<int>(Numbers(seed + across + down).Next() & 255U);
  };
  Numbers numbers(seed ^ 0xABCDU);
  return Drawn(size, [&](int x, int y) {
    const int u = x + shift_x + 4096, v = y + shift_y + 4096;
    const int i = u / cell, j = v / cell, fx = u % cell, fy = v % cell;
    const int top = grey_of(i, j) * (cell - fx) + grey_of(i + 1, j) * fx;
    const int bottom = grey_of(i, j + 1) * (cell - fx) + grey_of(i + 1, j + 1) * fx;
    const int grey = (top * (cell - fy) + bottom * fy) / (cell * cell);
    const int grain = noise > 0 ? numbers.UniformInt(-noise, noise) : 0;
    return std::min(255, std::max(0, grey + grain));
  });
}

/// Gathers the bytes of what a stage gave.
class Answers {
 public:
  explicit Answers(Backend& backend) : backend_(backend) {}

  absl::Status Add(std::string stage, std::span<const Plane> planes) {
    StageAnswer answer{std::move(stage), {}};
    for (const Plane& plane : planes) {
      GLINT_ASSIGN_OR_RETURN(const auto host, backend_.Download(plane));
      const auto row = static_cast<std::size_t>(host.width()) *
                       static_cast<std::size_t>(BytesPerPixel(host.type()));
      answer.bytes += ToString(host.size());
      for (int y = 0; y < host.height(); ++y) answer.bytes.append(host.Row<char>(y), row);
    }
    list.push_back(std::move(answer));
    return absl::OkStatus();
  }

  template <class T>
  void AddValues(std::string stage, std::span<const T> values) {
    list.push_back({std::move(stage), std::string(reinterpret_cast<const char*>(values.data()),
                                                  values.size_bytes())});
  }

  std::vector<StageAnswer> list;

 private:
  Backend& backend_;
};

/// Makes a stage, calls `work` with it, and keeps the first failure of all.
class Steps {
 public:
  template <class Stage, class Work>
  void Do(absl::StatusOr<std::unique_ptr<Stage>> stage, const Work& work) {
    if (!status.ok()) return;
    status = stage.status();
    if (status.ok()) status = work(**stage);
  }

  absl::Status status;
};

absl::Status UploadAll(Backend& backend, std::span<const Plane> planes, std::vector<Plane>& out) {
  for (const Plane& plane : planes) {
    GLINT_ASSIGN_OR_RETURN(auto uploaded, backend.Upload(plane));
    out.push_back(std::move(uploaded));
  }
  return absl::OkStatus();
}

absl::Status RunMeasures(Backend& backend, std::span<const Plane> frames, Answers& answers) {
  Steps steps;
  steps.Do(backend.MakeLumaConversion(), [&](LumaConversionStage& stage) -> absl::Status {
    for (const bool full_range : {false, true}) {
      GLINT_ASSIGN_OR_RETURN(const std::vector<Plane> luma,
                             stage.Run(frames, {.full_range = full_range}));
      GLINT_RETURN_IF_ERROR(answers.Add("luma", luma));
    }
    return absl::OkStatus();
  });
  steps.Do(backend.MakeLumaStatistics(), [&](LumaStatisticsStage& stage) {
    std::vector<LumaStatistics> sums(frames.size());
    absl::Status done = stage.Run(frames, sums);
    answers.AddValues("statistics", std::span<const LumaStatistics>(sums));
    return done;
  });
  steps.Do(backend.MakeFlow(), [&](FlowStage& stage) -> absl::Status {
    std::vector<double> lengths(frames.size() - 1);
    GLINT_RETURN_IF_ERROR(stage.MeanLengths(frames, lengths));
    answers.AddValues("flow_lengths", std::span<const double>(lengths));
    GLINT_ASSIGN_OR_RETURN(const Plane near, stage.Field(frames[0], frames[1]));
    GLINT_ASSIGN_OR_RETURN(const Plane far, stage.Field(frames[0], frames.back()));
    return answers.Add("flow", std::array{near, far});
  });
  return steps.status;
}

/// Measures host frames batch after batch, as many at a time as the stage allows.
/// @param begins  first frame of each batch, and behind the last one
absl::Status RunBatches(Backend& backend, std::span<const Plane> frames,
                        std::span<const std::size_t> begins, bool motion, Answers& answers) {
  Steps steps;
  steps.Do(backend.MakeMeasure(), [&](MeasureStage& stage) {
    std::vector<LumaStatistics> statistics(frames.size());
    std::vector<double> lengths(motion ? frames.size() : 0);
    std::size_t ended = 0;
    const auto end = [&] {
      const std::size_t first = begins[ended], count = begins[ended + 1] - first;
      ++ended;
      return stage.End(std::span(statistics).subspan(first, count),
                       motion ? std::span(lengths).subspan(first, count) : std::span<double>());
    };
    absl::Status status;
    for (std::size_t i = 0; status.ok() && i + 1 < begins.size(); ++i) {
      if (i - ended == static_cast<std::size_t>(stage.most_in_flight())) status = end();
      if (!status.ok()) break;
      status = stage.Begin(frames.subspan(begins[i], begins[i + 1] - begins[i]), motion);
    }
    while (status.ok() && ended + 1 < begins.size()) status = end();
    answers.AddValues("measure", std::span<const LumaStatistics>(statistics));
    answers.AddValues("measure", std::span<const double>(lengths));
    return status;
  });
  return steps.status;
}

/// Measures batches of different lengths; and batches of one length, which a device may come to do
/// as one piece of work (a CUDA graph). Their motion is measured in small frames only: it is dear.
absl::Status RunAllBatches(Backend& backend, std::span<const Plane> frames, Answers& answers) {
  const std::array<std::size_t, 4> of_any_length = {0, 2, 3, frames.size()};
  GLINT_RETURN_IF_ERROR(RunBatches(backend, frames, of_any_length, true, answers));
  std::array<std::size_t, 9> alike{};
  std::vector<Plane> again;
  for (std::size_t i = 0; i + 1 < alike.size(); ++i) {
    again.push_back(frames[i % frames.size()]);
    alike[i + 1] = i + 1;
  }
  constexpr std::int64_t kSmall = 10'000;
  const bool motion = frames[0].size().area() <= kSmall;
  return RunBatches(backend, again, alike, motion, answers);
}

/// The stages of `classic`, fed with two pictures.
absl::Status RunClassic(Backend& backend, std::span<const Plane> frames, Answers& answers) {
  constexpr CannyThresholds kThresholds[] = {{15, 60}, {30, 100}, {50, 150}};
  std::vector<ClassicEvidence> evidence(2);
  Steps steps;
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    steps.Do(backend.MakeEdges(), [&](EdgeStage& stage) {
      GLINT_ASSIGN_OR_RETURN(const std::vector<Plane> edges, stage.Run(frames[i], kThresholds));
      std::ranges::copy(edges, evidence[i].edges.begin());
      return answers.Add("edges", edges);
    });
    steps.Do(backend.MakeDetail(), [&](DetailStage& stage) {
      DetailMaps& maps = evidence[i].detail;
      GLINT_ASSIGN_OR_RETURN(maps, stage.Run(frames[i]));
      return answers.Add("detail", std::array{maps.laplacian, maps.gradient, maps.variance});
    });
  }
  Plane score, mask;
  steps.Do(backend.MakeClassicFusion(), [&](ClassicFusionStage& stage) {
    GLINT_ASSIGN_OR_RETURN(score, stage.Score(evidence, frames.first(2), {}));
    GLINT_ASSIGN_OR_RETURN(mask, stage.Mask(score, 1.5));
    return answers.Add("fusion", std::array{score, mask});
  });
  steps.Do(backend.MakeConnectedComponents(), [&](ConnectedComponentsStage& stage) {
    GLINT_ASSIGN_OR_RETURN(const ConnectedComponents areas, stage.Run(mask, score));
    GLINT_ASSIGN_OR_RETURN(const ConnectedComponents lines,
                           stage.Run(evidence[0].edges[0], Plane()));
    answers.AddValues("components", std::span<const Component>(areas.components));
    answers.AddValues("components", std::span<const Component>(lines.components));
    return answers.Add("components", std::array{areas.labels, lines.labels});
  });
  return steps.status;
}

absl::Status RunPhotometric(Backend& backend, const PhotometricViews& views, Answers& answers) {
  constexpr NoiseModel kNoise{.base = 0.7F, .gradient = 0.003F, .curvature = 0.001F};
  Albedo albedo;
  std::vector<StoredPlane> residuals;
  LineEvidence evidence;
  Steps steps;
  steps.Do(backend.MakeAlbedo(), [&](AlbedoStage& stage) {
    GLINT_ASSIGN_OR_RETURN(albedo, stage.Run(views));
    return answers.Add("artwork",
                       std::array{albedo.grey, albedo.gradient, albedo.curvature, albedo.count});
  });
  steps.Do(backend.MakeResidual(), [&](ResidualStage& stage) {
    GLINT_ASSIGN_OR_RETURN(residuals, stage.Run(views, albedo, {}));
    GLINT_RETURN_IF_ERROR(answers.Add("residual", WholeOf(residuals)));
    GLINT_ASSIGN_OR_RETURN(const Plane magnitude, stage.MedianMagnitude(views, residuals));
    return answers.Add("magnitude", std::array{magnitude});
  });
  steps.Do(backend.MakeLineEvidence(), [&](LineEvidenceStage& stage) {
    GLINT_ASSIGN_OR_RETURN(evidence, stage.Run(views, residuals, albedo, kNoise, {}));
    return answers.Add("lines", std::array{evidence.energy, evidence.direction, evidence.point});
  });
  steps.Do(backend.MakeRidge(), [&](RidgeStage& stage) {
    GLINT_ASSIGN_OR_RETURN(const Plane ridges, stage.Run(evidence, 40, 20, {}));
    return answers.Add("ridges", std::array{ridges});
  });
  return steps.status;
}

}  // namespace

VerifyCase::VerifyCase(std::uint64_t seed, int largest_side) {
  Numbers numbers(seed);
  size_ = {numbers.UniformInt(16, largest_side), numbers.UniformInt(16, largest_side)};
  const int cell = numbers.UniformInt(3, 19);
  const std::uint64_t picture = numbers.Next();
  for (int i = 0; i < kFrames - 1; ++i) {
    const int shift_x = i * numbers.UniformInt(0, 2);
    const int shift_y = i * numbers.UniformInt(-2, 1);
    frames_.push_back(Picture(size_, cell, shift_x, shift_y, picture, numbers.UniformInt(0, 6)));
  }
  Numbers noise(picture);
  frames_.push_back(Drawn(size_, [&](int, int) { return static_cast<int>(noise.Next() & 255); }));
  for (int i = 0; i < kFrames; ++i) {
    valid_.push_back(
        Drawn(size_, [&](int x, int y) { return (3 * x + 5 * y + 11 * i) % 29 < 26; }));
  }
  surface_ = Drawn(size_, [](int x, int y) { return x + y > 4; });
  const auto small = [&](double unit) { return (numbers.UniformInt(-100, 100)) * unit; };
  homography_ = {1 + small(1e-3), small(2e-3), small(0.1), small(2e-3), 1 + small(1e-3), small(0.1),
                 small(1e-6),     small(1e-6), 1};
  using Shape = StructuringElement::Shape;
  constexpr std::array kShapes = {Shape::kRectangle, Shape::kEllipse, Shape::kLine};
  element_ = {.shape = kShapes[static_cast<std::size_t>(numbers.UniformInt(0, 2))],
              .size = {numbers.UniformInt(1, 8), numbers.UniformInt(1, 8)},
              .angle = numbers.UniformInt(0, 31) * 0.1};
  constexpr std::array kOps = {MorphologyOp::kErode,  MorphologyOp::kDilate,
                               MorphologyOp::kOpen,   MorphologyOp::kClose,
                               MorphologyOp::kTopHat, MorphologyOp::kBlackHat};
  op_ = kOps[static_cast<std::size_t>(numbers.UniformInt(0, 5))];
  iterations_ = numbers.UniformInt(1, 3);
}

absl::StatusOr<std::vector<StageAnswer>> VerifyCase::Run(Backend& backend) const {
  Answers answers(backend);
  std::vector<Plane> frames, valid, surface;
  GLINT_RETURN_IF_ERROR(UploadAll(backend, frames_, frames));
  GLINT_RETURN_IF_ERROR(UploadAll(backend, valid_, valid));
  GLINT_RETURN_IF_ERROR(UploadAll(backend, {&surface_, 1}, surface));
  GLINT_RETURN_IF_ERROR(RunMeasures(backend, frames, answers));
  GLINT_RETURN_IF_ERROR(RunAllBatches(backend, frames_, answers));
  GLINT_RETURN_IF_ERROR(RunClassic(backend, frames, answers));
  Steps steps;
  steps.Do(backend.MakeMorphology(), [&](MorphologyStage& stage) {
    GLINT_ASSIGN_OR_RETURN(const Plane out, stage.Run(frames[0], op_, element_, iterations_));
    return answers.Add("morphology", std::array{out});
  });
  steps.Do(backend.MakeWarp(), [&](WarpStage& stage) {
    GLINT_ASSIGN_OR_RETURN(const Plane linear, stage.Run(frames[0], homography_, size_,
                                                         Interpolation::kLinear, std::nullopt));
    GLINT_ASSIGN_OR_RETURN(const Plane nearest,
                           stage.Run(frames[0], homography_, size_, Interpolation::kNearest, 7));
    return answers.Add("warp", std::array{linear, nearest});
  });
  steps.Do(backend.MakeSheetWarp(), [&](SheetWarpStage& stage) {
    GLINT_ASSIGN_OR_RETURN(const Plane bent,
                           stage.Run(frames[0], homography_, DrawnDisplacement(size_), size_));
    return answers.Add("sheet warp", std::array{bent});
  });
  GLINT_RETURN_IF_ERROR(steps.status);
  GLINT_RETURN_IF_ERROR(
      RunPhotometric(backend, {.greys = frames, .valid = valid, .surface = surface[0]}, answers));
  return std::move(answers.list);
}

}  // namespace glint
