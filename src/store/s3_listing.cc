// SPDX-License-Identifier: Apache-2.0
#include "store/s3_listing.h"

#include <array>
#include <charconv>
#include <utility>

#include "store/xml_text.h"

namespace glint {
namespace {

std::string PercentDecoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned int value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ptr ==
            text.data() + i + 3) {
      decoded += static_cast<char>(value);
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

/// A time that a server gives; without one it counts as now, and what may be in use stays.
std::chrono::sys_seconds TimeOf(std::string_view text) {
  return ReadUtc(text).value_or(
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

}  // namespace

std::optional<std::chrono::sys_seconds> ReadUtc(std::string_view text) {
  constexpr std::array<std::pair<std::size_t, std::size_t>, 6> kFields = {
      {{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}}};
  std::array<int, 6> value{};
  if (text.size() < 19) return std::nullopt;
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    const auto [at, length] = kFields[i];
    const char* const end = text.data() + at + length;
    if (std::from_chars(text.data() + at, end, value[i]).ptr != end) return std::nullopt;
  }
  const std::chrono::year_month_day day(std::chrono::year{value[0]},
                                        std::chrono::month{static_cast<unsigned>(value[1])},
                                        std::chrono::day{static_cast<unsigned>(value[2])});
  if (!day.ok()) return std::nullopt;
  return std::chrono::sys_days(day) + std::chrono::hours(value[3]) +
         std::chrono::minutes(value[4]) + std::chrono::seconds(value[5]);
}

S3Listing ReadS3Listing(std::string_view xml) {
  S3Listing listing;
  if (XmlElement(xml, "IsTruncated") == "true") {
    listing.continuation = XmlUnescaped(std::string(XmlElement(xml, "NextContinuationToken")));
  }
  std::string_view rest = xml;
  while (true) {
    const std::string_view contents = XmlElement(rest, "Contents", &rest);
    const std::string_view key = XmlElement(contents, "Key");
    if (key.empty()) return listing;
    listing.objects.push_back({PercentDecoded(key), TimeOf(XmlElement(contents, "LastModified"))});
  }
}

S3Uploads ReadS3Uploads(std::string_view xml) {
  S3Uploads page;
  if (XmlElement(xml, "IsTruncated") == "true") {
    page.next_key = PercentDecoded(XmlElement(xml, "NextKeyMarker"));
    page.next_id = XmlUnescaped(std::string(XmlElement(xml, "NextUploadIdMarker")));
  }
  std::string_view rest = xml;
  while (true) {
    const std::string_view upload = XmlElement(rest, "Upload", &rest);
    const std::string_view key = XmlElement(upload, "Key");
    if (key.empty()) return page;
    page.uploads.push_back({PercentDecoded(key),
                            XmlUnescaped(std::string(XmlElement(upload, "UploadId"))),
                            TimeOf(XmlElement(upload, "Initiated"))});
  }
}

}  // namespace glint
