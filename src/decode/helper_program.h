// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace glint {

/// What a helper is called, and where it may be named.
struct HelperName {
  std::string_view file;  ///< e.g. "glint-decode"
  std::string_view what;  ///< e.g. "decoder", in messages
  const char* variable;   ///< of the environment, e.g. "GLINT_DECODER"
  std::string_view
      how_else;  ///< what to do besides installing it, e.g. "name it by --decoder or X"
};
inline constexpr HelperName kDecoderName = {"glint-decode", "decoder", "GLINT_DECODER",
                                            "name it by --decoder or GLINT_DECODER"};

/// A program that glint starts, as found and opened once: when an upgrade puts another file in its
/// place, the one that was found goes on to be started.
class HelperProgram {
 public:
  /// Looks for it where `named` says, else where its variable says, else beside this program and
  /// in ../libexec/glint. Of which build it is, it says itself when it is started.
  /// Errors: DEVICE_UNAVAILABLE it is missing or may not be run, with where it was looked for
  static absl::StatusOr<std::shared_ptr<const HelperProgram>> Find(
      const std::filesystem::path& named = {}, const HelperName& name = kDecoderName);

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return file_.number(); }

  /// What to start: the file that was opened, which the started process has as `descriptor`; its
  /// path where /proc is missing. Errors: DEVICE_UNAVAILABLE /proc is missing, and the file another
  /// by now
  absl::StatusOr<std::string> StartPath(int descriptor) const;

 private:
  HelperProgram(std::filesystem::path path, Descriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::filesystem::path path_;
  Descriptor file_;
};

/// The folder that this program lies in, its links resolved; also where /proc is missing. "" when
/// nothing tells.
std::filesystem::path FolderOfThisProgram();

}  // namespace glint
