// SPDX-License-Identifier: Apache-2.0
#include "export/outlines.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace glint {
namespace {

// Directions along borders, clockwise: right, down, left, up.
constexpr std::array<PixelCorner, 4> kSteps{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
// The pixel to the right of a border that leaves a corner in a direction, and the one to its left.
constexpr std::array<PixelCorner, 4> kInside{{{0, 0}, {-1, 0}, {-1, -1}, {0, -1}}};
constexpr std::array<PixelCorner, 4> kOutside{{{0, -1}, {0, 0}, {-1, 0}, {-1, -1}}};
constexpr int kNone = -1;

/// A corner on a chain that closes on itself.
struct Node {
  PixelCorner at;
  int next = kNone;
};

/// A closed chain of borders with marked pixels to its right.
struct Loop {
  int start = kNone;       ///< the topmost node, of those the leftmost
  int before = kNone;      ///< the node that leads to it
  std::int64_t area2 = 0;  ///< twice the area around which it goes clockwise; of a hole negative
};

/// Follows the borders of one mask.
class Tracer {
 public:
  explicit Tracer(const Plane& mask)
      : mask_(mask), followed_(Corners(), 0), top_border_(Corners(), kNone) {
    for (int y = 0; y < mask.height(); ++y) {
      for (int x = 0; x < mask.width(); ++x) {
        if (IsBorder({x, y}, 0) && (followed_[Index({x, y})] & 1) == 0) Follow({x, y});
      }
    }
    JoinHoles();
  }

  std::vector<Polygon> Polygons(const Rectangle& box) const {
    std::vector<Polygon> polygons;
    for (const Loop& loop : loops_) {
      if (loop.area2 > 0) polygons.push_back(PolygonOf(loop, box));
    }
    return polygons;
  }

 private:
  std::size_t Corners() const {
    return (static_cast<std::size_t>(mask_.width()) + 1) *
           (static_cast<std::size_t>(mask_.height()) + 1);
  }
  std::size_t Index(PixelCorner at) const {
    return static_cast<std::size_t>(at.y) * (static_cast<std::size_t>(mask_.width()) + 1) +
           static_cast<std::size_t>(at.x);
  }
  bool IsMarked(int x, int y) const {
    return x >= 0 && y >= 0 && x < mask_.width() && y < mask_.height() &&
           mask_.Row<std::uint8_t>(y)[x] != 0;
  }
  bool IsBorder(PixelCorner at, std::size_t direction) const {
    const PixelCorner in = kInside[direction], out = kOutside[direction];
    return IsMarked(at.x + in.x, at.y + in.y) && !IsMarked(at.x + out.x, at.y + out.y);
  }

  /// Follows the loop whose topmost row begins with the upper border of a pixel, or, of a hole,
  /// one of its lower borders; which corner is its topmost is found on the way.
  void Follow(PixelCorner from) {
    Loop loop;
    PixelCorner at = from;
    std::size_t direction = 0;
    const int first = static_cast<int>(nodes_.size());
    do {
      const int node = static_cast<int>(nodes_.size());
      nodes_.push_back({at, node + 1});
      followed_[Index(at)] |= static_cast<std::uint8_t>(1U << direction);
      if (direction == 0) top_border_[Index(at)] = node;
      const PixelCorner to{at.x + kSteps[direction].x, at.y + kSteps[direction].y};
      loop.area2 += std::int64_t{at.x} * to.y - std::int64_t{to.x} * at.y;
      at = to;
      direction = Turn(at, direction);
    } while (at != from || direction != 0);
    const int last = static_cast<int>(nodes_.size()) - 1;
    nodes_.back().next = first;
    loop.start = first;
    for (int node = first; node <= last; ++node) {
      const PixelCorner a = nodes_[Of(node)].at, b = nodes_[Of(loop.start)].at;
      if (a.y < b.y || (a.y == b.y && a.x < b.x)) loop.start = node;
    }
    loop.before = loop.start == first ? last : loop.start - 1;
    loops_.push_back(loop);
  }

  /// To the right before straight on: so pixels that share a corner alone are apart.
  std::size_t Turn(PixelCorner at, std::size_t direction) const {
    for (const std::size_t turn : {1U, 0U, 3U}) {
      if (IsBorder(at, (direction + turn) % 4)) return (direction + turn) % 4;
    }
    return direction;  // not reached: borders form loops
  }

  /// Cuts from the top of each hole upwards, to the border above it, the upper holes first.
  void JoinHoles() {
    std::vector<const Loop*> holes;
    for (const Loop& loop : loops_) {
      if (loop.area2 < 0) holes.push_back(&loop);
    }
    std::ranges::stable_sort(holes, {},
                             [&](const Loop* hole) { return nodes_[Of(hole->start)].at.y; });
    for (const Loop* hole : holes) Join(*hole);
  }

  void Join(const Loop& hole) {
    const PixelCorner top = nodes_[Of(hole.start)].at;
    PixelCorner above = top;
    while (IsMarked(above.x, above.y - 1)) --above.y;
    int& border = top_border_[Index(above)];
    const int there = border;
    const int back = static_cast<int>(nodes_.size());
    nodes_.push_back({top, back + 1});
    nodes_.push_back({above, nodes_[Of(there)].next});
    nodes_[Of(there)].next = hole.start;
    nodes_[Of(hole.before)].next = back;
    border = back + 1;
  }

  Polygon PolygonOf(const Loop& loop, const Rectangle& box) const {
    Polygon polygon;
    int node = loop.start, before = kNone;
    do {
      const int next = nodes_[Of(node)].next;
      const PixelCorner at = nodes_[Of(node)].at, to = nodes_[Of(next)].at;
      const PixelCorner step{Sign(to.x - at.x), Sign(to.y - at.y)};
      const PixelCorner from = before == kNone ? PixelCorner{} : nodes_[Of(before)].at;
      const PixelCorner came{Sign(at.x - from.x), Sign(at.y - from.y)};
      if (before == kNone || step != came) polygon.push_back({box.x + at.x, box.y + at.y});
      before = node;
      node = next;
    } while (node != loop.start);
    return polygon;
  }

  static std::size_t Of(int node) { return static_cast<std::size_t>(node); }
  static int Sign(int value) { return (value > 0) - (value < 0); }

  const Plane& mask_;
  std::vector<std::uint8_t> followed_;  // bits of directions, by corner
  std::vector<int> top_border_;         // the node that an upper border leaves, by corner
  std::vector<Node> nodes_;
  std::vector<Loop> loops_;
};

}  // namespace

std::vector<Polygon> Outlines(const Annotation& annotation) {
  return Tracer(annotation.mask).Polygons(annotation.box);
}

}  // namespace glint
