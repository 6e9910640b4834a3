// SPDX-License-Identifier: Apache-2.0
#include "serve/worker.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "api/request.h"
#include "api/result.h"
#include "api/url.h"
#include "base/clock.h"
#include "base/freed_memory.h"
#include "base/mutex.h"
#include "base/spilled_bytes.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "glint/error.h"
#include "glint/export_format.h"
#include "glint/fetcher.h"
#include "glint/object_store.h"
#include "glint/open_store.h"
#include "glint/url_fetcher.h"
#include "http/address_policy.h"
#include "http/url.h"
#include "jobs/postgres_jobs.h"
#include "jobs/sqlite_jobs.h"
#include "jobs/worker_slot.h"
#include "observe/line_queue.h"
#include "observe/metrics.h"
#include "observe/observe_server.h"
#include "serve/descriptors.h"
#include "serve/link_signer.h"
#include "serve/memory_budget.h"
#include "serve/outbox.h"
#include "serve/permit_fetcher.h"
#include "serve/scan_notifications.h"
#include "serve/server.h"
#include "serve/worker_decoder.h"
#include "serve/worker_info.h"
#include "uploads/upload_store.h"
#include "workers/scan_worker_pool.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr auto kPollPeriod = 100ms;
/// After a flood or a scan, what it freed is this process's no more.
constexpr auto kReturnMemoryEvery = 20s;
constexpr auto kGaugesEvery = 500ms;
/// All workers of a fleet count its queue.
constexpr auto kSharedGaugesEvery = 5s;
constexpr auto kLookForDeadEvery = 5s;
constexpr auto kLookIdleEvery = 500ms;
constexpr auto kSweepEvery = std::chrono::minutes(10);
/// What was uploaded so long ago and is not published belongs to no attempt that lives.
constexpr auto kLeftover = 1h;
/// Streams learn the last events of their scans within this, before they are ended.
constexpr auto kLastEvents = 1s;
constexpr auto kCallsEnd = 2s;
constexpr auto kSigning = 3s;
constexpr auto kSigningPause = 5s;  // after a server that did not answer in that time

int ThreadsOf(const ServeConfig& config) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());  // 0 when unknown
  return config.threads > 0 ? config.threads : std::max(1, cores);
}

/// The kinds of devices, each once: "cuda" of "cuda:0", "cuda:1" and "opencv_cuda:0".
std::vector<std::string> KindsOf(std::span<const BackendChoice> devices) {
  std::vector<std::string> kinds;
  for (const BackendChoice& device : devices) {
    const bool is_gpu = device.name.find("cuda") != std::string::npos;
    std::string kind = is_gpu ? "cuda" : device.name.substr(0, device.name.find(':'));
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(std::move(kind));
  }
  return kinds;
}

/// The parts of a worker, in the order in which they depend on each other.
class Worker {
 public:
  Worker(const ServeConfig& config, TokenList& tokens)
      : config_(config), tokens_(tokens), pool_(ThreadsOf(config)) {}

  absl::Status Start() {
    const int descriptors = RaiseDescriptorLimit();
    GLINT_RETURN_IF_ERROR(StartDevice());
    LimitFramesToMemory();
    server_options_ = config_.server;
    if (shares_queue()) {
      // As many calls at once as have a connection each.
      server_options_.store_threads =
          std::max(server_options_.store_threads, config_.job_store_connections);
    }
    server_options_.connections.max_connections =
        config_.max_connections > 0 ? config_.max_connections
                                    : ConnectionsWithin(descriptors, ScansAtOnce());
    if (!server_options_.http.empty()) ShareConnections(descriptors);
    GLINT_RETURN_IF_ERROR(OpenFetcherAndStore());
    GLINT_RETURN_IF_ERROR(OpenState());
    SpillTo(config_.state, [](const std::string& text) { spdlog::warn("{}", text); });
    GLINT_RETURN_IF_ERROR(OpenHttpParts());
    GLINT_RETURN_IF_ERROR(ProveStore());
    GLINT_RETURN_IF_ERROR(StartServing());
    ScanWorkerOptions options;
    options.count = ScansAtOnce() + config_.downloads;
    options.worker = name_prefix_ + slot_->name();
    options.scan_timeout = config_.scan_timeout;
    options.results = config_.state / "results";
    options.delivery = config_.delivery;
    options.tiers = config_.tiers;
    options.devices = KindsOf(devices_->devices());
    options.version = GLINT_VERSION;
    scan_workers_ = StartScanWorkers(*jobs_, Handler(), options, *metrics_);
    LookAtGauges();
    metrics_->SetGauges([this] {
      const MutexLock lock(gauges_mutex_);
      return gauges_;
    });
    serving_ = true;
    server_->SetHealth(true);
    return absl::OkStatus();
  }

