// SPDX-License-Identifier: Apache-2.0
#include "http/http_client.h"

#include <absl/strings/cord.h>
#include <curl/curl.h>
#include <pthread.h>

#include <csignal>
#include <ctime>
#include <exception>
#include <new>

#include "base/mutex.h"
#include "base/status_macros.h"
#include "http/exchange.h"

namespace glint {
namespace {

constexpr int kPollMs = 100;          // how soon a cancellation is noticed
constexpr std::size_t kMaxIdle = 16;  // connections kept for the next request

constexpr absl::string_view kTransientUrl = "type.googleapis.com/glint.Transient";

/// OpenSSL writes to sockets without MSG_NOSIGNAL. Changing the process's handling of SIGPIPE is
/// not for a library, so the calling thread keeps the signal off and swallows its own.
class SigpipeBlocker {
 public:
  SigpipeBlocker() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~SigpipeBlocker() {
    const timespec now{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeBlocker(const SigpipeBlocker&) = delete;
  SigpipeBlocker& operator=(const SigpipeBlocker&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

using EasyHandle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using MultiHandle = std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)>;

/// A handle that takes part in a multi handle for the length of a scope.
class ScopedTransfer {
 public:
  ScopedTransfer(CURLM* multi, CURL* easy) : multi_(multi), easy_(easy) {
    curl_multi_add_handle(multi_, easy_);
  }
  ~ScopedTransfer() { curl_multi_remove_handle(multi_, easy_); }
  ScopedTransfer(const ScopedTransfer&) = delete;
  ScopedTransfer& operator=(const ScopedTransfer&) = delete;

 private:
  CURLM* const multi_;
  CURL* const easy_;
};

}  // namespace

/// One transfer at a time, and the connections that it leaves open. A multi handle even for one
/// transfer, because only its loop can look at the cancel token as often as we want.
class HttpClient::Connection {
 public:
  bool valid() const { return multi_ && easy_; }
  CURL* easy() const { return easy_.get(); }

  /// Runs the prepared transfer. Errors: CANCELLED, DEADLINE_EXCEEDED
  absl::StatusOr<CURLcode> Run(const CancelToken& cancel) {
    const ScopedTransfer added(multi_.get(), easy_.get());
    while (true) {
      GLINT_RETURN_IF_ERROR(cancel.Check());
      int running = 0;
      curl_multi_perform(multi_.get(), &running);
      if (running == 0) break;
      curl_multi_poll(multi_.get(), nullptr, 0, kPollMs, nullptr);
    }
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg == CURLMSG_DONE) return message->data.result;
    }
    return CURLE_FAILED_INIT;
  }

 private:
  MultiHandle multi_{curl_multi_init(), &curl_multi_cleanup};
  EasyHandle easy_{curl_easy_init(), &curl_easy_cleanup};  // ends first, as libcurl demands
};

struct HttpClient::Pool {
  Mutex mutex;
  std::vector<std::unique_ptr<Connection>> idle ABSL_GUARDED_BY(mutex);
};

HttpClient::HttpClient(HttpClientOptions options)
    : options_(std::move(options)), pool_(std::make_unique<Pool>()) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(ready);  // if it failed, no handle can be made, and Send says so
}

HttpClient::~HttpClient() = default;

std::unique_ptr<HttpClient::Connection> HttpClient::Acquire() {
  const MutexLock lock(pool_->mutex);
  if (pool_->idle.empty()) return std::make_unique<Connection>();
  auto connection = std::move(pool_->idle.back());
  pool_->idle.pop_back();
  return connection;
}

void HttpClient::Release(std::unique_ptr<Connection> connection) {
  const MutexLock lock(pool_->mutex);
  if (pool_->idle.size() < kMaxIdle) pool_->idle.push_back(std::move(connection));
}

absl::StatusOr<HttpResponse> HttpClient::Send(const HttpRequest& request, Reason failed_as,
                                              const CancelToken& cancel) {
  try {
    if (options_.policy && !options_.proxy.empty()) {
      return Error(Reason::kInvalidOption,
                   "a proxy hides the addresses that are to be checked; use one or the other");
    }
    const SigpipeBlocker quiet;
    auto connection = Acquire();
    if (!connection->valid()) return Error(Reason::kOutOfMemory, "libcurl gives no handle");
    absl::StatusOr<HttpResponse> result = absl::UnknownError("not run");
    {
      Exchange exchange(request, options_, connection->easy());
      GLINT_RETURN_IF_ERROR(exchange.SetUp());
      GLINT_ASSIGN_OR_RETURN(const CURLcode code, connection->Run(cancel));
      result = exchange.Result(code, failed_as);
    }
    Release(std::move(connection));
    return result;
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, "memory is out for a request");
  } catch (const std::exception& bug) {
    return Error(Reason::kInternal, bug.what());
  }
}

absl::Status Transient(absl::Status status) {
  status.SetPayload(kTransientUrl, absl::Cord("1"));
  return status;
}

bool IsTransient(const absl::Status& status) {
  return status.GetPayload(kTransientUrl).has_value();
}

}  // namespace glint
