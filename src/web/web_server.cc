// SPDX-License-Identifier: Apache-2.0
#include "web/web_server.h"

#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdarg>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/catch_exceptions.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace glint {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{500};
constexpr std::chrono::seconds kBetweenRenewals{2};
constexpr std::size_t kPieceBytes = 32 << 10;
/// Of a body that is too large so much is read and thrown away, so that its sender sees the answer.
constexpr std::size_t kThrownAway = 256 << 10;

using RefusalMaker = std::function<WebAnswer(int status, std::string_view what)>;
constexpr std::string_view kStopping = "the worker shuts down";

std::optional<std::uint64_t> LengthOf(const WebRequest& request) {
  const auto header = request.Header("Content-Length");
  std::uint64_t length = 0;
  if (!header ||
      std::from_chars(header->data(), header->data() + header->size(), length).ec != std::errc()) {
    return std::nullopt;
  }
  return length;
}

/// Something that MHD reads an answer's body from.
struct Source {
  std::function<absl::StatusOr<std::string>()> pieces;
  std::shared_ptr<WebStream> stream;
  MHD_Connection* connection = nullptr;
  std::string piece;
  std::size_t at = 0;
};

ssize_t ReadStream(Source& source, std::span<char> out) {
  // The stream may wake it before it sleeps: under this lock, one comes after the other.
  struct Sleep {
    Mutex mutex;
    bool woken ABSL_GUARDED_BY(mutex) = false;
    bool asleep ABSL_GUARDED_BY(mutex) = false;
  };
  const auto sleep = std::make_shared<Sleep>();
  const auto read = source.stream->Read(out, [sleep, connection = source.connection] {
    const MutexLock lock(sleep->mutex);
    sleep->woken = true;
    if (sleep->asleep) MHD_resume_connection(connection);
  });
  if (read.drained) source.stream->Drained();
  if (read.over) return MHD_CONTENT_READER_END_OF_STREAM;
  if (read.waits) {
    const MutexLock lock(sleep->mutex);
    if (!sleep->woken) {
      sleep->asleep = true;
      MHD_suspend_connection(source.connection);
    }
  }
  return static_cast<ssize_t>(read.bytes);
}

ssize_t ReadPieces(Source& source, std::span<char> out) {
  if (source.at == source.piece.size()) {
    absl::StatusOr<std::string> next = std::string();
    const absl::Status read = CatchExceptions([&] {
      next = source.pieces();
      return next.status();
    });
    if (!read.ok()) return MHD_CONTENT_READER_END_WITH_ERROR;
    if (next->empty()) return MHD_CONTENT_READER_END_OF_STREAM;
    source.piece = *std::move(next);
    source.at = 0;
  }
  const std::size_t bytes = std::min(out.size(), source.piece.size() - source.at);
  std::copy_n(source.piece.data() + source.at, bytes, out.data());
  source.at += bytes;
  return static_cast<ssize_t>(bytes);
}

ssize_t ReadSource(void* opaque, std::uint64_t /*position*/, char* out, std::size_t most) {
  Source& source = *static_cast<Source*>(opaque);
  return source.stream ? ReadStream(source, {out, most}) : ReadPieces(source, {out, most});
}

void FreeSource(void* opaque) { delete static_cast<Source*>(opaque); }

MHD_Response* ResponseOf(WebAnswer& answer, MHD_Connection* connection) {
  if (answer.file.open()) {
    struct stat about {};
    if (fstat(answer.file.number(), &about) != 0) return nullptr;
    return MHD_create_response_from_fd64(static_cast<std::uint64_t>(about.st_size),
                                         answer.file.Release());
  }
  if (answer.stream || answer.pieces) {
    auto source = std::make_unique<Source>();
    source->pieces = std::move(answer.pieces);
    source->stream = answer.stream;
    source->connection = connection;
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kPieceBytes, ReadSource,
                                             source.release(), FreeSource);
  }
  return MHD_create_response_from_buffer(answer.body.size(), answer.body.data(),
                                         MHD_RESPMEM_MUST_COPY);
}

MHD_Result Queue(MHD_Connection* connection, WebAnswer answer) {
  MHD_Response* response = ResponseOf(answer, connection);
  if (response == nullptr) return MHD_NO;
  for (const auto& [name, value] : answer.headers) {
    MHD_add_response_header(response, name.c_str(), value.c_str());
  }
  const auto queued =
      MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
  MHD_destroy_response(response);
  return queued;
}

/// One request of a connection.
class Exchange final : public WebExchange {
 public:
  Exchange(MHD_Connection* connection, WebRequest request, WebPlan plan, const RefusalMaker& refuse)
      : connection_(connection),
        request_(std::move(request)),
        plan_(std::move(plan)),
        refuse_(refuse) {}

