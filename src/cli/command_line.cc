// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "base/catch_exceptions.h"
#include "base/closest_name.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/help_commands.h"
#include "cli/interrupt.h"
#include "cli/log.h"
#include "cli/text.h"
#include "cli/workers.h"
#include "glint/error.h"

namespace glint {
namespace {

/// The command that was named last: `store sweep` is two deep.
CLI::App* Innermost(CLI::App& app) {
  CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return chosen;
}

std::vector<std::string> CommandNames(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

/// "--flag" of each option of a command and of what it is a command of.
std::vector<std::string> FlagNames(CLI::App* command) {
  std::vector<std::string> names;
  for (; command != nullptr; command = command->get_parent()) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

/// What is wrong with the command line, and what may have been meant.
std::string Explain(CLI::App& app, const CLI::ParseError& wrong) {
  CLI::App* command = Innermost(app);
  const std::vector<std::string> unknown = app.remaining(true);
  if (unknown.empty()) return wrong.what();
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  if (word.starts_with('-')) {
    return fmt::format("there is no flag '{}'{}", word, DidYouMean(word, FlagNames(command)));
  }
  const std::vector<std::string> names = CommandNames(*command);
  if (!names.empty()) {
    return fmt::format("there is no command '{}'{}", word, DidYouMean(word, names));
  }
  return fmt::format("'{}' is one argument too many", word);
}

/// Parses; sets `action` on success. @return the exit code when there is nothing to run
std::optional<int> Parse(CLI::App& app, int argc, const char* const* argv, Console& console) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& asked) {  // --help and --version
    app.exit(asked);
    return kExitSuccess;
  } catch (const CLI::ParseError& wrong) {
    const auto chosen = app.get_subcommands();
    const std::string of = chosen.empty() ? "" : " " + chosen.front()->get_name();
    console.Say(fmt::format("glint: {}; see glint{} --help", OneLine(Explain(app, wrong)), of));
    return kExitUsage;
  }
}

int Run(const Action& action, const CommandContext& context) {
  try {
    return action(context);
  } catch (const std::exception& thrown) {
    return Fail(context.console, false,
                StatusOf(thrown, "memory is out; give the process more, or use fewer --jobs"));
  }
}

}  // namespace

int RunCommandLine(int argc, const char* const* argv, std::span<const AddCommand> commands) {
  const Interrupt interrupt;
  Console console;
  CLI::App app(
      "glint finds physical damage in a video of an object: creases, scratches, missing "
      "pieces, as masks of pixels.");
  app.require_subcommand(1);
  app.set_version_flag("-V,--version", "glint " GLINT_VERSION);
  std::string log_level = "warn";
  app.add_option("--log-level", log_level, "What is logged to stderr")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}))
      ->capture_default_str();
  std::string log_format = "text";
  app.add_option("--log-format", log_format, "How: lines of text, or a JSON object per line")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.fallthrough();  // so that --log-level may stand behind the command, too
  Action action;
  for (const AddCommand add : commands) add(app, action);
  AddHelpCommands(app, action);
  if (const auto exit_code = Parse(app, argc, argv, console)) return *exit_code;
  SetUpLog(console, log_level, log_format == "json" ? LogFormat::kJson : LogFormat::kText);
  const int exit_code = Run(action, {console, interrupt.token()});
  spdlog::shutdown();  // the log writes to the console
  return exit_code;
}

}  // namespace glint
