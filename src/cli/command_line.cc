// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <optional>
#include <string>

#include "base/catch_exceptions.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/log.h"
#include "cli/text.h"
#include "cli/workers.h"
#include "glint/error.h"

namespace glint {
namespace {

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
    const auto unknown = app.remaining();
    const std::string what = chosen.empty() && !unknown.empty()
                                 ? fmt::format("there is no command '{}'", unknown.front())
                                 : wrong.what();
    const std::string of = chosen.empty() ? "" : " " + chosen.front()->get_name();
    console.Say(fmt::format("glint: {}; see glint{} --help", OneLine(what), of));
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
  app.set_version_flag("--version", "glint " GLINT_VERSION);
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
  if (const auto exit_code = Parse(app, argc, argv, console)) return *exit_code;
  SetUpLog(console, log_level, log_format == "json" ? LogFormat::kJson : LogFormat::kText);
  const int exit_code = Run(action, {console, interrupt.token()});
  spdlog::shutdown();  // the log writes to the console
  return exit_code;
}

}  // namespace glint