  const WebRequest& request() const override { return request_; }
  const std::string& body() const override { return body_; }
  bool gone() const override {
    const MutexLock lock(mutex_);
    return gone_;
  }

  void Answer(WebAnswer answer) override {
    const MutexLock lock(mutex_);
    if (gone_ || answered_) return;
    answered_ = true;
    stream_ = answer.stream;
    answer_ = std::move(answer);
    if (std::exchange(suspended_, false)) MHD_resume_connection(connection_);
  }

  // What follows is called on the server's thread.

  /// @return whether the connection is still worth reading from
  bool Add(std::span<const std::byte> piece) {
    received_ += piece.size();
    if (late_) return (thrown_away_ += piece.size()) < kThrownAway;
    if (received_ > plan_.max_body) {
      late_ = refuse_(413, fmt::format("the body may have {} bytes", plan_.max_body));
    } else if (plan_.body) {
      late_ = plan_.body->Add(piece);
    } else {
      body_.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    }
    return true;
  }

  /// The body is whole, or there is an answer at last. @param stopping  the server takes no more
  MHD_Result Continue(bool stopping) {
    if (late_) Answer(*std::exchange(late_, std::nullopt));
    if (!std::exchange(begun_, true) && plan_.then && !answered()) plan_.then(self.lock());
    std::optional<WebAnswer> answer;
    {
      const MutexLock lock(mutex_);
      if (!answer_ && !stopping) {
        suspended_ = true;
        MHD_suspend_connection(connection_);
        return MHD_YES;
      }
      answer = std::exchange(answer_, std::nullopt);
      sent_ = true;
    }
    return Queue(connection_, answer ? *std::move(answer) : refuse_(503, kStopping));
  }

  MHD_Result Refuse() {
    {
      const MutexLock lock(mutex_);
      answered_ = sent_ = begun_ = true;
    }
    return Queue(connection_, *std::exchange(plan_.answer, std::nullopt));
  }
  bool refused() const { return plan_.answer.has_value(); }

  void Wake() {
    const MutexLock lock(mutex_);
    if (std::exchange(suspended_, false)) MHD_resume_connection(connection_);
  }

  void Over() {
    std::shared_ptr<WebStream> stream;
    bool early = false;
    {
      const MutexLock lock(mutex_);
      gone_ = true;
      early = !sent_;
      stream = std::exchange(stream_, nullptr);
    }
    plan_.body.reset();  // closes what it writes
    if (stream) stream->Gone();
    if (plan_.ended) plan_.ended(early);
    plan_ = {};
  }

  bool answered() const {
    const MutexLock lock(mutex_);
    return answered_;
  }
  std::shared_ptr<WebStream> stream() const {
    const MutexLock lock(mutex_);
    return stream_;
  }
  bool has_taker() const { return plan_.body != nullptr; }
  std::size_t received() const { return received_; }

  std::weak_ptr<Exchange> self;

 private:
  MHD_Connection* const connection_;
  const WebRequest request_;
  WebPlan plan_;
  const RefusalMaker& refuse_;
  std::string body_;
  std::size_t received_ = 0;
  std::size_t thrown_away_ = 0;
  std::optional<WebAnswer> late_;  // to a body that was not taken
  bool begun_ = false;
  mutable Mutex mutex_;
  std::optional<WebAnswer> answer_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<WebStream> stream_ ABSL_GUARDED_BY(mutex_);
  bool answered_ ABSL_GUARDED_BY(mutex_) = false;
  bool suspended_ ABSL_GUARDED_BY(mutex_) = false;
  bool sent_ ABSL_GUARDED_BY(mutex_) = false;
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;
};

using ExchangePtr = std::shared_ptr<Exchange>;

/// What the server is waiting for on a connection, and since when.
struct Connection {
  enum class Waits { kRequest, kBody, kNothing };
  int socket = -1;
  std::string peer;
  Waits waits = Waits::kRequest;
  Clock::time_point since = Clock::now();
  bool has_taker = false;
  std::size_t received = 0;         // of the body
  std::size_t received_before = 0;  // when the span began
};

/// A daemon of MHD, which keeps the certificate that it began with.
struct Daemon {
  WebTlsTexts texts;
  MHD_Daemon* running = nullptr;
};

