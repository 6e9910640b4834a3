// SPDX-License-Identifier: Apache-2.0
#include "export/run_lengths.h"

#include <cstddef>

namespace glint {
namespace {

/// Takes the places of marked pixels, rising, and makes runs of them.
class Runs {
 public:
  void Add(std::int64_t place) {
    if (place == end_ && !runs_.empty()) {
      ++runs_.back();
    } else {
      runs_.push_back(place - end_);
      runs_.push_back(1);
    }
    end_ = place + 1;
  }
  std::vector<std::int64_t> Finish(std::int64_t pixels) {
    if (end_ < pixels) runs_.push_back(pixels - end_);
    return std::move(runs_);
  }

 private:
  std::vector<std::int64_t> runs_;  // ends with a marked one
  std::int64_t end_ = 0;            // of it
};

}  // namespace

std::vector<std::int64_t> ColumnRuns(const Annotation& annotation, Size picture) {
  const Rectangle& box = annotation.box;
  Runs runs;
  for (int x = 0; x < box.width; ++x) {
    for (int y = 0; y < box.height; ++y) {
      if (annotation.mask.Row<std::uint8_t>(y)[x] == 0) continue;
      runs.Add(std::int64_t{box.x + x} * picture.height + box.y + y);
    }
  }
  return runs.Finish(picture.area());
}

std::string CompressRuns(const std::vector<std::int64_t>& runs) {
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::int64_t left = i > 2 ? runs[i] - runs[i - 2] : runs[i];
    for (bool more = true; more;) {
      std::int64_t bits = left & 0x1F;
      left >>= 5;  // keeps the sign
      more = (bits & 0x10) != 0 ? left != -1 : left != 0;
      if (more) bits |= 0x20;
      text += static_cast<char>('0' + bits);
    }
  }
  return text;
}

std::vector<std::int64_t> RowRuns(const Annotation& annotation) {
  const Rectangle& box = annotation.box;
  Runs runs;
  for (int y = 0; y < box.height; ++y) {
    const auto* row = annotation.mask.Row<std::uint8_t>(y);
    for (int x = 0; x < box.width; ++x) {
      if (row[x] != 0) runs.Add(std::int64_t{y} * box.width + x);
    }
  }
  return runs.Finish(std::int64_t{box.width} * box.height);
}

}  // namespace glint