  ServingPorts ports() const {
    ServingPorts ports{.grpc = server_->ports(), .http = server_->http_ports(), .metrics = {}};
    if (observe_) ports.metrics.push_back(observe_->port());
    return ports;
  }

  /// Waits for a reason to stop. Errors: INTERNAL when every scan worker is stuck
  absl::Status Wait(const std::stop_token& stop) {
    bool decodes = true;
    auto returned = Steady::now();
    auto looked = Steady::now();
    auto gauged = Steady::now();
    for (auto swept = Steady::now() - kSweepEvery; RealClock().Sleep(kPollPeriod, stop);) {
      if (std::exchange(decodes, decoder_->trouble().ok()) != decodes) server_->SetHealth(decodes);
      if (observe_ &&
          Steady::now() - gauged >= (shares_queue() ? kSharedGaugesEvery : kGaugesEvery)) {
        LookAtGauges();
        gauged = Steady::now();
      }
      if (Steady::now() - looked >= kLookForDeadEvery) {
        EndLeasesOfTheDead();
        SweepUploads();
        looked = Steady::now();
      }
      if (Steady::now() - returned >= kReturnMemoryEvery) {
        ReturnFreedMemory();
        returned = Steady::now();
      }
      if (Steady::now() - swept >= kSweepEvery) {
        Sweep();
        swept = Steady::now();
      }
      if (scan_workers_->stuck() >= ScansAtOnce()) {
        return Error(Reason::kInternal,
                     "no scan that runs reacts to being stopped; the worker must be restarted");
      }
      if (MayEndIdle()) {
        spdlog::info("idle: exiting");
        return absl::OkStatus();
      }
    }
    return absl::OkStatus();
  }

  /// @return whether everything has stopped; otherwise the process must end without destructors
  bool Drain(std::chrono::milliseconds grace) {
    spdlog::info("draining: scans that run have {} to end", grace);
    serving_ = false;
    server_->StartDraining();
    const bool drained = scan_workers_->Drain(grace);
    const auto deadline = Steady::now() + kLastEvents;
    while (server_->streams() > 0 && Steady::now() < deadline) {
      std::this_thread::sleep_for(10ms);
    }
    metrics_->SetGauges(nullptr);
    server_->Stop(kCallsEnd);
    return drained;
  }

 private:
  /// Whether nothing has run, waited or watched for as long as --exit-when-idle says. Then nothing
  /// is taken or claimed any more.
  bool MayEndIdle() {
    if (config_.exit_when_idle == 0ms || server_->streams() > 0 ||
        scan_workers_->idle_for().value_or(0ms) < config_.exit_when_idle ||
        Steady::now() - looked_idle_ < kLookIdleEvery || SomethingWaits()) {
      return false;
    }
    server_->StartDraining();
    while (server_->submissions() > 0) std::this_thread::sleep_for(1ms);
    if (!SomethingWaits() && scan_workers_->StopIfIdle(config_.exit_when_idle)) return true;
    server_->EndDraining();
    return false;
  }

  /// Whether scans wait in a tier that this worker serves, or the queue does not say.
  bool SomethingWaits() {
    looked_idle_ = Steady::now();
    const auto waiting = jobs_->Tiers();
    if (!waiting.ok()) return true;
    const auto& served = config_.tiers.tiers;
    return std::ranges::any_of(*waiting, [&](const TierQueue& tier) {
      return std::ranges::find(served, tier.tier) != served.end() ||
             std::ranges::find(served, ClaimOrder::kOthers) != served.end();
    });
  }

