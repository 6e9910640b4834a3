// SPDX-License-Identifier: Apache-2.0
#include "serve/worker_info.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <string>

#include "analyse/item_types.h"
#include "analyse/stage_names.h"
#include "base/utf8.h"
#include "decode/build_id.h"
#include "glint/error.h"
#include "scan/request_check.h"

namespace glint {
namespace {

void AddProbes(std::span<const BackendChoice> devices, v1::WorkerInfo& info) {
  for (const BackendChoice::Probe& probe : devices.front().probes) {
    v1::DeviceProbe& message = *info.add_probes();
    message.set_device(probe.name);
    message.set_works(probe.status.ok());
    const auto chosen = std::ranges::find(devices, probe.name, &BackendChoice::name);
    if (!probe.status.ok()) {
      message.set_detail(ValidUtf8(Message(probe.status)));
    } else if (chosen != devices.end()) {
      message.set_detail(ValidUtf8(chosen->backend->description()));
    }
  }
}

}  // namespace

v1::WorkerInfo DescribeWorker(const ServeConfig& config, std::span<const BackendChoice> devices,
                              int scans_at_once, const DecoderStatus& decoder) {
  const std::string names = NamesOf(devices);
  v1::WorkerInfo info;
  info.set_version(GLINT_VERSION);
  *info.mutable_start_time() = google::protobuf::util::TimeUtil::GetCurrentTime();
  info.set_device(names);
  info.set_device_why(ValidUtf8(devices.front().why));
  AddProbes(devices, info);
  for (const StageName& stage : StageNames()) {
    v1::StageBackend& message = *info.add_stages();
    message.set_stage(std::string(stage.name));
    message.set_device(names);
  }
  v1::WorkerLimits& limits = *info.mutable_limits();
  limits.set_max_bytes(config.limits.max_bytes);
  limits.set_max_pixels(config.limits.max_pixels);
  limits.set_max_frames(config.limits.max_frames);
  limits.set_max_duration_s(config.limits.max_duration_s);
  limits.set_queue_capacity(static_cast<std::int32_t>(config.jobs.queue_capacity));
  limits.set_scan_timeout_s(std::chrono::duration<double>(config.scan_timeout).count());
  for (const Profile profile : Profiles()) info.add_profiles(std::string(Name(profile)));
  info.set_default_profile(config.default_profile);
  for (const ItemType& type : ItemTypes()) info.add_item_types(std::string(type.name));
  info.set_lanes(scans_at_once);
  info.set_http_url(config.http_url);
  v1::DecoderInfo& decodes = *info.mutable_decoder();
  decodes.set_path(ValidUtf8(decoder.program.string()));
  decodes.set_build(std::string(DecodeBuildId()));
  decodes.set_ffmpeg_version(ValidUtf8(decoder.ffmpeg_version));
  decodes.set_confined(decoder.confined);
  decodes.set_confinement_detail(ValidUtf8(decoder.missing));
  return info;
}

}  // namespace glint
