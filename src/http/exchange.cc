// SPDX-License-Identifier: Apache-2.0
#include "http/exchange.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <new>

#include "base/status_macros.h"

namespace glint {
namespace {

constexpr std::size_t kMaxHeaderBytes = 256 << 10;

bool SameName(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// Runs a callback; what it throws must not pass through libcurl.
template <class F>
absl::Status WithoutExceptions(F&& callback) {
  try {
    return callback();
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, "memory is out while an answer is read");
  } catch (const std::exception& bug) {
    return Error(Reason::kInternal, bug.what());
  }
}

/// Whether another attempt may go better.
bool MayPass(CURLcode code) {
  constexpr std::array kPassing = {CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT,
                                   CURLE_OPERATION_TIMEDOUT,   CURLE_PARTIAL_FILE,
                                   CURLE_SEND_ERROR,           CURLE_RECV_ERROR,
                                   CURLE_GOT_NOTHING,          CURLE_SSL_CONNECT_ERROR};
  return std::ranges::find(kPassing, code) != kPassing.end();
}

}  // namespace

std::string_view HttpResponse::Header(std::string_view name) const {
  const auto found = std::ranges::find_if(
      headers, [&](const HttpHeader& header) { return SameName(header.name, name); });
  return found == headers.end() ? std::string_view() : found->value;
}

Exchange::Exchange(const HttpRequest& request, const HttpClientOptions& options, CURL* easy)
    : request_(request), options_(options), easy_(easy) {}

Exchange::~Exchange() { curl_easy_reset(easy_); }

absl::Status Exchange::SetUp() {
  if (request_.url.scheme() != "http" && request_.url.scheme() != "https") {
    return Error(Reason::kUrlNotAllowed,
                 fmt::format("{}: only http and https are spoken here", request_.url.Shown()));
  }
  if (options_.policy) {
    GLINT_RETURN_IF_ERROR(options_.policy->CheckUrl(request_.url));
  }
  SetMethodAndBody();
  SetConnection();
  GLINT_RETURN_IF_ERROR(SetHeaders());
  return SetAddresses();
}

void Exchange::SetMethodAndBody() {
  Set(CURLOPT_URL, request_.url.text().c_str());
  Set(CURLOPT_PATH_AS_IS, 1L);
  if (request_.method == "HEAD") {
    Set(CURLOPT_NOBODY, 1L);
  } else if (request_.method == "GET") {
    Set(CURLOPT_HTTPGET, 1L);
  } else if (request_.method == "DELETE" && request_.body.empty()) {
    Set(CURLOPT_CUSTOMREQUEST, "DELETE");
  } else {  // sent from where it lies, as often as libcurl needs it
    Set(CURLOPT_POSTFIELDS,
        request_.body.empty() ? "" : reinterpret_cast<const char*>(request_.body.data()));
    Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    Set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  }
  Set(CURLOPT_HEADERFUNCTION, &Exchange::OnHeader);
  Set(CURLOPT_HEADERDATA, this);
  Set(CURLOPT_WRITEFUNCTION, &Exchange::OnBody);
  Set(CURLOPT_WRITEDATA, this);
}

void Exchange::SetConnection() {
  Set(CURLOPT_PROTOCOLS_STR, "http,https");
  // Not 2: its windows hold uploads back (docs/storage.md), and nothing here multiplexes.
  Set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  Set(CURLOPT_FOLLOWLOCATION, 0L);
  Set(CURLOPT_NOSIGNAL, 1L);
  Set(CURLOPT_ERRORBUFFER, error_.data());
  Set(CURLOPT_USERAGENT, "glint/" GLINT_VERSION);
  Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_timeout.count()));
  if (request_.timeout) Set(CURLOPT_TIMEOUT_MS, static_cast<long>(request_.timeout->count()));
  Set(CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(request_.low_speed_bytes));
  Set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(request_.low_speed_time.count()));
  Set(CURLOPT_PROXY, options_.proxy.c_str());  // an empty one also rules out the environment's
  if (!options_.ca_file.empty()) {
    Set(CURLOPT_CAINFO, options_.ca_file.c_str());
    Set(CURLOPT_CAPATH, nullptr);
  }
  if (!options_.cert_file.empty()) Set(CURLOPT_SSLCERT, options_.cert_file.c_str());
  if (!options_.key_file.empty()) Set(CURLOPT_SSLKEY, options_.key_file.c_str());
  Set(CURLOPT_OPENSOCKETFUNCTION, &Exchange::OnSocket);
  Set(CURLOPT_OPENSOCKETDATA, this);
}

