// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/mutex.h"

namespace glint {

/// Where the program writes: results to stdout, everything else to stderr. On a terminal the last
/// line of stderr can be a status line, which other lines push down. Safe to use from several
/// threads.
class Console {
 public:
  Console();
  ~Console() { SetStatus(""); }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Whether stderr is a terminal that understands a status line.
  bool has_status_line() const { return status_line_; }
  /// Whether results may be coloured: stdout is a terminal and NO_COLOR is not set.
  bool colours_results() const { return colour_results_; }
  /// Whether the status line may be coloured.
  bool colours_status() const { return colour_status_; }
  /// Whether the locale shows more than ASCII.
  bool has_unicode() const { return unicode_; }
  /// Columns of the terminal that stderr is; 80 where that is unknown.
  int width() const;

  /// Writes to stdout, as it is.
  void Print(std::string_view text);
  /// Writes one line to stderr, above the status line.
  void Say(std::string_view line);
  /// Replaces the status line; empty removes it. Does nothing where there is none.
  /// @param columns  may be as wide as the terminal, not wider
  void SetStatus(std::string_view line);

 private:
  void Write(std::FILE* stream, std::string_view text);

  bool status_line_ = false;
  bool colour_results_ = false;
  bool colour_status_ = false;
  bool unicode_ = false;
  Mutex mutex_;
  std::string status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace glint