  absl::Status StartDevice() {
    const auto start = Steady::now();
    auto tuning = ReadTuning(config_.tuning_file);
    if (!tuning.ok()) spdlog::warn("{}", Message(tuning.status()));
    const auto known = tuning.ok() ? std::make_shared<const Tuning>(*tuning) : nullptr;
    GLINT_ASSIGN_OR_RETURN(
        devices_, OpenDevices(config_.device, BackendTable(), {.pool = &pool_, .tuning = known}));
    for (const BackendChoice& device : devices_->devices()) {
      spdlog::info("device {}: {} ({})", device.name, device.backend->description(), device.why);
    }
    if (const auto& small = devices_->small_frames()) spdlog::info("cpu: {}", small->cpu.why);
    spdlog::info("devices ready after {:.2f} s",
                 std::chrono::duration<double>(Steady::now() - start).count());
    return absl::OkStatus();
  }

  int ScansAtOnce() const {
    return config_.lanes > 0 ? config_.lanes : static_cast<int>(devices_->devices().size());
  }

  /// Frames whose scan would need more than its share of the memory are refused by their header.
  void LimitFramesToMemory() {
    const std::int64_t memory = config_.memory > 0 ? config_.memory : MemoryLimit();
    if (memory <= 0) return;
    scan_bytes_ = ScanShare(memory, ScansAtOnce());
    const std::int64_t pixels = PixelsWithin(memory, ScansAtOnce());
    if (pixels >= config_.limits.max_pixels) return;
    spdlog::info(
        "frames may have {:.1f} megapixels: more does not fit into {} MiB of memory and "
        "{} scans at a time (--memory, --lanes)",
        static_cast<double>(pixels) / 1e6, memory >> 20, ScansAtOnce());
    config_.limits.max_pixels = pixels;
  }

  absl::Status OpenFetcherAndStore() {
    GLINT_ASSIGN_OR_RETURN(policy_, AddressPolicy::Make(config_.allow_source));
    UrlFetchOptions options;
    options.work_folder = config_.state / "downloads";
    options.max_bytes = config_.limits.max_bytes;
    options.work_bytes = config_.download_space;
    options.timeout = config_.download_timeout;
    options.allowed_sources = config_.allow_source;
    options.ca_file = config_.download_ca.string();
    options.low_speed_bytes = config_.download_min_speed;
    // Requests name http(s) URLs only; the paths are those of uploads.
    GLINT_ASSIGN_OR_RETURN(sources_, MakeInputFetcher(std::move(options)));
    fetchers_ = MakePermitFetchers(*sources_, ScansAtOnce());
    GLINT_ASSIGN_OR_RETURN(store_, OpenStore(config_.store, config_.store_options));
    GLINT_ASSIGN_OR_RETURN(decoder_, WorkerDecoder::Start(config_, scan_bytes_));
    return absl::OkStatus();
  }

  /// HTTP has connections of its own, out of the same descriptors. What they send waits in the
  /// system until it is dealt with, so that only those without a token need a bound on it.
  void ShareConnections(int descriptors) {
    constexpr double kAnyBytes = 1e15;
    ConnectionLimits& grpc = server_options_.connections;
    if (config_.max_connections == 0) {
      grpc.max_connections = ConnectionsWithin(descriptors, ScansAtOnce()) / 2;
    }
    ConnectionLimits& http = server_options_.http_connections;
    http = grpc;
    http.trusted_bytes = http.trusted_bytes_per_s = kAnyBytes;
    http.receive_bytes = 0;
  }

