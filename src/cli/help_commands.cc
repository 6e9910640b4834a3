// SPDX-License-Identifier: Apache-2.0
#include "cli/help_commands.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/closest_name.h"
#include "cli/choice.h"
#include "cli/completion.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "report/filming.h"

namespace glint {
namespace {

constexpr const char* kExitCodes = "exit-codes";
constexpr const char* kFilming = "filming";

/// What `completion` writes.
enum class Writes { kBash, kZsh, kFish, kMan };

/// `glint help`, `glint help scan`, `glint help store sweep`, `glint help exit-codes`.
int Help(const CLI::App& app, const std::vector<std::string>& topic, Console& console) {
  if (topic.size() == 1 && topic.front() == kExitCodes) {
    console.Print(ExitCodeTable() + "\n");
    return kExitSuccess;
  }
  if (topic.size() == 1 && topic.front() == kFilming) {
    console.Print(FilmingText());
    return kExitSuccess;
  }
  const CLI::App* command = &app;
  for (const std::string& word : topic) {
    std::vector<std::string> names;
    const CLI::App* next = nullptr;
    for (const CLI::App* known : command->get_subcommands(nullptr)) {
      names.push_back(known->get_name());
      if (known->get_name() == word) next = known;
    }
    if (next == nullptr) {
      names.emplace_back(kExitCodes);
      names.emplace_back(kFilming);
      console.Say(fmt::format("glint: there is no help on '{}'{}", word, DidYouMean(word, names)));
      return kExitUsage;
    }
    command = next;
  }
  std::string before = "glint";
  for (std::size_t i = 0; i + 1 < topic.size(); ++i) before += " " + topic[i];
  console.Print(command->help(topic.empty() ? "" : before));
  return kExitSuccess;
}

std::string Written(Writes what, const CLI::App& app) {
  switch (what) {
    case Writes::kBash:
      return BashCompletion(app);
    case Writes::kZsh:
      return ZshCompletion(app);
    case Writes::kFish:
      return FishCompletion(app);
    case Writes::kMan:
      return ManualPage(app, ExitCodeTable());
  }
  return "";
}

}  // namespace

void AddHelpCommands(CLI::App& app, Action& action) {
  auto topic = std::make_shared<std::vector<std::string>>();
  CLI::App* help = app.add_subcommand("help", "Explain a command, exit-codes, or filming");
  help->add_option("topic", *topic,
                   "A command, exit-codes, or filming: how to film so that damage shows");
  help->callback([&app, &action, topic] {
    action = [&app, topic](const CommandContext& context) {
      return Help(app, *topic, context.console);
    };
  });
  auto what = std::make_shared<Writes>(Writes::kBash);
  CLI::App* completion = app.add_subcommand(
      "completion", "Write a shell's completion of glint's commands, or its manual page");
  AddChoice(*completion, "shell", *what,
            {{"bash", Writes::kBash},
             {"zsh", Writes::kZsh},
             {"fish", Writes::kFish},
             {"man", Writes::kMan}},
            "For which shell; man: the manual page")
      ->required();
  completion->callback([&app, &action, what] {
    action = [&app, what](const CommandContext& context) {
      context.console.Print(Written(*what, app));
      return kExitSuccess;
    };
  });
}

}  // namespace glint
