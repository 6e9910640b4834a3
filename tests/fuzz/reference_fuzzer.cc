// SPDX-License-Identifier: Apache-2.0
// Any bytes as what `--reference` names, most of all as the report.json of an earlier scan: refused
// with words, or a picture within the limits. The pictures beside it are whole.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "glint/error.h"
#include "image/png.h"
#include "scan/reference_file.h"

namespace {

using namespace glint;
namespace fs = std::filesystem;

void Require(bool holds) {
  if (!holds) std::abort();
}

void Write(const fs::path& file, const void* data, std::size_t size) {
  std::ofstream(file, std::ios::binary)
      .write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
}

/// A folder of this process with the pictures of an earlier scan.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / "glint-reference-XXXXXX") {
    std::string name = path_.string();
    Require(mkdtemp(name.data()) != nullptr);
    path_ = name;
    for (const auto& [file, type] :
         {std::pair("median.png", PixelType::kU8x3), std::pair("mask.png", PixelType::kU8)}) {
      Plane plane = Plane::Host({8, 6}, type);
      for (int y = 0; y < plane.height(); ++y) {
        std::fill_n(plane.Row<std::uint8_t>(y), 8 * BytesPerPixel(type), std::uint8_t{0});
      }
      const auto png = EncodePng(plane);
      Require(png.ok());
      Write(path_ / file, png->data(), png->size());
    }
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const fs::path report = folder.path() / "report.json";
  Write(report, data, size);
  const auto read = ReadReference(report.string(), {});
  if (read.ok()) {
    Require(!read->copy.picture.empty());
    Require(read->copy.picture.size().area() <= kMaxReferencePixels);
    Require(read->facts.name == "report.json");
  } else {
    Require(!Message(read.status()).empty() && Message(read.status()).size() < 4096);
  }
  return 0;
}