  /// Uploads, and results of a folder, as far as HTTP is served.
  absl::Status OpenHttpParts() {
    if (config_.server.http.empty()) return absl::OkStatus();
    GLINT_ASSIGN_OR_RETURN(
        links_,
        LinkSigner::Open(config_.state / "http-links.key",
                         std::chrono::duration_cast<std::chrono::seconds>(config_.store_url_life)));
    http_.links = links_.get();
    const auto scheme = config_.http_url.find("://");
    if (scheme != std::string::npos) http_.host = config_.http_url.substr(scheme + 3);
    if (config_.store.find("://") == std::string::npos) {
      http_.locate = [this](std::string_view scan_id, std::string_view name) {
        return std::filesystem::path(store_->Locate(scan_id, name));
      };
    }
    if (shares_queue() && config_.uploads.empty()) {
      http_.no_uploads =
          "this worker takes no uploads: its queue is shared, and another worker could not read "
          "them; start all workers of the queue with --uploads and one folder that they share, or "
          "give videos by their URL";
      spdlog::info("{}", http_.no_uploads);
      return absl::OkStatus();
    }
    UploadLimits limits;
    limits.max_bytes = config_.limits.max_bytes;
    limits.total_bytes = config_.upload_space;
    limits.owner_bytes = config_.upload_space_per_owner;
    limits.age = std::chrono::duration_cast<std::chrono::seconds>(config_.upload_age);
    const auto folder = config_.uploads.empty() ? config_.state / "uploads" : config_.uploads;
    GLINT_ASSIGN_OR_RETURN(uploads_, OpenUploadStore(folder, limits));
    http_.uploads = uploads_.get();
    return absl::OkStatus();
  }

  /// Links to results in a folder lead to this worker.
  std::string HttpLink(std::string_view scan_id, std::string_view name) const {
    const auto slash = scan_id.find('/');  // "@OWNER/ID", or "ID"
    const std::string_view owner =
        slash == std::string_view::npos ? "" : scan_id.substr(1, slash - 1);
    const std::string_view id = IdOf(scan_id);
    return fmt::format("{}/v1/scans/{}/files/{}?{}", server_->http_url(), id,
                       PercentEncoded(name, true), links_->Sign(owner, id));
  }

  absl::Status OpenState() {
    JobLimits limits = config_.jobs;
    GLINT_ASSIGN_OR_RETURN(const auto targets, MakeNotificationTargets(config_));
    for (const auto& target : targets) limits.notify.push_back(target->name());
    GLINT_ASSIGN_OR_RETURN(jobs_, OpenJobs(limits));
    GLINT_ASSIGN_OR_RETURN(slot_, TakeWorkerSlot(config_.state / "workers"));
    if (shares_queue()) {
      GLINT_ASSIGN_OR_RETURN(name_prefix_, WorkerNamePrefix(config_.state / "workers"));
    }
    const absl::Status ended = EndLeasesOf(slot_->name());
    if (!shares_queue()) GLINT_RETURN_IF_ERROR(ended);
    if (!ended.ok()) spdlog::error("the queue is not there yet: {}", Message(ended));
    EndLeasesOfTheDead();
    return absl::OkStatus();
  }

  /// Whether the queue is one of workers of several machines.
  bool shares_queue() const { return !config_.job_store.empty(); }

  absl::StatusOr<std::unique_ptr<JobStore>> OpenJobs(const JobLimits& limits) const {
    if (!shares_queue()) return OpenSqliteJobs(config_.state / "jobs.sqlite", limits);
    return OpenPostgresJobs(
        config_.job_store, limits,
        {.listen_url = config_.job_store_listen, .connections = config_.job_store_connections});
  }

  absl::Status EndLeasesOf(const std::string& slot) {
    GLINT_ASSIGN_OR_RETURN(const auto ended, jobs_->ExpireLeasesOf(name_prefix_ + slot));
    if (ended > 0)
      spdlog::warn("an earlier worker died while it made {}; made again",
                   ended == 1 ? "a scan" : fmt::format("{} scans", ended));
    return absl::OkStatus();
  }

  /// Whoever died in another slot of the folder leaves scans, too.
  void EndLeasesOfTheDead() {
    ForEachDeadSlot(config_.state / "workers", [this](const std::string& worker) {
      const absl::Status ended = EndLeasesOf(worker);
      if (!ended.ok()) spdlog::warn("leases of {} were not ended: {}", worker, Message(ended));
    });
  }

