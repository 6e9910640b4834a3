// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "fetch/url_client.h"
#include "support/temp_folder.h"

namespace glint {

inline std::string ContentOf(const std::filesystem::path& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

/// What begins like an MP4 file and goes on with bytes that differ everywhere.
inline std::string FakeVideo(std::size_t size) {
  std::string video(
      "\0\0\0\x18"
      "ftypmp42",
      12);
  unsigned random = 12345;
  while (video.size() < size) {
    random = random * 1664525U + 1013904223U;
    video += static_cast<char>(random >> 24);
  }
  return video;
}

/// Options for a server on the loopback.
inline UrlFetchOptions LoopbackOptions(const TempFolder& folder) {
  UrlFetchOptions options;
  options.work_folder = folder.path() / "work";
  options.allowed_sources = {"127.0.0.1:*"};
  options.first_wait = std::chrono::milliseconds(1);
  options.timeout = std::chrono::seconds(30);
  return options;
}

/// Downloads and gives the content; the file is gone afterwards.
inline absl::StatusOr<std::string> Fetched(const std::string& url, const UrlFetchOptions& options,
                                           const CancelToken& cancel = {},
                                           SteadyClock& clock = RealClock()) {
  const auto fetcher = MakeUrlFetcher(options, clock);
  if (!fetcher.ok()) return fetcher.status();
  const auto file = (*fetcher)->Fetch(url, {}, cancel);
  if (!file.ok()) return file.status();
  return ContentOf((*file)->path());
}

/// Files below the work folder.
inline int FilesIn(const std::filesystem::path& folder) {
  int files = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  return files;
}

}  // namespace glint
