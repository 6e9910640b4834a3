// SPDX-License-Identifier: Apache-2.0
// Pieces of text for the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace glint {

/// Text that may stand between tags and in quoted attributes: & < > " ' are written as entities.
std::string EscapeHtml(std::string_view text);

/// The bytes as a URL that holds them: "data:image/png;base64,...".
std::string DataUrl(std::span<const std::byte> bytes, std::string_view content_type);

/// "1,234,567"
std::string Grouped(std::int64_t number);

/// "1.84 %"; "< 0.01 %" for what would round to nothing; "unknown" for no value.
std::string PercentText(const std::optional<double>& percent);

/// "0:07.5" minutes, seconds and tenths.
std::string ClockText(std::int64_t timestamp_us);

/// "1 frame", "6,000 frames"
std::string Count(std::int64_t number, std::string_view noun);

/// The part of the page that shows the back of an item, made like that of the front: its ids and
/// the links to them end in "-back", and its labels begin with "Back: ", so that nothing on the
/// page has the name of something else.
std::string AsBack(std::string_view html);

/// The template with each {{name}} replaced by its value. Values are not searched again.
std::string FillTemplate(std::string_view text,
                         std::span<const std::pair<std::string_view, std::string_view>> values);
std::string FillTemplate(std::string_view text,
                         std::initializer_list<std::pair<std::string_view, std::string>> values);

}  // namespace glint
