// SPDX-License-Identifier: Apache-2.0
#include "scan/reference_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "glint/error.h"
#include "glint/fetcher.h"
#include "glint/url_fetcher.h"
#include "image/jpeg.h"
#include "image/png.h"
#include "image/shrink.h"
#include "report/json.h"
#include "scan/request_check.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

constexpr std::int64_t kMaxReportBytes = 8 << 20;
constexpr int kLargestSide = 2400;  // px; objects have at most 1600

std::string Quoted(const fs::path& file) { return fmt::format("'{}'", file.string()); }

absl::StatusOr<Bytes> ReadFile(const fs::path& file, const CancelToken& cancel) {
  GLINT_ASSIGN_OR_RETURN(const auto fetched, MakeFileFetcher()->Fetch(file.string(), {}, cancel));
  std::error_code failed;
  const auto size = static_cast<std::int64_t>(fs::file_size(file, failed));
  if (!failed && size > kMaxReferenceBytes) {
    return Error(Reason::kLimitExceeded, fmt::format("{} has {} bytes; a reference may have {}",
                                                     Quoted(file), size, kMaxReferenceBytes));
  }
  std::ifstream stream(file, std::ios::binary);
  Bytes bytes(failed ? 0 : static_cast<std::size_t>(size));
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (failed || !stream) {
    return Error(Reason::kInputUnreadable, fmt::format("{} cannot be read", Quoted(file)));
  }
  return bytes;
}

bool BeginsWith(const Bytes& bytes, std::span<const unsigned char> magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](unsigned char a, std::byte b) { return std::byte{a} == b; });
}

bool IsPng(const Bytes& bytes) {
  return BeginsWith(bytes, std::array<unsigned char, 4>{0x89, 'P', 'N', 'G'});
}

bool IsJpeg(const Bytes& bytes) {
  return BeginsWith(bytes, std::array<unsigned char, 3>{0xFF, 0xD8, 0xFF});
}

bool IsJson(const Bytes& bytes) {
  const auto first = std::ranges::find_if_not(bytes, [](std::byte b) {
    return b == std::byte{' '} || b == std::byte{'\n'} || b == std::byte{'\r'} ||
           b == std::byte{'\t'};
  });
  return first != bytes.end() && *first == std::byte{'{'};
}

/// A picture in colour. @param file  for messages
absl::StatusOr<Plane> Decode(const Bytes& bytes, const fs::path& file) {
  if (!IsPng(bytes) && !IsJpeg(bytes)) {
    return Error(Reason::kInputUnreadable,
                 fmt::format("{} is neither a PNG or JPEG image nor the report.json of a scan",
                             Quoted(file)));
  }
  auto picture =
      IsPng(bytes) ? DecodePng(bytes, kMaxReferencePixels) : DecodeJpeg(bytes, kMaxReferencePixels);
  if (!picture.ok()) return In(Quoted(file), picture.status());
  if (picture->type() == PixelType::kU8x3) return picture;
  Plane colour = Plane::Host(picture->size(), PixelType::kU8x3);
  for (int y = 0; y < colour.height(); ++y) {
    const auto* grey = picture->Row<std::uint8_t>(y);
    auto* rgb = colour.Row<std::uint8_t>(y);
    for (int x = 0; x < colour.width(); ++x) std::fill_n(rgb + std::ptrdiff_t{3} * x, 3, grey[x]);
  }
  return colour;
}

absl::StatusOr<Plane> ReadPicture(const fs::path& file, const CancelToken& cancel) {
  GLINT_ASSIGN_OR_RETURN(const auto bytes, ReadFile(file, cancel));
  return Decode(bytes, file);
}

/// What the earlier scan marked; empty where its detector marks more than damage.
absl::StatusOr<Plane> ReadDamage(const fs::path& folder, const std::string& profile, Size size,
                                 const CancelToken& cancel) {
  if (profile != kProfilePhotometric) return Plane();
  const fs::path file = folder / "mask.png";
  GLINT_ASSIGN_OR_RETURN(const auto bytes, ReadFile(file, cancel));
  auto mask = DecodePng(bytes, kMaxReferencePixels);
  if (!mask.ok()) return In(Quoted(file), mask.status());
  if (mask->type() == PixelType::kU8 && mask->size() == size) return mask;
  return Error(Reason::kInputUnreadable,
               fmt::format("{} does not belong to the pictures beside it", Quoted(file)));
}

