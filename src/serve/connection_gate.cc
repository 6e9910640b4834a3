// SPDX-License-Identifier: Apache-2.0
#include "serve/connection_gate.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <thread>
#include <utility>

#include "base/descriptor.h"
#include "base/mutex.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "serve/watched_socket.h"

namespace glint {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kMeasurePeriod{20};
constexpr std::chrono::seconds kSayPeriod{1};
constexpr int kBacklog = 1024;
constexpr std::chrono::milliseconds kWithoutDescriptors{50};

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

absl::Status CannotListen(const std::string& address, std::string_view why) {
  return Error(Reason::kInvalidOption,
               fmt::format("cannot listen on {} ({}): the address is not this machine's, the port "
                           "is in use, or it needs more rights",
                           address, why));
}

Addresses Resolve(std::string host, const std::string& port) {
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &wanted, &found) != 0) found = nullptr;
  return {found, freeaddrinfo};
}

void SetOption(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof(value));
}

int PortOf(const sockaddr_storage& address) {
  return address.ss_family == AF_INET6
             ? ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port)
             : ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

/// @param port  taken where the address has port 0, if it is not 0; set to what was bound
Descriptor OpenListener(const addrinfo& at, int receive_bytes, int& port) {
  sockaddr_storage address{};
  std::memcpy(&address, at.ai_addr, at.ai_addrlen);
  if (PortOf(address) == 0) {
    const auto taken = htons(static_cast<std::uint16_t>(port));
    if (at.ai_family == AF_INET6) {
      reinterpret_cast<sockaddr_in6&>(address).sin6_port = taken;
    } else {
      reinterpret_cast<sockaddr_in&>(address).sin_port = taken;
    }
  }
  Descriptor listener(socket(at.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!listener.open()) return {};
  SetOption(listener.number(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (receive_bytes > 0) {  // connections inherit it
    SetOption(listener.number(), SOL_SOCKET, SO_RCVBUF, receive_bytes);
  }
  if (at.ai_family == AF_INET6) SetOption(listener.number(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), at.ai_addrlen) != 0 ||
      listen(listener.number(), kBacklog) != 0) {
    return {};
  }
  socklen_t size = sizeof(address);
  getsockname(listener.number(), reinterpret_cast<sockaddr*>(&address), &size);
  port = PortOf(address);
  return listener;
}

/// The connection as gRPC names it, and the address that it is counted by.
struct Peer {
  std::string name;
  std::string address;
};

Peer PeerOf(const sockaddr_storage& from) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (from.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(from).sin_addr, text.data(),
              text.size());
    return {fmt::format("ipv4:{}:{}", text.data(), PortOf(from)), text.data()};
  }
  const in6_addr& whole = reinterpret_cast<const sockaddr_in6&>(from).sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&whole)) {
    inet_ntop(AF_INET, &whole.s6_addr[12], text.data(), text.size());
    return {fmt::format("ipv4:{}:{}", text.data(), PortOf(from)), text.data()};
  }
  inet_ntop(AF_INET6, &whole, text.data(), text.size());
  std::string name = fmt::format("ipv6:%5B{}%5D:{}", text.data(), PortOf(from));
  in6_addr network = whole;
  std::fill(std::begin(network.s6_addr) + 8, std::end(network.s6_addr), 0);
  inet_ntop(AF_INET6, &network, text.data(), text.size());
  return {std::move(name), text.data()};
}

/// What may be used: so much at once, and more as time passes. What was used beyond it counts, too,
/// up to as much again.
struct Allowance {
  double left = 0;
  Clock::time_point filled = Clock::now();

  /// @return whether that was still allowed
  bool Use(double amount, double most, double per_s) {
    const auto now = Clock::now();
    const std::chrono::duration<double> since = now - std::exchange(filled, now);
    left = std::max(-most, std::min(most, left + since.count() * per_s) - amount);
    return left >= 0;
  }
};

/// A connection that the server owns.
struct Connection {
  WatchedSocket socket;
  std::string address;
  std::int64_t number = 0;  // counts up
  bool judged = false;      // a call of it has begun
  bool trusted = false;
  int strange_calls = 0;  // without a token, not over
  Allowance resets;
  Allowance bytes;
  std::uint64_t received = 0;
};

class TcpGate final : public ConnectionGate {
 public:
  explicit TcpGate(const ConnectionLimits& limits) : limits_(limits) {}
  ~TcpGate() override { Stop(); }

