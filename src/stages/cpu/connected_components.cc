// SPDX-License-Identifier: Apache-2.0
// Labels whole runs of set pixels, in two passes (L. He, Y. Chao and K. Suzuki, "A Run-Based
// Two-Scan Labeling Algorithm", IEEE Transactions on Image Processing 2008). OpenCV has the labels,
// too, but its blocks of 2x2 pixels number components in another order.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/host_call.h"
#include "base/status_macros.h"
#include "stages/cpu/stages.h"
#include "stages/shared/check_components.h"

namespace glint {
namespace {

/// Set pixels of one row without a gap.
struct PixelRun {
  int first = 0;
  int end = 0;  ///< behind the last one
};

static_assert(std::endian::native == std::endian::little, "a word's lowest byte comes first");
constexpr int kWord = sizeof(std::uint64_t);

std::uint64_t WordAt(const std::uint8_t* pixels) {
  std::uint64_t word = 0;
  std::memcpy(&word, pixels, kWord);
  return word;
}

/// The first pixel from `x` on that is set, or `width`.
int NextSet(const std::uint8_t* row, int x, int width) {
  for (; x + kWord <= width; x += kWord) {
    if (const std::uint64_t word = WordAt(row + x); word != 0) {
      return x + std::countr_zero(word) / 8;
    }
  }
  while (x < width && row[x] == 0) ++x;
  return x;
}

/// The first pixel from `x` on that is not set, or `width`.
int NextUnset(const std::uint8_t* row, int x, int width) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kTops = 0x8080808080808080;
  for (; x + kWord <= width; x += kWord) {
    const std::uint64_t word = WordAt(row + x);
    // The lowest bit of it stands in the first byte that is 0; higher ones may be carries.
    if (const std::uint64_t zeros = (word - kOnes) & ~word & kTops; zeros != 0) {
      return x + std::countr_zero(zeros) / 8;
    }
  }
  while (x < width && row[x] != 0) ++x;
  return x;
}

class CpuConnectedComponents final : public ConnectedComponentsStage {
 public:
  absl::StatusOr<ConnectedComponents> Run(const Plane& mask, const Plane& values) override {
    GLINT_RETURN_IF_ERROR(CheckComponents(mask, values, Device()));
    ConnectedComponents found;
    GLINT_RETURN_IF_ERROR(HostCall("components", [&] {
      FindRuns(mask);
      found.components = NumberRuns(values);
      found.labels = Write(mask.size());
    }));
    return found;
  }

 private:
  /// Gathers the runs of all rows and joins each with those that it touches in the row above.
  void FindRuns(const Plane& mask) {
    runs_.clear();
    labels_.clear();
    row_begins_.assign(1, 0);
    std::size_t above = 0;  // the row above begins here
    for (int y = 0; y < mask.height(); ++y) {
      const auto* row = mask.Row<std::uint8_t>(y);
      const std::size_t above_end = runs_.size();
      for (int x = NextSet(row, 0, mask.width()); x < mask.width();) {
        const int end = NextUnset(row, x, mask.width());
        const std::size_t own = runs_.size();
        auto first = static_cast<std::int32_t>(own);
        runs_.push_back({.first = x, .end = end});
        labels_.push_back(first);
        while (above < above_end && runs_[above].end < x) ++above;
        for (; above < above_end && runs_[above].first <= end; ++above) {
          first = Joined(first, FirstOf(static_cast<std::int32_t>(above)));
          if (runs_[above].end > end) break;  // the next run may touch it, too
        }
        labels_[own] = first;
        x = NextSet(row, end, mask.width());
      }
      above = above_end;
      row_begins_.push_back(runs_.size());
    }
  }

  std::int32_t FirstOf(std::int32_t run) {
    while (true) {
      std::int32_t& label = labels_[static_cast<std::size_t>(run)];
      if (label == run) return run;
      label = labels_[static_cast<std::size_t>(label)];  // halves the way
      run = label;
    }
  }

  /// Joins the components of two first runs. @return the first run of what they are together
  std::int32_t Joined(std::int32_t a, std::int32_t b) {
    labels_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    return std::min(a, b);
  }

  /// Replaces the labels by numbers. Runs come in reading order, and a component's first one holds
  /// its first pixel.
  std::vector<Component> NumberRuns(const Plane& values) {
    std::vector<Component> components;
    for (std::size_t y = 0; y + 1 < row_begins_.size(); ++y) {
      const int row = static_cast<int>(y);
      const std::int32_t* in_row = values.empty() ? nullptr : values.Row<std::int32_t>(row);
      for (std::size_t i = row_begins_[y]; i < row_begins_[y + 1]; ++i) {
        const auto [first, end] = runs_[i];
        std::int32_t& label = labels_[i];
        if (static_cast<std::size_t>(label) == i) {
          components.push_back({.left = first, .top = row, .right = end - 1});
          label = static_cast<std::int32_t>(components.size());
        } else {
          label = labels_[static_cast<std::size_t>(label)];
        }
        Component& of = components[static_cast<std::size_t>(label - 1)];
        of.area += end - first;
        of.left = std::min(of.left, first);
        of.right = std::max(of.right, end - 1);
        of.bottom = row;
        if (in_row == nullptr) continue;
        for (int x = first; x < end; ++x) of.value_sum += in_row[x];
      }
    }
    return components;
  }

  Plane Write(Size size) const {
    Plane labels = Plane::Host(size, PixelType::kS32);
    for (int y = 0; y < size.height; ++y) {
      auto* out = labels.Row<std::int32_t>(y);
      int x = 0;
      for (std::size_t i = row_begins_[static_cast<std::size_t>(y)];
           i < row_begins_[static_cast<std::size_t>(y) + 1]; ++i) {
        std::fill(out + x, out + runs_[i].first, 0);
        std::fill(out + runs_[i].first, out + runs_[i].end, labels_[i]);
        x = runs_[i].end;
      }
      std::fill(out + x, out + size.width, 0);
    }
    return labels;
  }

  std::vector<PixelRun> runs_;
  /// Per run one of the same component that does not come after it; once all are joined, the number
  /// of the component.
  std::vector<std::int32_t> labels_;
  std::vector<std::size_t> row_begins_;  // in runs_; one more for the end
};

}  // namespace

std::unique_ptr<ConnectedComponentsStage> MakeCpuConnectedComponents(ThreadPool* /*pool*/) {
  return std::make_unique<CpuConnectedComponents>();
}

}  // namespace glint
