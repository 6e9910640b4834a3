// SPDX-License-Identifier: Apache-2.0
// Says what the detector knows of lost ink on still pictures: bench/lost_ink learns and scores with
// it.
//
//   dash_features a.ppm b.ppm ...          of each dash: where it is, its evidence, its features
//   dash_features --rows a.ppm b.ppm ...   the rows of dashes that are lines without any light
#include "analyse/photometric/lost_ink/dash_features.h"

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/photometric/lost_ink/dash_model.h"
#include "analyse/photometric/lost_ink/dash_rows.h"
#include "analyse/photometric/lost_ink/paper_dashes.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

/// A binary PPM, R, G, B; nothing where it is none.
std::optional<cv::Mat> ReadPpm(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  int width = 0, height = 0, most = 0;
  if (!(file >> magic >> width >> height >> most) || magic != "P6" || most != 255) return {};
  file.get();
  if (width < 1 || height < 1 || width > 20000 || height > 20000) return {};
  cv::Mat image(height, width, CV_8UC3);
  const auto bytes = static_cast<std::streamsize>(image.total() * image.elemSize());
  if (!file.read(reinterpret_cast<char*>(image.data), bytes)) return {};
  return image;
}

void PrintDashes(const DashCandidates& dashes) {
  for (std::size_t i = 0; i < dashes.measured.size(); ++i) {
    const PaperDash& dash = dashes.measured[i].dash;
    std::printf("dash\t%.2f\t%.2f\t%.3f", dash.x, dash.y, DashEvidence(dashes.features[i]));
    for (const float value : dashes.features[i]) std::printf("\t%.7g", value);
    std::printf("\n");
  }
}

void PrintRows(const PaperDashes& paper) {
  const auto none = [](const FoundLine&) { return false; };  // of the rows that light has to show
  for (const FoundLine& row : FindDashRows(paper, {}, none)) {
    const cv::Point begin = row.line.At(row.line.begin), end = row.line.At(row.line.end);
    std::printf("row\t%d\t%d\t%d\t%d\t%.2f\n", begin.x, begin.y, end.x, end.y, row.score);
  }
}

bool Describe(const std::string& path, bool rows) {
  const auto image = ReadPpm(path);
  if (!image) {
    std::cerr << "dash_features: " << path << ": no binary PPM of 8 bits\n";
    return false;
  }
  std::printf("picture\t%s\t%d\t%d\n", path.c_str(), image->cols, image->rows);
  ThreadPool pool(1);
  const cv::Mat surface(image->size(), CV_8U, cv::Scalar(255));
  if (rows) {
    PrintRows(FindPaperDashes(*image, surface, {}, pool));
  } else {
    PrintDashes(FindDashCandidates(*image, surface, {}, pool));
  }
  return true;
}

}  // namespace
}  // namespace glint::photometric

int main(int argc, char** argv) {
  std::vector<std::string> paths(argv + 1, argv + argc);
  const bool rows = !paths.empty() && paths.front() == "--rows";
  if (rows) paths.erase(paths.begin());
  if (paths.empty()) {
    std::cerr << "usage: dash_features [--rows] PICTURE.ppm ...\n";
    return 2;
  }
  bool all = true;
  for (const std::string& path : paths) all = glint::photometric::Describe(path, rows) && all;
  return all ? 0 : 1;
}
