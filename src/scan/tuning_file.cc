// SPDX-License-Identifier: Apache-2.0
#include "glint/tuning_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "glint/error.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

absl::Status NoTuning(const fs::path& file, std::string_view why) {
  return Error(Reason::kInputUnreadable,
               fmt::format("'{}' is no tuning of this version ({}); make a new one with glint "
                           "bench --tune",
                           file.string(), why));
}

/// Throws what the library throws when something is missing or of another type.
Tuning FromJson(const Json& json) {
  Tuning tuning;
  for (const Json& batch : json.at("batches")) {
    tuning.batches.push_back(
        {.device = batch.at("device").get<std::string>(),
         .frame = {batch.at("width").get<int>(), batch.at("height").get<int>()},
         .motion = batch.at("motion").get<bool>(),
         .frames = batch.at("frames").get<int>()});
  }
  for (const Json& limit : json.at("cpu_up_to")) {
    tuning.cpu_limits.push_back({.device = limit.at("device").get<std::string>(),
                                 .threads = limit.at("threads").get<int>(),
                                 .pixels = limit.at("pixels").get<std::int64_t>()});
  }
  return tuning;
}

bool InRange(const Tuning& tuning) {
  for (const Tuning::Batch& batch : tuning.batches) {
    if (batch.frames < 1 || batch.frames > Tuning::kMaxFrames) return false;
  }
  for (const Tuning::CpuLimit& limit : tuning.cpu_limits) {
    if (limit.pixels < 0) return false;
  }
  return true;
}

Json ToJson(const Tuning& tuning) {
  Json json = {{"version", kVersion}, {"batches", Json::array()}, {"cpu_up_to", Json::array()}};
  for (const Tuning::Batch& batch : tuning.batches) {
    json["batches"].push_back({{"device", batch.device},
                               {"width", batch.frame.width},
                               {"height", batch.frame.height},
                               {"motion", batch.motion},
                               {"frames", batch.frames}});
  }
  for (const Tuning::CpuLimit& limit : tuning.cpu_limits) {
    json["cpu_up_to"].push_back(
        {{"device", limit.device}, {"threads", limit.threads}, {"pixels", limit.pixels}});
  }
  return json;
}

absl::Status Unwritable(const fs::path& file) {
  return Error(Reason::kOutputUnwritable,
               fmt::format("the tuning cannot be written to '{}'; name another file with "
                           "--tuning-file",
                           file.string()));
}

}  // namespace

fs::path DefaultTuningFile() {
  const auto named = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  fs::path cache = named("XDG_CACHE_HOME");
  if (!cache.is_absolute()) {  // as the XDG base directory specification asks
    const fs::path home = named("HOME");
    if (home.empty()) return {};
    cache = home / ".cache";
  }
  return cache / "glint" / "tuning.json";
}

absl::StatusOr<Tuning> ReadTuning(const fs::path& file) {
  std::error_code error;
  if (file.empty() || !fs::exists(file, error)) return Tuning();
  std::ifstream stream(file);
  if (!stream) {
    return Error(Reason::kInputUnreadable, fmt::format("'{}' cannot be read", file.string()));
  }
  try {
    const Json json = Json::parse(stream);
    if (json.at("version") != kVersion) return NoTuning(file, "another version");
    Tuning tuning = FromJson(json);
    if (!InRange(tuning)) return NoTuning(file, "numbers out of range");
    return tuning;
  } catch (const Json::exception& wrong) {
    return NoTuning(file, wrong.what());
  }
}

absl::Status WriteTuning(const Tuning& tuning, const fs::path& file) {
  std::error_code error;
  if (file.empty()) return Unwritable(file);
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  // Beside it first, so that a scan never reads half of it.
  const fs::path written = file.string() + fmt::format(".{}", getpid());
  {
    std::ofstream stream(written);
    stream << ToJson(tuning).dump(2) << '\n';
    stream.flush();
    if (!stream) {
      fs::remove(written, error);
      return Unwritable(file);
    }
  }
  fs::rename(written, file, error);
  if (!error) return absl::OkStatus();
  fs::remove(written, error);
  return Unwritable(file);
}

}  // namespace glint
