// SPDX-License-Identifier: Apache-2.0
// Text as a terminal shows it. All text is UTF-8; broken bytes count as one column each.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace glint {

/// Columns that the text takes: 2 for East Asian wide characters and emoji, 0 for combining marks.
int Columns(std::string_view text);

/// The text, cut to at most `columns` with "…" at the end when something was cut.
std::string Fitted(std::string_view text, int columns);

/// The text with control characters (line breaks, escape sequences in file names) written as \xNN,
/// so that it stays on one line and cannot command the terminal.
std::string OneLine(std::string_view text);

/// Seconds as people read them: "0:07", "12:34", "1:02:03".
std::string Clock(double seconds);

/// "1 video", "3 videos".
std::string Counted(std::size_t count, std::string_view noun);

}  // namespace glint
