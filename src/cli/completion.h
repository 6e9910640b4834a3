// SPDX-License-Identifier: Apache-2.0
// The commands and flags as shells and `man` want them, written from the same texts as --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace glint {

/// For bash: source it, or put it into /usr/share/bash-completion/completions.
std::string BashCompletion(const CLI::App& app);
/// For zsh: put it as _glint into a folder of $fpath.
std::string ZshCompletion(const CLI::App& app);
/// For fish: put it as glint.fish into ~/.config/fish/completions.
std::string FishCompletion(const CLI::App& app);
/// The manual page glint(1). @param exit_codes  ExitCodeTable
std::string ManualPage(const CLI::App& app, const std::string& exit_codes);

}  // namespace glint
