// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace glint {
namespace {

/// An option as shells see it.
struct Flag {
  std::vector<std::string> names;  ///< "-o", "--out"; none of what is named by its place
  std::string help;
  std::vector<std::string> values;  ///< that it may have; empty: anything, a file perhaps
  bool takes_value = false;
};

/// A command with the words that lead to it, "store sweep".
struct Command {
  std::string path;
  std::string help;
  std::vector<Flag> flags;
  std::vector<std::string> values;  ///< of what is named by its place
};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// The values of an option whose type is "a|b|c".
std::vector<std::string> ValuesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.find('|') == std::string::npos ? std::vector<std::string>() : Split(type, '|');
}

Command Describe(const CLI::App& app, const std::string& path) {
  Command command{.path = path, .help = app.get_description()};
  for (const CLI::Option* option : app.get_options()) {
    Flag flag{.help = option->get_description(),
              .values = ValuesOf(*option),
              .takes_value = option->get_items_expected_max() > 0};
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    if (flag.names.empty()) {
      command.values.insert(command.values.end(), flag.values.begin(), flag.values.end());
    } else {
      command.flags.push_back(std::move(flag));
    }
  }
  return command;
}

/// The program itself with an empty path, then its commands and theirs.
std::vector<Command> CommandsOf(const CLI::App& app, const std::string& path = "") {
  std::vector<Command> commands = {Describe(app, path)};
  for (const CLI::App* sub : app.get_subcommands(nullptr)) {
    const auto below =
        CommandsOf(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name());
    commands.insert(commands.end(), below.begin(), below.end());
  }
  return commands;
}

/// The names of the commands right below a path.
std::vector<std::string> Below(const std::vector<Command>& commands, const std::string& path) {
  const std::string before = path.empty() ? "" : path + " ";
  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (command.path.size() <= before.size() || !command.path.starts_with(before)) continue;
    const std::string name = command.path.substr(before.size());
    if (name.find(' ') == std::string::npos) names.push_back(name);
  }
  return names;
}

std::string Joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> FlagNames(const Command& command) {
  std::vector<std::string> names;
  for (const Flag& flag : command.flags) {
    names.insert(names.end(), flag.names.begin(), flag.names.end());
  }
  return names;
}

/// A text within single quotes of a shell. @param quote  how a single quote is written in them
std::string Quoted(std::string_view text, std::string_view quote) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += quote;
    } else {
      out += c;
    }
  }
  return out + "'";
}

/// The first sentence of a help text, for a line of a menu.
std::string FirstSentence(std::string_view help) {
  const std::size_t end = std::min({help.find(". "), help.find(';'), help.find(':'), help.size()});
  return std::string(help.substr(0, end));
}

/// A text of a manual page: hyphens as they are typed, and no line that starts a request.
std::string Roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-' || c == '\\') out += '\\';
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    out += c;
  }
  return out;
}

std::string RoffFlag(const Flag& flag) {
  std::string names;
  for (const std::string& name : flag.names) {
    names += (names.empty() ? "" : ", ") + ("\\fB" + Roff(name) + "\\fR");
  }
  if (flag.takes_value) {
    names += flag.values.empty() ? " \\fIVALUE\\fR"
                                 : " " + Roff(fmt::format("{}", fmt::join(flag.values, "|")));
  }
  return fmt::format(".TP\n{}\n{}\n", names, Roff(flag.help));
}

}  // namespace

std::string BashCompletion(const CLI::App& app) {
  const std::vector<Command> commands = CommandsOf(app);
  std::string cases, values;
  for (const Command& command : commands) {
    std::vector<std::string> words = Below(commands, command.path);
    words.insert(words.end(), command.values.begin(), command.values.end());
    const auto flags = FlagNames(command);
    words.insert(words.end(), flags.begin(), flags.end());
    cases += fmt::format("    '{}') words='{}' ;;\n", command.path, Joined(words));
    for (const Flag& flag : command.flags) {
      if (flag.values.empty()) continue;
      for (const std::string& name : flag.names) {
        values +=
            fmt::format("    '{} {}') COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                        command.path, name, Joined(flag.values));
      }
    }
  }
  std::string paths;
  for (const Command& command : commands) {
    if (!command.path.empty()) paths += fmt::format(" '{}'", command.path);
  }
  return fmt::format(R"(# bash completion of glint; written by `glint completion bash`
_glint() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} path='' i known words=''
  for ((i = 1; i < COMP_CWORD; ++i)); do
    for known in{}; do
      if [[ $known == "${{path:+$path }}${{COMP_WORDS[i]}}" ]]; then path=$known; break; fi
    done
  done
  case "$path $before" in
{}  esac
  case "$path" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _glint glint
)",
                     paths, values, cases);
}

std::string ZshCompletion(const CLI::App& app) {
  return "#compdef glint\n# zsh completion of glint; written by `glint completion zsh`\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         BashCompletion(app);
}

std::string FishCompletion(const CLI::App& app) {
  std::string out = "# fish completion of glint; written by `glint completion fish`\n";
  const std::vector<Command> commands = CommandsOf(app);
  for (const Command& command : commands) {
    const auto words = Split(command.path, ' ');
    if (words.size() == 1) {
      out += fmt::format("complete -c glint -n __fish_use_subcommand -a {} -d {}\n", words[0],
                         Quoted(FirstSentence(command.help), "\\'"));
    } else if (words.size() == 2) {
      out += fmt::format("complete -c glint -n '__fish_seen_subcommand_from {}' -a {} -d {}\n",
                         words[0], words[1], Quoted(FirstSentence(command.help), "\\'"));
    }
    const std::string when =
        words.empty() ? "" : fmt::format(" -n '__fish_seen_subcommand_from {}'", words.back());
    for (const std::string& value : command.values) {
      out += fmt::format("complete -c glint{} -a {}\n", when, value);
    }
    for (const Flag& flag : command.flags) {
      out += "complete -c glint" + when;
      for (const std::string& name : flag.names) {
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!flag.values.empty()) out += fmt::format(" -x -a '{}'", Joined(flag.values));
      if (flag.values.empty() && flag.takes_value) out += " -r";
      out += " -d " + Quoted(FirstSentence(flag.help), "\\'") + "\n";
    }
  }
  return out;
}

std::string ManualPage(const CLI::App& app, const std::string& exit_codes) {
  std::string out = fmt::format(
      ".TH GLINT 1 \"\" \"glint {}\"\n.SH NAME\nglint \\- find physical damage in videos of "
      "objects\n.SH SYNOPSIS\n.B glint\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.SH DESCRIPTION\n{}\n",
      GLINT_VERSION, Roff(app.get_description()));
  for (const Command& command : CommandsOf(app)) {
    if (command.path.empty()) {
      out += ".SH OPTIONS OF EVERY COMMAND\n";
    } else {
      out += fmt::format(".SH GLINT {}\n{}\n", Roff(command.path), Roff(command.help));
    }
    for (const Flag& flag : command.flags) out += RoffFlag(flag);
  }
  return out + ".SH EXIT CODES\n.nf\n" + Roff(exit_codes) + "\n.fi\n";
}

}  // namespace glint