bool HasConnections(const Daemon& daemon) {
  const auto* info = MHD_get_daemon_info(daemon.running, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info == nullptr || info->num_connections > 0;
}

class MhdServer final : public WebServer {
 public:
  MhdServer(const WebLimits& limits, WebTls tls, RefusalMaker refuse,
            std::function<WebPlan(const WebRequest&)> plan)
      : limits_(limits), tls_(std::move(tls)), refuse_(std::move(refuse)), plan_(std::move(plan)) {}
  ~MhdServer() override { Stop(std::chrono::milliseconds(0)); }

  absl::Status Start() {
    if (tls_.wanted() && MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES) {
      return Error(Reason::kInvalidOption,
                   "the system's libmicrohttpd speaks no TLS; serve HTTP in the clear on the "
                   "loopback (--http-clear), and let a proxy end TLS in front");
    }
    const absl::Status started = StartDaemon(ReadWebTls(tls_));
    if (!started.ok()) return started;
    looks_ = std::jthread([this](const std::stop_token& stop) { Look(stop); });
    return absl::OkStatus();
  }

  void Take(int socket, const sockaddr_storage& from, const std::string& peer) override {
    {
      const MutexLock lock(mutex_);
      names_[socket] = peer;
    }
    const MutexLock lock(daemons_mutex_);
    MHD_add_connection(daemons_.back().running, socket, reinterpret_cast<const sockaddr*>(&from),
                       from.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  }

  void Stop(std::chrono::milliseconds grace) override {
    if (stopping_.exchange(true)) return;
    for (const ExchangePtr& exchange : Exchanges()) {
      exchange->Wake();
      if (const auto stream = exchange->stream()) stream->End();
    }
    const auto deadline = Clock::now() + grace;
    while (!Exchanges().empty() && Clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    looks_ = {};
    const MutexLock lock(daemons_mutex_);
    for (const Daemon& daemon : daemons_) MHD_stop_daemon(daemon.running);
    daemons_.clear();
  }

 private:
  /// Starts one that takes all new connections.
  absl::Status StartDaemon(WebTlsTexts texts) {
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET |
                     MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    std::vector<MHD_OptionItem> tls;
    if (tls_.wanted()) {
      flags |= MHD_USE_TLS;
      tls = {{MHD_OPTION_HTTPS_MEM_CERT, 0, texts.cert.data()},
             {MHD_OPTION_HTTPS_MEM_KEY, 0, texts.key.data()},
             {MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(kTlsVersions)}};
      if (!tls_.client_ca.empty()) {
        tls.push_back({MHD_OPTION_HTTPS_MEM_TRUST, 0, texts.client_ca.data()});
      }
    }
    tls.push_back({MHD_OPTION_END, 0, nullptr});
    MHD_Daemon* running = MHD_start_daemon(
        flags, 0, nullptr, nullptr, &MhdServer::Access, this,  //
        MHD_OPTION_EXTERNAL_LOGGER, &MhdServer::Log, nullptr,  //
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits_.header_bytes + kOwnMemory,
        MHD_OPTION_CONNECTION_LIMIT, kNoLimit,  // the gate has one
        MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(limits_.silence.count()),
        MHD_OPTION_STRICT_FOR_CLIENT, 1,  //
        MHD_OPTION_UNESCAPE_CALLBACK, &MhdServer::LeaveEscaped, nullptr,
        MHD_OPTION_NOTIFY_CONNECTION, &MhdServer::Connected, this,  //
        MHD_OPTION_NOTIFY_COMPLETED, &MhdServer::Completed, this,   //
        MHD_OPTION_ARRAY, tls.data(), MHD_OPTION_END);
    if (running == nullptr && tls_.wanted()) {
      return Error(Reason::kInvalidOption,
                   "the HTTP server cannot use the certificate and its key (tls.cert, tls.key)");
    }
    if (running == nullptr) return Error(Reason::kOutOfMemory, "the HTTP server does not start");
    const MutexLock lock(daemons_mutex_);
    daemons_.push_back({std::move(texts), running});
    return absl::OkStatus();
  }

  /// Uses files that have been renewed, and ends the daemons whose last connection has.
  void RenewTls() {
    WebTlsTexts texts = ReadWebTls(tls_);
    bool renewed = false;
    {
      const MutexLock lock(daemons_mutex_);
      renewed = !(texts == daemons_.back().texts);
      while (daemons_.size() > 1 && !HasConnections(daemons_.front())) {
        MHD_stop_daemon(daemons_.front().running);
        daemons_.erase(daemons_.begin());
      }
    }
    // Half of a renewal does not fit together; the next look finds the whole of it.
    if (!renewed || texts == unusable_) return;
    if (const absl::Status started = StartDaemon(texts); !started.ok()) {
      spdlog::warn("renewed, and not used: {}", Message(started));
      unusable_ = std::move(texts);
    } else {
      spdlog::info("the HTTP port has a new certificate");
    }
  }
  static constexpr std::size_t kOwnMemory = 8 << 10;  // of MHD, for a connection and its answer
  static constexpr unsigned kNoLimit = 65'000;
  static constexpr const char* kTlsVersions = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

  static MhdServer& Of(void* opaque) { return *static_cast<MhdServer*>(opaque); }
  static std::size_t LeaveEscaped(void* /*opaque*/, MHD_Connection* /*connection*/, char* text) {
    return std::char_traits<char>::length(text);
  }
  static void Log(void* /*opaque*/, const char* format, va_list arguments) {
    std::array<char, 256> line{};
    vsnprintf(line.data(), line.size(), format, arguments);
    spdlog::debug("libmicrohttpd: {}", std::string_view(line.data()));
  }

  std::vector<ExchangePtr> Exchanges() {
    const MutexLock lock(mutex_);
    return {exchanges_.begin(), exchanges_.end()};
  }

  static void Connected(void* opaque, MHD_Connection* connection, void** /*context*/,
                        MHD_ConnectionNotificationCode code) {
    MhdServer& server = Of(opaque);
    const MutexLock lock(server.mutex_);
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
      server.connections_.erase(connection);
      return;
    }
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    server.connections_[connection] = {.socket = info->connect_fd,
                                       .peer = std::move(server.names_[info->connect_fd])};
    server.names_.erase(info->connect_fd);
  }

  static MHD_Result Access(void* opaque, MHD_Connection* connection, const char* url,
                           const char* method, const char* /*version*/, const char* data,
                           std::size_t* size, void** context) {
    MHD_Result result = MHD_NO;
    const absl::Status done = CatchExceptions([&] {
      result = *context == nullptr
                   ? Of(opaque).Begin(connection, url, method, context)
                   : Of(opaque).Continue(connection, *static_cast<ExchangePtr*>(*context),
                                         {reinterpret_cast<const std::byte*>(data), *size});
      return absl::OkStatus();
    });
    if (!done.ok()) spdlog::error("an HTTP request is cut: {}", Message(done));
    *size = 0;
    return done.ok() ? result : MHD_NO;
  }

  MHD_Result Begin(MHD_Connection* connection, const char* url, const char* method,
                   void** context) {
    WebRequest request = RequestOf(connection, url, method);
    WebPlan plan = PlanFor(connection, request);
    const auto length = LengthOf(request);
    const bool chunked = request.Header("Transfer-Encoding").has_value();
    if (!plan.answer && length && *length > plan.max_body) {
      plan.answer = refuse_(413, fmt::format("the body may have {} bytes", plan.max_body));
    } else if (!plan.answer && request.Header("Content-Encoding").value_or("identity") !=
                                   std::string_view("identity")) {
      plan.answer = refuse_(415, "packed bodies are not unpacked; send it as it is");
    } else if (!plan.answer && chunked && plan.max_body == 0) {
      plan.answer = refuse_(413, "this request has no body");
    }
    const auto exchange =
        std::make_shared<Exchange>(connection, std::move(request), std::move(plan), refuse_);
    exchange->self = exchange;
    *context = new ExchangePtr(exchange);
    {
      const MutexLock lock(mutex_);
      exchanges_.insert(exchange);
      Connection& waiting = connections_[connection];
      waiting.waits = exchange->refused() ? Connection::Waits::kNothing : Connection::Waits::kBody;
      waiting.since = Clock::now();
      waiting.has_taker = exchange->has_taker();
      waiting.received = waiting.received_before = 0;
    }
    return exchange->refused() ? exchange->Refuse() : MHD_YES;
  }

  WebPlan PlanFor(MHD_Connection* connection, const WebRequest& request) const {
    if (stopping_) return {.answer = refuse_(503, kStopping)};
    if (tls_.client_ca.empty() || ShowedCertificate(connection)) return plan_(request);
    WebPlan refusal{.answer = refuse_(403,
                                      "show a certificate that this worker's tls.client-ca "
                                      "has signed for clients")};
    refusal.answer->headers.emplace_back("Connection", "close");
    return refusal;
  }

  MHD_Result Continue(MHD_Connection* connection, const ExchangePtr& exchange,
                      std::span<const std::byte> piece) {
    if (!piece.empty()) {
      const bool goes_on = exchange->Add(piece);
      const MutexLock lock(mutex_);
      connections_[connection].received = exchange->received();
      return goes_on ? MHD_YES : MHD_NO;
    }
    {
      const MutexLock lock(mutex_);
      connections_[connection].waits = Connection::Waits::kNothing;
    }
    return exchange->Continue(stopping_);
  }

  WebRequest RequestOf(MHD_Connection* connection, const char* url, const char* method) {
    WebRequest request{.method = method, .path = url, .query = {}, .headers = {}, .peer = ""};
    const auto add = [](void* fields, MHD_ValueKind /*kind*/, const char* name,
                        std::size_t name_size, const char* value,
                        std::size_t value_size) -> MHD_Result {
      static_cast<WebFields*>(fields)->emplace_back(
          std::string(name, name_size),
          value == nullptr ? std::string() : std::string(value, value_size));
      return MHD_YES;
    };
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, add, &request.headers);
    MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, add, &request.query);
    for (auto& [name, value] : request.query) {
      auto decoded_name = PercentDecoded(name);
      auto decoded = PercentDecoded(value);
      if (!decoded_name || !decoded) request.malformed = true;
      name = std::move(decoded_name).value_or("");
      value = std::move(decoded).value_or("");
    }
    const MutexLock lock(mutex_);
    request.peer = connections_[connection].peer;
    return request;
  }

  static void Completed(void* opaque, MHD_Connection* connection, void** context,
                        MHD_RequestTerminationCode /*code*/) {
    if (*context == nullptr) return;
    const std::unique_ptr<ExchangePtr> exchange(static_cast<ExchangePtr*>(*context));
    *context = nullptr;
    MhdServer& server = Of(opaque);
    {
      const MutexLock lock(server.mutex_);
      server.exchanges_.erase(*exchange);
      if (const auto found = server.connections_.find(connection);
          found != server.connections_.end()) {
        found->second.waits = Connection::Waits::kRequest;
        found->second.since = Clock::now();
      }
    }
    const absl::Status over = CatchExceptions([&] {
      (*exchange)->Over();
      return absl::OkStatus();
    });
    if (!over.ok()) spdlog::error("an HTTP request ends badly: {}", Message(over));
  }

  /// Cuts connections that keep others waiting, and lets streams say that they are there.
  void Look(const std::stop_token& stop) {
    auto beaten = Clock::now();
    auto renewed = Clock::now();
    while (RealClock().Sleep(kBetweenLooks, stop)) {
      {
        const MutexLock lock(mutex_);
        for (auto& [connection, waiting] : connections_) {
          if (IsLate(waiting)) shutdown(waiting.socket, SHUT_RDWR);
        }
      }
      if (tls_.wanted() && Clock::now() - renewed >= kBetweenRenewals) {
        RenewTls();
        renewed = Clock::now();
      }
      if (Clock::now() - beaten < limits_.beat) continue;
      beaten = Clock::now();
      for (const ExchangePtr& exchange : Exchanges()) {
        if (const auto stream = exchange->stream()) stream->Beat();
      }
    }
  }

  bool IsLate(Connection& waiting) const {
    if (waiting.waits == Connection::Waits::kNothing) return false;
    const auto since = Clock::now() - waiting.since;
    if (waiting.waits == Connection::Waits::kRequest || !waiting.has_taker) {
      return since > limits_.request_time;
    }
    if (since < limits_.body_time) return false;
    const auto brought = waiting.received - waiting.received_before;
    waiting.since = Clock::now();
    waiting.received_before = waiting.received;
    return brought < static_cast<std::size_t>(limits_.body_bytes);
  }

  const WebLimits limits_;
  const WebTls tls_;
  const RefusalMaker refuse_;
  const std::function<WebPlan(const WebRequest&)> plan_;
  std::atomic<bool> stopping_ = false;
  Mutex daemons_mutex_;  // before mutex_, which their threads take
  std::vector<Daemon> daemons_ ABSL_GUARDED_BY(daemons_mutex_);  // the newest one last
  WebTlsTexts unusable_;                                         // of the thread that looks
  Mutex mutex_;
  std::map<int, std::string> names_ ABSL_GUARDED_BY(mutex_);  // of sockets that MHD has not begun
  std::map<MHD_Connection*, Connection> connections_ ABSL_GUARDED_BY(mutex_);
  std::set<ExchangePtr> exchanges_ ABSL_GUARDED_BY(mutex_);
  std::jthread looks_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<WebServer>> StartWebServer(
    const WebLimits& limits, const WebTls& tls,
    std::function<WebAnswer(int status, std::string_view what)> refuse,
    std::function<WebPlan(const WebRequest&)> plan) {
  auto server = std::make_unique<MhdServer>(limits, tls, std::move(refuse), std::move(plan));
  if (const absl::Status started = server->Start(); !started.ok()) return started;
  return server;
}

}  // namespace glint