/// Whether brackets stand deeper than those of any report: each costs a parser a hundred times its
/// byte.
bool IsTooDeep(const Bytes& text) {
  constexpr int kDeepest = 64;
  int depth = 0;
  for (const std::byte b : text) {
    if (b == std::byte{'['} || b == std::byte{'{'}) ++depth;
    if (b == std::byte{']'} || b == std::byte{'}'}) --depth;
    if (depth > kDeepest) return true;
  }
  return false;
}

/// An earlier scan. @param report  its report.json
absl::StatusOr<ReferenceFile> ReadEarlierScan(const fs::path& report, const Bytes& text,
                                              const CancelToken& cancel) {
  if (static_cast<std::int64_t>(text.size()) > kMaxReportBytes || IsTooDeep(text)) {
    return Error(Reason::kInputUnreadable,
                 fmt::format("{} is larger or nested deeper than any report.json of a scan",
                             Quoted(report)));
  }
  const auto* begin = reinterpret_cast<const char*>(text.data());
  const auto json = nlohmann::json::parse(begin, begin + text.size(), nullptr, false);
  ReferenceFile earlier;
  std::string profile;
  try {
    if (const auto version = json.at("schema_version").get<std::int64_t>();
        version != kSchemaVersion) {
      return Error(Reason::kInputUnreadable,
                   fmt::format("{} has schema_version {}; this program reads {}: scan that video "
                               "again",
                               Quoted(report), version, kSchemaVersion));
    }
    earlier.facts.scan_id = json.at("scan_id").get<std::string>();
    profile = json.at("profile").get<std::string>();
    if (json.at("object").is_null()) {
      return Error(Reason::kInvalidOption,
                   fmt::format("{} is of a scan that judged nothing: there is nothing to compare "
                               "with",
                               Quoted(report)));
    }
  } catch (const nlohmann::json::exception&) {
    return Error(Reason::kInputUnreadable,
                 fmt::format("{} is no report.json of a scan", Quoted(report)));
  }
  const fs::path folder = report.parent_path();
  std::error_code none;
  const bool median = fs::exists(folder / "median.png", none);
  GoodCopy& copy = earlier.copy;
  GLINT_ASSIGN_OR_RETURN(copy.picture,
                         ReadPicture(folder / (median ? "median.png" : "rectified.png"), cancel));
  GLINT_ASSIGN_OR_RETURN(copy.damage, ReadDamage(folder, profile, copy.picture.size(), cancel));
  return earlier;
}

absl::StatusOr<ReferenceFile> Read(const std::string& input, const CancelToken& cancel) {
  if (IsWebUrl(input)) {
    return Error(Reason::kInvalidOption, "it is a URL; download it and give the file's path");
  }
  const auto fetched = MakeFileFetcher()->Fetch(input, {}, cancel);
  std::error_code none;
  fs::path file = fetched.ok() ? (*fetched)->path() : fs::path(input);
  if (fs::is_directory(file, none)) {
    file /= "report.json";
  } else if (!fetched.ok()) {
    return fetched.status();
  }
  GLINT_ASSIGN_OR_RETURN(const auto bytes, ReadFile(file, cancel));
  ReferenceFile reference;
  if (IsJson(bytes)) {
    GLINT_ASSIGN_OR_RETURN(reference, ReadEarlierScan(file, bytes, cancel));
  } else {
    GLINT_ASSIGN_OR_RETURN(const Plane picture, Decode(bytes, file));
    reference.copy.picture = ShrinkToFit(picture, kLargestSide);
  }
  reference.facts.name = file.filename().string();
  return reference;
}

}  // namespace

absl::StatusOr<ReferenceFile> ReadReference(const std::string& input, const CancelToken& cancel) {
  auto reference = Read(input, cancel);
  if (!reference.ok()) return In("--reference", reference.status());
  return reference;
}

}  // namespace glint
