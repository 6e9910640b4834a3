// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/closest_name.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_line.h"
#include "cli/log.h"
#include "cli/workers.h"
#include "jobs/postgres_jobs.h"
#include "observe/log.h"
#include "observe/redact.h"
#include "serve/serve_config.h"
#include "serve/worker.h"

namespace glint {
namespace {

struct ServeOptions {
  ServeConfig config;
  SettingList settings = MakeSettings(config);
  std::map<std::string, std::vector<std::string>> lists;  // of flags, by key
  std::map<std::string, std::string> values;
  std::map<std::string, bool> switches;
  std::string config_file;
  bool json = false;
};

std::string Help(const Setting& setting) {
  const std::string usual =
      setting.default_text.empty() ? "" : fmt::format(" [{}]", setting.default_text);
  return fmt::format("{}{} ({})", setting.help, usual, setting.environment());
}

void AddFlag(CLI::App& command, const Setting& setting, ServeOptions& options) {
  if (setting.is_secret) return;
  if (setting.is_switch) {
    command.add_flag(fmt::format("{},!--no-{}", setting.flag(), setting.flag().substr(2)),
                     options.switches[setting.key], Help(setting));
  } else if (setting.is_list) {
    command.add_option(setting.flag(), options.lists[setting.key], Help(setting))
        ->delimiter(',')
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  } else {
    command.add_option(setting.flag(), options.values[setting.key], Help(setting));
  }
}

/// What the user gave as flags, and nothing else.
SettingValues GivenFlags(const CLI::App& command, const ServeOptions& options) {
  SettingValues given;
  for (const Setting& setting : options.settings.all()) {
    if (setting.is_secret || command.get_option(setting.flag())->count() == 0) continue;
    if (setting.is_switch) {
      given[setting.key] = {options.switches.at(setting.key) ? "true" : "false"};
    } else if (setting.is_list) {
      given[setting.key] = options.lists.at(setting.key);
    } else {
      given[setting.key] = {options.values.at(setting.key)};
    }
  }
  return given;
}

int Refuse(Console& console, bool json, const absl::Status& status) {
  console.Say(fmt::format("glint: {}", Message(status)));  // of several lines
  if (json) console.Print(JsonLine(FailureJson(status)));
  return ExitCodeOf(status);
}

void Announce(Console& console, bool json, const ServingPorts& ports) {
  if (!json) return;
  nlohmann::ordered_json line = {{"event", "serving"}, {"ports", ports.grpc}};
  if (!ports.http.empty()) line["http_ports"] = ports.http;
  if (!ports.metrics.empty()) line["metrics_ports"] = ports.metrics;
  console.Print(JsonLine(line));
}

int RunServe(ServeOptions& options, const SettingValues& flags, const CommandContext& context) {
  SettingSources sources{flags, GlintEnvironment(), options.config_file};
  if (sources.file.empty() && sources.environment.contains("GLINT_CONFIG")) {
    sources.file = sources.environment.at("GLINT_CONFIG");
  }
  const auto tokens = Configure(options.config, options.settings, sources);
  if (!tokens.ok()) return Refuse(context.console, options.json, tokens.status());
  for (const std::string* secret :
       {&options.config.tokens, &options.config.webhook.secret, &options.config.postgrest.key}) {
    RegisterSecret(*secret);
  }
  for (const std::string* url : {&options.config.job_store, &options.config.job_store_listen}) {
    if (const auto read = ReadPostgresUrl(*url); read.ok()) RegisterSecret(read->password);
  }
  SetUpServiceLog(options.config.log_level,
                  options.config.log_format == "json" ? LogFormat::kJson : LogFormat::kText);
  std::vector<std::string> variables;
  for (const Setting& setting : options.settings.all()) variables.push_back(setting.environment());
  for (const std::string& name : UnknownVariables(options.settings, sources.environment)) {
    spdlog::warn("{} is no setting of glint serve{}", name, DidYouMean(name, variables));
  }
  umask(static_cast<mode_t>(options.config.umask));
  const auto ended =
      RunWorker(options.config, **tokens, context.stop,
                [&](const ServingPorts& ports) { Announce(context.console, options.json, ports); });
  if (ended.ok()) return kExitSuccess;
  spdlog::error("{}", Message(ended));
  spdlog::shutdown();  // what waits is written before the last word on stdout
  if (options.json) context.console.Print(JsonLine(FailureJson(ended)));
  return ExitCodeOf(ended);
}

}  // namespace

void AddServeCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* command = app.add_subcommand("serve", "Run the worker: scans by gRPC and HTTP");
  command->add_option("--config", options->config_file,
                      "A TOML file with the settings below, without the dashes (GLINT_CONFIG)");
  for (const Setting& setting : options->settings.all()) AddFlag(*command, setting, *options);
  command->add_flag("--json", options->json,
                    "When it serves, one JSON object with the ports on stdout");
  command->footer(
      "Flags are stronger than the environment, and that is stronger than the file. Tokens come "
      "from GLINT_TOKENS or --token-file, never from flags. SIGTERM drains, a second one ends at "
      "once. See docs/deploy.md.");
  command->callback([&action, options, command] {
    const SettingValues flags = GivenFlags(*command, *options);
    action = [options, flags](const CommandContext& context) {
      return RunServe(*options, flags, context);
    };
  });
}

}  // namespace glint
