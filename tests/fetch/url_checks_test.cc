// SPDX-License-Identifier: Apache-2.0
#include "fetch/url_checks.h"

#include <gtest/gtest.h>

#include "support/status_matchers.h"

namespace glint {
namespace {

std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(WhatInstead, NamesWhatIsNoVideo) {
  struct Case {
    std::string begin;
    std::string_view what;
  };
  for (const Case& c : {
           Case{"<!DOCTYPE html><html>", "an HTML page"},
           Case{"\xef\xbb\xbf \r\n<HTML lang=en>", "an HTML page"},
           Case{"{\"error\":\"gone\"}", "JSON"},
           Case{"[{\"a\":1}]", "JSON"},
           Case{"<?xml version='1.0'?><Error><Code>NoSuchKey</Code>", "an XML document"},
           Case{"#EXTM3U\n#EXT-X-VERSION:3\n/etc/passwd", "an HLS playlist"},
           Case{"<MPD xmlns='urn:mpeg:dash'>", "a DASH playlist"},
           Case{"ffconcat version 1.0\nfile /etc/passwd", "a concat playlist"},
           Case{"v=0\r\no=- 0 0 IN IP4 127.0.0.1", "an SDP description"},
           Case{"\x89PNG\r\n\x1a\n", "a PNG picture"},
           Case{std::string("\x1f\x8b\x08\0", 4), "a gzip archive"},
           Case{"PK\x03\x04", "a ZIP archive"},
           Case{"%PDF-1.7", "a PDF document"},
           Case{"Not found\n", "text"},
           Case{" \n ", "nothing but blanks"},
       }) {
    EXPECT_EQ(WhatInstead(Bytes(c.begin)), c.what) << c.begin;
  }
}

TEST(WhatInstead, LetsContainersPass) {
  for (const std::string& begin : {
           std::string("\0\0\0\x18"
                       "ftypmp42",
                       12),
           std::string("\0\0\0\x08"
                       "moov",
                       8),
           std::string("\x1a\x45\xdf\xa3\x01\0", 6),
           std::string("RIFF\x10\0\0\0AVI LIST", 16),
           std::string("\xff\xfe something binary"),
       }) {
    EXPECT_EQ(WhatInstead(Bytes(begin)), std::nullopt);
  }
}

}  // namespace
}  // namespace glint