  absl::Status Open(const std::string& address) {
    const auto colon = address.rfind(':');
    const Addresses found = Resolve(address.substr(0, colon), address.substr(colon + 1));
    if (!found) return CannotListen(address, "no such host");
    int port = 0;
    std::string why;
    const std::size_t before = listeners_.size();
    for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
      Descriptor listener = OpenListener(*at, limits_.receive_bytes, port);
      if (!listener.open()) {
        why = std::strerror(errno);
        continue;
      }
      listeners_.push_back(std::move(listener));
    }
    if (listeners_.size() == before) return CannotListen(address, why);
    ports_.push_back(port);
    return absl::OkStatus();
  }

  const std::vector<int>& ports() const override { return ports_; }

  std::size_t connections() override {
    const MutexLock lock(mutex_);
    return connections_.size();
  }

  void Start(TakeOver take_over) override {
    take_over_ = std::move(take_over);
    wake_ = Descriptor(eventfd(0, EFD_CLOEXEC));
    thread_ = std::jthread([this](const std::stop_token& stop) { Accept(stop); });
  }

  void Stop() override {
    if (thread_.joinable()) {
      thread_.request_stop();
      eventfd_write(wake_.number(), 1);
      thread_.join();
    }
    listeners_.clear();
  }

  void CallStarted(const std::string& peer, bool trusted) override {
    const MutexLock lock(mutex_);
    if (!trusted) ++strange_calls_;
    const auto found = connections_.find(peer);
    if (found == connections_.end()) return;
    if (CountsLater() && !std::exchange(found->second.judged, true)) {
      found->second.received = found->second.socket.ReceivedBytes().value_or(0);
    }
    if (trusted) {
      if (!std::exchange(found->second.trusted, true)) {
        found->second.bytes.left = limits_.trusted_bytes;
      }
    } else if (++found->second.strange_calls > limits_.max_strange_calls_per_connection) {
      Drop(found, "does not read the answers to its calls");
    } else if (strange_calls_ > limits_.max_strange_calls) {
      const auto most = std::ranges::max_element(
          connections_, {}, [](const auto& known) { return known.second.strange_calls; });
      Drop(most, "has the most unfinished calls without a token");
    } else if (!MayCall(found->second.address)) {
      Penalise(found, "begins too many calls without a token");
    }
  }

  void CallEnded(const std::string& peer, bool trusted, bool left_early) override {
    const MutexLock lock(mutex_);
    if (!trusted) --strange_calls_;
    const auto found = connections_.find(peer);
    if (found == connections_.end()) return;
    if (!trusted) --found->second.strange_calls;
    if (left_early) CountReset(found);
  }

 private:
  void Accept(const std::stop_token& stop) {
    std::vector<pollfd> waiting;
    for (const Descriptor& listener : listeners_) waiting.push_back({listener.number(), POLLIN, 0});
    waiting.push_back({wake_.number(), POLLIN, 0});
    while (!stop.stop_requested()) {
      const bool idle = connections() == 0;
      poll(waiting.data(), waiting.size(), idle ? -1 : static_cast<int>(kMeasurePeriod.count()));
      for (const pollfd& listener : waiting) {
        if (listener.revents != 0 && listener.fd != wake_.number()) AcceptFrom(listener.fd);
      }
      if (Clock::now() - measured_ >= kMeasurePeriod) {
        measured_ = Clock::now();
        Measure();
      }
    }
  }

  void AcceptFrom(int listener) {
    sockaddr_storage from{};
    socklen_t size = sizeof(from);
    Descriptor accepted(
        accept4(listener, reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!accepted.open()) {
      if (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS) return;
      {
        const MutexLock lock(mutex_);
        ForgetClosed();
        CloseOldestStranger();
      }
      std::this_thread::sleep_for(kWithoutDescriptors);
      return;
    }
    const Peer peer = PeerOf(from);
    if (!Admit(peer, accepted.number())) return;
    SetOption(accepted.number(), IPPROTO_TCP, TCP_NODELAY, 1);
    SetOption(accepted.number(), IPPROTO_TCP, TCP_USER_TIMEOUT,
              static_cast<int>(limits_.unanswered.count()));
    take_over_(listener, accepted.Release(), from);
  }

  /// Whether the connection may stay; it is known from then on.
  bool Admit(const Peer& peer, int socket) {
    const MutexLock lock(mutex_);
    if (penalties_.contains(peer.address)) return false;
    if (Full() || CountOf(peer.address) >= limits_.max_per_address) ForgetClosed();
    if (CountOf(peer.address) >= limits_.max_per_address && !CloseOldestStranger(peer.address)) {
      return false;
    }
    if (Full() && !CloseOldestStranger()) return false;
    connections_[peer.name] = {.socket = WatchedSocket(socket),
                               .address = peer.address,
                               .number = next_++,
                               .resets = {limits_.resets},
                               .bytes = {limits_.strange_bytes}};
    return true;
  }

  /// Whether what comes before the first call is not counted: the server reads no more of it than a
  /// call's headers, and a client that may send much sends on before they are read.
  bool CountsLater() const { return limits_.receive_bytes == 0; }

  using Place = std::map<std::string, Connection, std::less<>>::iterator;

  void CountReset(Place at) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!at->second.resets.Use(1, limits_.resets, limits_.resets_per_s)) {
      Drop(at, "left too many calls before they were answered");
    }
  }

  /// Counts a call without a token. @return whether the address may make it
  bool MayCall(const std::string& address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    Allowance& calls =
        strange_calls_of_.try_emplace(address, Allowance{limits_.strange_calls}).first->second;
    return calls.Use(1, limits_.strange_calls, limits_.strange_calls_per_s) ||
           std::ranges::any_of(connections_, [&](const auto& known) {
             return known.second.trusted && known.second.address == address;
           });
  }

  /// Drops connections that send too much.
  void Measure() {
    const MutexLock lock(mutex_);
    for (auto at = connections_.begin(); at != connections_.end();) {
      const Place here = at++;
      Connection& connection = here->second;
      const auto received = connection.socket.ReceivedBytes();
      if (!received) {
        connections_.erase(here);
        continue;
      }
      if (CountsLater() && !connection.judged) continue;
      const auto bytes =
          static_cast<double>(*received - std::exchange(connection.received, *received));
      const bool allowed =
          connection.trusted
              ? connection.bytes.Use(bytes, limits_.trusted_bytes, limits_.trusted_bytes_per_s)
              : connection.bytes.Use(bytes, limits_.strange_bytes, limits_.strange_bytes_per_s);
      if (allowed) continue;
      Penalise(here, "sends too much");
    }
    const auto now = Clock::now();
    std::erase_if(penalties_, [&](const auto& known) { return known.second < now; });
    std::erase_if(strange_calls_of_, [&](const auto& known) {
      const std::chrono::duration<double> since = now - known.second.filled;
      return known.second.left + since.count() * limits_.strange_calls_per_s >=
             limits_.strange_calls;
    });
  }

  void Penalise(Place at, std::string_view why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    penalties_[at->second.address] = Clock::now() + limits_.penalty;
    Drop(at, why);
  }

  void Drop(Place at, std::string_view why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    // One a second: strangers shall not fill the log.
    ++dropped_;
    if (const auto now = Clock::now(); now - said_ >= kSayPeriod) {
      said_ = now;
      spdlog::warn("connection {} {}; it was closed, as {} were so far", at->first, why, dropped_);
    }
    at->second.socket.Shutdown();
    connections_.erase(at);
  }

  bool Full() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return connections_.size() >= static_cast<std::size_t>(limits_.max_connections);
  }

  /// How many connections come from an address.
  std::ptrdiff_t CountOf(const std::string& address) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return std::ranges::count_if(
        connections_, [&](const auto& known) { return known.second.address == address; });
  }

  void ForgetClosed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::erase_if(connections_, [](const auto& known) { return !known.second.socket.open(); });
  }

  /// @param address  only of it; "" any. @return whether there was one
  bool CloseOldestStranger(const std::string& address = "") ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    auto oldest = connections_.end();
    for (auto at = connections_.begin(); at != connections_.end(); ++at) {
      if (at->second.trusted || (!address.empty() && at->second.address != address)) continue;
      if (oldest == connections_.end() || at->second.number < oldest->second.number) oldest = at;
    }
    if (oldest == connections_.end()) return false;
    oldest->second.socket.Shutdown();
    connections_.erase(oldest);
    return true;
  }

  const ConnectionLimits limits_;
  std::vector<Descriptor> listeners_;
  std::vector<int> ports_;
  Descriptor wake_;
  TakeOver take_over_;
  Mutex mutex_;
  std::map<std::string, Connection, std::less<>> connections_ ABSL_GUARDED_BY(mutex_);
  std::int64_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  std::int64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
  Clock::time_point said_ ABSL_GUARDED_BY(mutex_);
  int strange_calls_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Allowance, std::less<>> strange_calls_of_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Clock::time_point, std::less<>> penalties_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point measured_;  // of the thread
  std::jthread thread_;
};

}  // namespace

std::string ConnectionName(const sockaddr_storage& from) { return PeerOf(from).name; }

absl::StatusOr<std::unique_ptr<ConnectionGate>> ConnectionGate::Listen(
    const std::vector<std::string>& addresses, const ConnectionLimits& limits) {
  auto gate = std::make_unique<TcpGate>(limits);
  for (const std::string& address : addresses) GLINT_RETURN_IF_ERROR(gate->Open(address));
  return gate;
}

}  // namespace glint
