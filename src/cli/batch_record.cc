// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/json_line.h"
#include "cli/run_batch.h"

namespace glint {

BatchRecord::BatchRecord(const std::filesystem::path& folder)
    : file_(folder.empty() ? folder : folder / kBatchRecordName) {
  std::ifstream lines(file_);
  for (std::string line; std::getline(lines, line);) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object()) continue;  // the end of a line that a crash cut off
    try {
      entries_[object.at("scan_id").get<std::string>()] = {object.at("input").get<std::string>(),
                                                           object.at("options").get<std::string>(),
                                                           object.at("version").get<std::string>()};
    } catch (const nlohmann::json::exception&) {
      continue;
    }
  }
}

const BatchRecord::Entry* BatchRecord::Find(const std::string& scan_id) const {
  const auto found = entries_.find(scan_id);
  return found == entries_.end() ? nullptr : &found->second;
}

std::map<std::string, std::string> BatchRecord::Inputs() const {
  std::map<std::string, std::string> inputs;
  for (const auto& [id, entry] : entries_) inputs[id] = entry.input;
  return inputs;
}

std::string BatchRecord::Line(const std::string& scan_id, const Entry& entry) {
  return JsonLine({{"scan_id", scan_id},
                   {"input", entry.input},
                   {"options", entry.options},
                   {"version", entry.version}});
}

void BatchRecord::Add(const std::string& scan_id, const Entry& entry) const {
  const std::string line = Line(scan_id, entry);
  const int file = open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  // One write: lines of several threads and processes do not mix.
  const bool whole = write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!whole && write(file, "\n", 1) < 0) {
    // A cut line without an end would swallow the next one; reading skips what does not parse.
  }
  close(file);
}

}  // namespace glint