  /// Refuses to serve where results could never be stored; one that is only away may come back.
  absl::Status ProveStore() const {
    constexpr auto kMost = 20s;
    absl::Status proved = store_->Prove(CancelToken({}, Steady::now() + kMost));
    const auto reason = ReasonOf(proved);
    if (proved.ok()) return proved;
    if (reason != Reason::kStoreUnavailable && reason != Reason::kDeadlineExceeded &&
        reason != Reason::kDiskFull) {
      return In("store", proved);
    }
    spdlog::error("the store does not take results now: {}", Message(proved));
    return absl::OkStatus();
  }

  /// The URLs of a result's objects; their keys alone while none can be signed. A server that has
  /// to sign them must not hold up the calls that show them.
  absl::StatusOr<std::vector<ObjectLink>> LinksOrKeys(std::string_view prefix,
                                                      std::span<const std::string> names) {
    if (http_.locate && has_server_) {
      std::vector<ObjectLink> here;
      for (const std::string& name : names) {
        here.push_back({store_->Key(prefix, name), HttpLink(prefix, name)});
      }
      return here;
    }
    if (Steady::now() >= sign_again_.load()) {
      auto links = store_->Links(prefix, names, CancelToken({}, Steady::now() + kSigning));
      if (links.ok()) return links;
      if (ReasonOf(links.status()) == Reason::kDeadlineExceeded) {
        sign_again_ = Steady::now() + kSigningPause;
      }
      spdlog::warn("no URLs of a result: {}", Message(links.status()));
    }
    std::vector<ObjectLink> keys;
    for (const std::string& name : names) keys.push_back({store_->Key(prefix, name), ""});
    return keys;
  }

  absl::Status StartServing() {
    metrics_ = MakeServiceMetrics(GLINT_VERSION);
    ScanRules rules;
    rules.defaults.profile = config_.default_profile;
    rules.usual_tier = config_.usual_tier;
    rules.check_url = [this](std::string_view text) {
      const auto url = Url::Parse(text);
      return url.ok() ? policy_->CheckUrl(*url) : url.status();
    };
    if (uploads_) {
      rules.claim_upload = [this](std::string_view owner, std::string_view id,
                                  std::string_view scan_id) {
        return uploads_->Claim(owner, id, scan_id);
      };
    }
    rules.links = [this](std::string_view prefix, std::span<const std::string> names) {
      return LinksOrKeys(prefix, names);
    };
    GLINT_ASSIGN_OR_RETURN(
        server_, StartServer(server_options_,
                             {*jobs_, tokens_, std::move(rules),
                              DescribeWorker(config_, devices_->devices(), ScansAtOnce(),
                                             decoder_->status()),
                              [this](std::string_view method, std::string_view code,
                                     double seconds) { metrics_->CallDone(method, code, seconds); },
                              http_}));
    has_server_ = true;
    GLINT_ASSIGN_OR_RETURN(auto targets, MakeNotificationTargets(config_));
    if (!targets.empty()) {
      notifications_ = std::make_unique<ScanNotifications>(*jobs_, std::move(targets));
      GLINT_ASSIGN_OR_RETURN(auto again, MakeNotificationTargets(config_));
      outbox_ = std::make_unique<Outbox>(*jobs_, std::move(again));
    }
    if (config_.metrics_listen.empty()) return absl::OkStatus();
    GLINT_ASSIGN_OR_RETURN(observe_, StartObserveServer(config_.metrics_listen, *metrics_, [this] {
                             if (!serving_) return Health{false, "starting or draining"};
                             const absl::Status trouble = decoder_->trouble();
                             if (!trouble.ok()) return Health{false, std::string(Message(trouble))};
                             return HealthOfDeliveries("serving\n" + decoder_->Describe());
                           }));
    spdlog::info("metrics on port {}", observe_->port());
    return absl::OkStatus();
  }

