// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "glint/backend.h"
#include "glint/error.h"
#include "stages/absent_device.h"
#include "stages/opencv_threads.h"

namespace glint {
namespace {

/// What somebody asks for.
class Wanted {
 public:
  explicit Wanted(std::string_view text) : text_(text), kind_(text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view digits = text.substr(colon + 1);
    int ordinal = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
    if (error != std::errc() || end != digits.data() + digits.size() || ordinal < 0) return;
    kind_ = text.substr(0, colon);
    ordinal_ = ordinal;
  }

  bool automatic() const { return text_ == "auto"; }
  std::string_view text() const { return text_; }

  /// The devices of an entry that are meant.
  std::vector<DeviceName> DevicesIn(const BackendEntry& entry) const {
    if (automatic()) return entry.exact ? DevicesOf(entry) : std::vector<DeviceName>();
    if (kind_ != entry.name || (ordinal_ && entry.count == nullptr)) return {};
    if (!ordinal_) return DevicesOf(entry);
    return {{std::string(text_), *ordinal_}};
  }

 private:
  std::string_view text_;
  std::string_view kind_;
  std::optional<int> ordinal_;
};

/// A selection under way.
class Selection {
 public:
  Selection(const Wanted& wanted, BackendOptions options, bool all)
      : wanted_(wanted), options_(std::move(options)), all_(all) {}

  /// Tries the devices of an entry. @return whether one was chosen
  bool Try(const BackendEntry& entry) {
    names_ += fmt::format(", {}", entry.name);
    if (entry.count != nullptr) names_ += fmt::format(", {}:N", entry.name);
    for (const DeviceName& device : wanted_.DevicesIn(entry)) {
      known_ = true;
      Try(entry, device);
      if (!chosen_.empty() && !all_) return true;
    }
    return !chosen_.empty();
  }

  absl::StatusOr<std::vector<BackendChoice>> Finish() {
    if (chosen_.empty()) return Failure();
    std::string why = wanted_.automatic() ? "first of auto that works" : "forced";
    if (chosen_.size() > 1) {
      why += fmt::format("; scans are spread over {} devices", chosen_.size());
    }
    for (BackendChoice& choice : chosen_) {
      choice.why = why + skipped_;
      choice.probes = probes_;
    }
    return std::move(chosen_);
  }

 private:
  void Try(const BackendEntry& entry, const DeviceName& device) {
    options_.ordinal = device.ordinal;
    absl::Status status = entry.probe(options_);
    probes_.push_back({device.name, status});
    if (status.ok()) {
      auto backend = entry.make(options_);
      status = backend.status();
      if (backend.ok()) {
        chosen_.push_back(
            {.name = device.name, .why = {}, .probes = {}, .backend = *std::move(backend)});
        return;
      }
    }
    if (wanted_.automatic() && IsAbsent(status)) return;
    skipped_ += fmt::format("; {} skipped: {}", device.name, Message(status));
  }

  absl::Status Failure() const {
    if (!known_ && !wanted_.automatic()) {
      return Error(Reason::kInvalidOption,
                   fmt::format("no device is called '{}'; there are: {}", wanted_.text(), names_));
    }
    return Error(Reason::kDeviceUnavailable,
                 fmt::format("device '{}' does not work here{}", wanted_.text(), skipped_));
  }

  const Wanted& wanted_;
  BackendOptions options_;
  const bool all_;
  bool known_ = false;
  std::string names_ = "auto";
  std::string skipped_;
  std::vector<BackendChoice::Probe> probes_;
  std::vector<BackendChoice> chosen_;
};

absl::StatusOr<std::vector<BackendChoice>> Select(std::string_view text,
                                                  std::span<const BackendEntry> table,
                                                  const BackendOptions& options, bool all) {
  KeepOpenCvOnTheCallingThread();
  const Wanted wanted(text);
  Selection selection(wanted, options, all);
  for (const BackendEntry& entry : table) {
    if (selection.Try(entry)) break;
  }
  return selection.Finish();
}

}  // namespace

std::vector<DeviceName> DevicesOf(const BackendEntry& entry) {
  const int count = entry.count == nullptr ? 0 : entry.count();
  if (count == 0) return {{std::string(entry.name), 0}};
  std::vector<DeviceName> devices;
  devices.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) devices.push_back({fmt::format("{}:{}", entry.name, i), i});
  return devices;
}

std::string NamesOf(std::span<const BackendChoice> devices) {
  std::string names;
  for (const BackendChoice& device : devices) {
    names += (names.empty() ? "" : ", ") + device.name;
  }
  return names;
}

absl::StatusOr<BackendChoice> SelectBackend(std::string_view wanted,
                                            std::span<const BackendEntry> table,
                                            const BackendOptions& options) {
  GLINT_ASSIGN_OR_RETURN(auto chosen, Select(wanted, table, options, false));
  return std::move(chosen.front());
}

absl::StatusOr<std::vector<BackendChoice>> SelectBackends(std::string_view wanted,
                                                          std::span<const BackendEntry> table,
                                                          const BackendOptions& options) {
  return Select(wanted, table, options, true);
}

}  // namespace glint
