// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/farneback/farneback.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "stages/cpu/farneback/targets.h"
#include "stages/shared/flow_length.h"

namespace glint::farneback {
namespace {

/// Columns of a tile, at least, unless it is the only one: the windows at its sides reach into its
/// neighbours, so that narrower ones would do most of their work twice.
constexpr int kNarrowestTile = 128;

/// As many for each thread, where the level is wide enough.
int TilesOf(int width, int threads) {
  const int fewest = (width + kTileColumns - 1) / kTileColumns;
  const int shared = (fewest + threads - 1) / threads * threads;
  return std::clamp(shared, fewest, std::max(fewest, width / kNarrowestTile));
}

/// Whether these are the same pixels. Planes that stages were given do not change.
bool IsSame(const Plane& a, const Plane& b) {
  return !a.empty() && a.data() == b.data() && a.size() == b.size() && a.stride() == b.stride();
}

}  // namespace

Farneback::Farneback(Size size, ThreadPool& pool)
    : pool_(pool), geometry_(size), coarse_flow_(CoarseFlow(geometry_)) {
  parts_ = TilesOf(size.width, pool.threads());
  idle_.reserve(static_cast<std::size_t>(pool.threads()) + 1);
}

/// Scratch memory for one piece of work at a time; there is as much as pieces run at once, however
/// wide the frames are.
class Farneback::Borrowed {
 public:
  explicit Borrowed(Farneback& owner) : owner_(owner) {
    {
      const MutexLock lock(owner_.mutex_);
      if (!owner_.idle_.empty()) {
        scratch_ = std::move(owner_.idle_.back());
        owner_.idle_.pop_back();
      }
    }
    if (!scratch_) scratch_ = std::make_unique<Scratch>(owner_.geometry_);
  }
  ~Borrowed() {
    const MutexLock lock(owner_.mutex_);
    if (owner_.idle_.size() < owner_.idle_.capacity()) owner_.idle_.push_back(std::move(scratch_));
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  Scratch& operator*() const { return *scratch_; }

 private:
  Farneback& owner_;
  std::unique_ptr<Scratch> scratch_;
};

Plane Farneback::Field(const Plane& previous, const Plane& next) {
  Start(previous);
  Expand(next, 1 - latest_);
  const FramePair pair = EstimateCoarse(
      {geometry_, previous, expansions_[latest_], expansions_[1 - latest_], coarse_flow_});
  Plane field = Plane::Host(previous.size(), PixelType::kF32x2);
  ForTiles(size().width, [&](int /*i*/, Columns tile) {
    EstimateFieldTile(pair, tile, *Borrowed(*this), field);
  });
  return field;
}

void Farneback::Start(const Plane& first) {
  for (const int place : {latest_, 1 - latest_}) {
    if (!IsSame(first, expanded_[place])) continue;
    latest_ = place;
    return;
  }
  Expand(first, latest_);
}

double Farneback::MeanLengthTo(const Plane& next) {
  const Expansion& previous = expansions_[latest_];
  const Plane& previous_luma = expanded_[latest_];
  latest_ = 1 - latest_;
  Expand(next, latest_);
  return MeanLengthOf({geometry_, previous_luma, previous, expansions_[latest_], coarse_flow_});
}

double Farneback::MeanLength(const Plane& previous, const Plane& next) {
  if (streamed_.levels.empty()) streamed_ = Expansion(geometry_, Expansion::Levels::kCoarse);
  ExpandInto(streamed_, previous);
  Expand(next, latest_);
  return MeanLengthOf({geometry_, previous, streamed_, expansions_[latest_], coarse_flow_});
}

double Farneback::MeanLengthOf(const FramePair& pair) {
  EstimateCoarse(pair);
  std::vector<std::int64_t> sums(parts_);
  ForTiles(size().width,
           [&](int i, Columns tile) { sums[i] = SumTileLengths(pair, tile, *Borrowed(*this)); });
  return MeanOfQuantisedLengths(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}),
                                size().area());
}

void Farneback::Expand(const Plane& luma, int place) {
  expanded_[place] = Plane();  // until all of it is there
  if (expansions_[place].levels.empty()) expansions_[place] = Expansion(geometry_);
  ExpandInto(expansions_[place], luma);
  expanded_[place] = luma;
}

void Farneback::ExpandInto(Expansion& expansion, const Plane& luma) {
  pool_.ParallelFor(parts_, [&](std::int64_t i) {
    ExpandBand(geometry_, luma, {static_cast<int>(i), parts_}, *Borrowed(*this), expansion);
  });
}

/// All levels but the finest.
const FramePair& Farneback::EstimateCoarse(const FramePair& pair) {
  for (int k = static_cast<int>(geometry_.levels.size()) - 1; k > 0; --k) {
    ForTiles(geometry_.levels[k].size.width,
             [&](int /*i*/, Columns tile) { EstimateCoarseTile(pair, k, tile, *Borrowed(*this)); });
  }
  return pair;
}

/// Calls work(index, columns) for each tile of a level.
void Farneback::ForTiles(int width, const std::function<void(int, Columns)>& work) {
  const int tiles = TilesOf(width, pool_.threads());
  pool_.ParallelFor(tiles, [&](std::int64_t i) {
    const Part part{static_cast<int>(i), tiles};
    work(part.index, {part.Begin(width), part.End(width)});
  });
}

}  // namespace glint::farneback