absl::Status Exchange::SetHeaders() {
  std::vector<std::string> lines = {"Expect:"};  // no waiting for a 100 that few servers send
  bool has_type = false;
  for (const HttpHeader& header : request_.headers) {
    if (header.value.find_first_of("\r\n") != std::string::npos) {
      return Error(Reason::kInternal, "a header with a line break");
    }
    has_type |= SameName(header.name, "Content-Type");
    // libcurl takes "Name:" for "leave this header out".
    lines.push_back(header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
  }
  if (!has_type) lines.emplace_back("Content-Type:");
  for (const std::string& line : lines) {
    curl_slist* longer = curl_slist_append(headers_.get(), line.c_str());
    if (longer == nullptr) return Error(Reason::kOutOfMemory, "memory is out for a request");
    static_cast<void>(headers_.release());
    headers_.reset(longer);
  }
  Set(CURLOPT_HTTPHEADER, headers_.get());
  return absl::OkStatus();
}

absl::Status Exchange::SetAddresses() {
  if (!options_.resolver || IpAddress::Parse(request_.url.host())) return absl::OkStatus();
  std::string all;
  for (const std::string& address : options_.resolver(request_.url.host(), request_.url.port())) {
    all += (all.empty() ? "" : ",") + address;
  }
  // An earlier answer for the name would be used again otherwise.
  const std::string name = fmt::format("{}:{}", request_.url.host(), request_.url.port());
  curl_slist* list = curl_slist_append(nullptr, ("-" + name).c_str());
  if (!all.empty()) list = curl_slist_append(list, fmt::format("+{}:{}", name, all).c_str());
  addresses_.reset(list);
  Set(CURLOPT_RESOLVE, addresses_.get());
  return absl::OkStatus();
}

absl::Status Exchange::ParseHeader(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > kMaxHeaderBytes) {
    return Error(Reason::kLimitExceeded, fmt::format("{} sends more than {} bytes of headers",
                                                     request_.url.Authority(), kMaxHeaderBytes));
  }
  if (head_done_) return absl::OkStatus();  // trailers, which nobody here needs
  if (line.starts_with("HTTP/")) {          // of an interim answer, or of the final one
    response_.headers.clear();
    return absl::OkStatus();
  }
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    response_.headers.push_back(
        {std::string(line.substr(0, colon)), std::string(Trimmed(line.substr(colon + 1)))});
    return absl::OkStatus();
  }
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  if (!Trimmed(line).empty() || status < 200) return absl::OkStatus();
  head_done_ = true;
  response_.status = static_cast<int>(status);
  return request_.on_head ? request_.on_head(response_) : absl::OkStatus();
}

absl::Status Exchange::PassBody(std::span<const std::byte> piece) {
  if (request_.on_body) return request_.on_body(piece);
  if (response_.body.size() + piece.size() > request_.max_body_bytes) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("{} sends more than the {} bytes that its answer may have",
                             request_.url.Shown(), request_.max_body_bytes));
  }
  response_.body.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  return absl::OkStatus();
}

std::size_t Exchange::OnHeader(char* data, std::size_t size, std::size_t count, void* self) {
  auto& exchange = *static_cast<Exchange*>(self);
  exchange.stopped_ =
      WithoutExceptions([&] { return exchange.ParseHeader(std::string_view(data, size * count)); });
  return exchange.stopped_.ok() ? size * count : 0;
}

std::size_t Exchange::OnBody(char* data, std::size_t size, std::size_t count, void* self) {
  auto& exchange = *static_cast<Exchange*>(self);
  exchange.stopped_ = WithoutExceptions(
      [&] { return exchange.PassBody(std::as_bytes(std::span(data, size * count))); });
  return exchange.stopped_.ok() ? size * count : 0;
}

curl_socket_t Exchange::OnSocket(void* self, curlsocktype purpose, curl_sockaddr* address) {
  auto& exchange = *static_cast<Exchange*>(self);
  if (purpose != CURLSOCKTYPE_IPCXN) return CURL_SOCKET_BAD;
  if (exchange.options_.policy) {
    exchange.refused_ = WithoutExceptions([&] {
      const Url& url = exchange.request_.url;
      const auto ip = IpAddress::From(address->addr);
      if (!ip) return Error(Reason::kUrlNotAllowed, "a kind of address that glint does not know");
      return exchange.options_.policy->Check(url.host(), url.port(), *ip);
    });
    if (!exchange.refused_.ok()) return CURL_SOCKET_BAD;
  }
  // Close on exec: child processes must not inherit connections.
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

absl::Status Exchange::Failure(CURLcode code, Reason failed_as) const {
  const std::string_view detail =
      error_[0] != '\0' ? std::string_view(error_.data()) : curl_easy_strerror(code);
  const std::string_view what = code == CURLE_COULDNT_RESOLVE_HOST ? "the name does not resolve"
                                : code == CURLE_COULDNT_CONNECT    ? "there is no connection"
                                : code == CURLE_OPERATION_TIMEDOUT ? "it took too long"
                                : code == CURLE_PEER_FAILED_VERIFICATION
                                    ? "its certificate is not trusted"
                                    : "the exchange broke off";
  absl::Status status =
      Error(failed_as, fmt::format("{}: {} ({})", request_.url.Shown(), what, Trimmed(detail)));
  return MayPass(code) ? Transient(std::move(status)) : status;
}

absl::StatusOr<HttpResponse> Exchange::Result(CURLcode code, Reason failed_as) {
  if (!stopped_.ok()) return stopped_;
  if (code == CURLE_OUT_OF_MEMORY) return Error(Reason::kOutOfMemory, "memory is out in libcurl");
  if (code == CURLE_COULDNT_CONNECT && !refused_.ok()) return refused_;
  // libcurl takes a connection that ends within the headers for a whole answer.
  if (code == CURLE_OK && !head_done_) code = CURLE_GOT_NOTHING;
  if (code != CURLE_OK) return Failure(code, failed_as);
  curl_off_t wait = 0;
  curl_easy_getinfo(easy_, CURLINFO_RETRY_AFTER, &wait);
  if (wait > 0) response_.retry_after = std::chrono::seconds(wait);
  return std::move(response_);
}

}  // namespace glint