  JobHandler Handler() {
    JobHandler handler;
    handler.ready = [this](const CancelToken& cancel) { return decoder_->LookAgain(cancel).ok(); };
    handler.request = [this](const Job& job) -> absl::StatusOr<ScanRequest> {
      GLINT_ASSIGN_OR_RETURN(auto request, ToScanRequest(job));
      GLINT_ASSIGN_OR_RETURN(request.input, InputOf(job, request.input));
      if (!request.back.empty()) {
        GLINT_ASSIGN_OR_RETURN(request.back, InputOf(job, request.back));
      }
      request.prefix = job.scan_id;
      request.limits = config_.limits;
      GLINT_ASSIGN_OR_RETURN(request.exports, ParseExportFormats(config_.exports));
      return request;
    };
    handler.deps = [this](const Job& job) {
      const bool alone = job.attempts > 1;
      return ScanDeps{.fetcher = alone ? *fetchers_.alone : *fetchers_.usual,
                      .store = *store_,
                      .devices = *devices_,
                      .pool = pool_,
                      .open_video = decoder_->opener()};
    };
    handler.result = [](const Job& job, const ScanResult& result,
                        const std::vector<StoredObject>& objects) -> absl::StatusOr<std::string> {
      return EncodeResult(result.report, result.timing.wall_ms, job.scan_id, objects,
                          result.assessment, result.back);
    };
    return handler;
  }

  /// What the fetcher is given for a job's video: its URL, or where its upload lies.
  absl::StatusOr<std::string> InputOf(const Job& job, const std::string& url) const {
    if (const auto upload = UploadIdOf(url); !upload.empty()) {
      return PathOfUpload(job.owner, upload);
    }
    if (IsWebUrl(url)) return url;
    return Error(Reason::kInvalidOption, "the stored request names no http(s) URL");
  }

  absl::StatusOr<std::string> PathOfUpload(std::string_view owner, std::string_view id) const {
    if (!uploads_) {
      return Error(Reason::kInputNotFound,
                   "the video was uploaded to another worker of the queue, and this one has no "
                   "--uploads; give all of them the same folder");
    }
    const auto file = uploads_->PathOf(owner, id);
    if (file.ok()) return file->string();
    if (!shares_queue()) return file.status();
    return Error(Reason::kInputNotFound,
                 fmt::format("{}; or this worker's --uploads is not the folder of the worker that "
                             "took it",
                             Message(file.status())));
  }

  /// Well, unless so many results wait for their place that no scan is begun.
  Health HealthOfDeliveries(std::string well) const {
    const DeliveryStatus deliveries = scan_workers_->deliveries();
    if (!deliveries.away) return {true, std::move(well)};
    const std::string waiting =
        fmt::format("{} results ({} bytes) wait for their place: {}", deliveries.waiting,
                    deliveries.bytes, deliveries.because);
    if (deliveries.paused) return {false, "no scan is begun: " + waiting};
    return {true, fmt::format("{}\n{}", well, waiting)};
  }

  /// The job store may make us wait; who reads metrics gets what was last known.
  void LookAtGauges() {
    const auto tiers = jobs_->RecentTiers().value_or(std::vector<TierQueue>());
    const DeliveryStatus deliveries = scan_workers_->deliveries();
    WorkerGauges gauges{.queue_capacity = config_.jobs.queue_capacity,
                        .running = scan_workers_->running(),
                        .stuck = scan_workers_->stuck(),
                        .watchers = static_cast<std::int64_t>(server_->streams()),
                        .dead_notices = outbox_ ? outbox_->dead() : 0,
                        .connections = static_cast<std::int64_t>(server_->connections()),
                        .lost_log_lines = LostLogLines(),
                        .confined = decoder_->status().confined,
                        .store_away = deliveries.away,
                        .claiming_paused = deliveries.paused,
                        .results_waiting = deliveries.waiting,
                        .result_bytes_waiting = deliveries.bytes};
    for (const TierQueue& tier : tiers) {
      gauges.queued += tier.queued;
      gauges.tiers.push_back({.tier = tier.tier,
                              .queued = tier.queued,
                              .oldest_s = std::chrono::duration<double>(tier.oldest).count(),
                              .work_s = std::chrono::duration<double>(tier.work).count()});
    }
    const MutexLock lock(gauges_mutex_);
    gauges_ = std::move(gauges);
  }

  void SweepUploads() {
    if (!uploads_) return;
    uploads_->Sweep([this](const std::string& scan_id) {
      const auto job = jobs_->Get(scan_id);
      if (!job.ok()) {
        // Claimed before the scan is queued: the next look will tell.
        return FailureReasonOf(job.status()) == ServiceReason::kScanNotFound ? UploadNeed::kMaybe
                                                                             : UploadNeed::kSure;
      }
      if (!IsFinal(job->state)) return UploadNeed::kSure;
      const bool may_pass =
          job->state == JobState::kFailed && job->failure && Info(job->failure->reason).retryable;
      return may_pass ? UploadNeed::kMaybe : UploadNeed::kNone;
    });
  }

  void Sweep() {
    const auto swept = jobs_->Sweep();
    if (!swept.ok()) spdlog::warn("ended scans could not be swept: {}", Message(swept.status()));
    if (sweeping_store_) return;
    sweeping_store_ = true;
    store_sweep_ = std::jthread([this](const std::stop_token& stop) {
      const auto leftovers = store_->Sweep({.older_than = kLeftover}, CancelToken(stop));
      if (leftovers.ok() && *leftovers > 0) {
        spdlog::info("{} objects deleted that workers left when they died", *leftovers);
      }
      sweeping_store_ = false;
    });
  }

  ServeConfig config_;
  TokenList& tokens_;
  ThreadPool pool_;
  std::unique_ptr<DevicePool> devices_;
  std::optional<AddressPolicy> policy_;
  std::unique_ptr<Fetcher> sources_;
  PermitFetchers fetchers_;
  std::unique_ptr<ObjectStore> store_;
  std::int64_t scan_bytes_ = 0;  // of memory that a scan may take; 0: nobody knows
  std::unique_ptr<WorkerDecoder> decoder_;
  std::unique_ptr<JobStore> jobs_;
  std::unique_ptr<LinkSigner> links_;
  std::unique_ptr<UploadStore> uploads_;
  HttpParts http_;
  std::unique_ptr<WorkerSlot> slot_;
  std::string name_prefix_;  // of this folder's workers, where others share the queue
  std::unique_ptr<ServiceMetrics> metrics_;
  Mutex gauges_mutex_;
  WorkerGauges gauges_ ABSL_GUARDED_BY(gauges_mutex_);
  std::atomic<bool> serving_ = false;
  std::atomic<Steady::time_point> sign_again_ = Steady::time_point();
  ServerOptions server_options_;
  std::unique_ptr<Server> server_;
  std::atomic<bool> has_server_ = false;  // for calls that come while it starts
  std::unique_ptr<ScanNotifications> notifications_;
  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<ScanWorkerPool> scan_workers_;
  Steady::time_point looked_idle_;
  std::atomic<bool> sweeping_store_ = false;
  std::jthread store_sweep_;
  std::unique_ptr<ObserveServer> observe_;
};

}  // namespace

absl::Status RunWorker(const ServeConfig& config, TokenList& tokens, const std::stop_token& stop,
                       const WorkerReady& ready) {
  Worker worker(config, tokens);
  GLINT_RETURN_IF_ERROR(worker.Start());
  const ServingPorts ports = worker.ports();
  spdlog::info("serving on port {}", fmt::join(ports.grpc, ", "));
  if (!ports.http.empty()) spdlog::info("HTTP on port {}", fmt::join(ports.http, ", "));
  if (ready) ready(ports);
  absl::Status ended = worker.Wait(stop);
  const bool stopped = worker.Drain(ended.ok() ? config.drain_grace : 0ms);
  if (!stopped) {
    // A thread that does not come back would hold the destructors for ever.
    spdlog::error("a scan does not react to being stopped; ending without it");
    spdlog::shutdown();
    std::_Exit(EXIT_FAILURE);
  }
  return ended;
}

}  // namespace glint
