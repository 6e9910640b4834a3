// SPDX-License-Identifier: Apache-2.0
#include "store/s3_bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>

#include "base/at_once.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "http/digest.h"
#include "http/http_client.h"
#include "store/s3_error.h"
#include "store/s3_listing.h"
#include "store/store_http.h"
#include "store/xml_text.h"

namespace glint {
namespace {

std::string XmlEscaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

/// Larger objects go up in parts: what breaks off costs a part, not the whole.
constexpr std::size_t kLargestAtOnce = std::size_t{64} << 20;
constexpr std::size_t kPartBytes = std::size_t{16} << 20;
constexpr std::size_t kPartsAtATime = 4;

/// An upload in parts that is under way.
struct Upload {
  UnfinishedUpload name;
  std::vector<std::string> etags;  ///< of the parts; written to by several threads, one each
  std::atomic<bool> gone = false;  ///< whether the server knows nothing of it
};

class S3Bucket final : public Bucket {
 public:
  explicit S3Bucket(S3Options options)
      : options_(std::move(options)),
        signer_(options_.credentials, options_.region),
        client_({.ca_file = options_.ca_file}) {}

  absl::Status CheckKey(std::string_view key) const override {
    constexpr std::size_t kMaxKeyBytes = 1024;
    if (key.size() <= kMaxKeyBytes) return absl::OkStatus();
    return Error(Reason::kInvalidOption, "the key is longer than the 1024 bytes that S3 allows");
  }

  absl::Status Put(const std::string& key, std::span<const std::byte> content,
                   std::string_view content_type, const CancelToken& cancel) override {
    if (content.size() > kLargestAtOnce) return PutInParts(key, content, content_type, cancel);
    const S3Request request = ForObject("PUT", key, content_type);
    return Done(Send(request, content, cancel), "cannot write", key);
  }

  absl::Status Copy(const std::string& from, const std::string& to,
                    const CancelToken& cancel) override {
    S3Request request = For("PUT", to);
    const std::string encoded = PercentEncoded(from, true);
    request.headers["x-amz-copy-source"] = fmt::format("/{}/{}", options_.bucket, encoded);
    auto response = Send(request, {}, cancel);
    if (response.ok() && response->status / 100 == 4 && encoded != from) {
      // Some servers (Supabase's) take the source as it stands.
      request.headers["x-amz-copy-source"] = fmt::format("/{}/{}", options_.bucket, from);
      auto again = Send(request, {}, cancel);
      if (again.ok() && again->status / 100 == 2) response = std::move(again);
    }
    if (response.ok() && response->status == 404 && S3ErrorOf(*response).code == "NoSuchKey") {
      return NothingToCopy(Locate(from), S3ErrorOf(*response).message);
    }
    return Done(response, "cannot copy to", to);
  }

  absl::StatusOr<std::optional<std::string>> Get(const std::string& key,
                                                 const CancelToken& cancel) override {
    auto response = Send(For("GET", key), {}, cancel);
    if (response.ok() && response->status == 404 && S3ErrorOf(*response).code != "NoSuchBucket") {
      return std::nullopt;
    }
    GLINT_RETURN_IF_ERROR(Done(response, "cannot read", key));
    return std::move(response->body);
  }

  absl::StatusOr<bool> Exists(const std::string& key, const CancelToken& cancel) override {
    const auto response = Send(For("HEAD", key), {}, cancel);
    if (response.ok() && response->status == 404) return false;
    GLINT_RETURN_IF_ERROR(Done(response, "cannot look for", key));
    return true;
  }

  absl::Status Delete(std::span<const std::string> keys, const CancelToken& cancel) override {
    constexpr std::size_t kMaxAtOnce = 1000;
    while (!keys.empty()) {
      const auto some = keys.first(std::min(keys.size(), kMaxAtOnce));
      GLINT_RETURN_IF_ERROR(DeleteSome(some, cancel));
      keys = keys.subspan(some.size());
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<ListedObject>> List(const std::string& folder,
                                                 const CancelToken& cancel) override {
    std::vector<ListedObject> objects;
    S3Request request = ForBucket("GET");
    request.query = {{"list-type", "2"}, {"encoding-type", "url"}};
    request.query["prefix"] = folder.empty() ? "" : folder + "/";
    for (bool more = true; more;) {
      const auto response = Send(request, {}, cancel);
      GLINT_RETURN_IF_ERROR(Done(response, "cannot list", folder));
      S3Listing page = ReadS3Listing(response->body);
      std::ranges::move(page.objects, std::back_inserter(objects));
      more = !page.continuation.empty();
      request.query["continuation-token"] = page.continuation;
    }
    return objects;
  }

  absl::StatusOr<std::vector<UnfinishedUpload>> ListUploads(const std::string& folder,
                                                            const CancelToken& cancel) override {
    std::vector<UnfinishedUpload> uploads;
    S3Request request = ForBucket("GET");
    request.query = {{"uploads", ""}, {"encoding-type", "url"}};
    request.query["prefix"] = folder.empty() ? "" : folder + "/";
    for (bool more = true; more;) {
      const auto response = Send(request, {}, cancel);
      // Some servers list none, and the right to is one of its own.
      const bool lists = !response.ok() || (response->status / 100 != 4 && response->status != 501);
      if (!lists) return uploads;
      GLINT_RETURN_IF_ERROR(Done(response, "cannot list the unfinished uploads of", folder));
      const S3Uploads page = ReadS3Uploads(response->body);
      std::ranges::copy(page.uploads, std::back_inserter(uploads));
      more = !page.next_key.empty();
      request.query["key-marker"] = page.next_key;
      request.query["upload-id-marker"] = page.next_id;
    }
    return uploads;
  }

  absl::Status EndUpload(const UnfinishedUpload& upload, const CancelToken& cancel) override {
    S3Request request = For("DELETE", upload.key);
    request.query["uploadId"] = upload.id;
    const auto response = Send(request, {}, cancel);
    if (response.ok() && response->status == 404) return absl::OkStatus();
    return Done(response, "cannot end the upload of", upload.key);
  }

  absl::StatusOr<std::vector<std::string>> Urls(std::span<const std::string> keys,
                                                const CancelToken& /*cancel*/) override {
    std::vector<std::string> urls;
    for (const std::string& key : keys) urls.push_back(UrlOf(key));
    return urls;
  }

  absl::Status ProveUrl(const std::string& key, const CancelToken& cancel) override {
    if (options_.urls == UrlMode::kNone || !options_.public_url.empty()) return absl::OkStatus();
    return OpensForEverybody(client_, UrlOf(key), options_.retry, Locate(key), cancel);
  }

  std::string Locate(std::string_view key) const override {
    return fmt::format("s3://{}/{}", options_.bucket, key);
  }
  std::string Host() const override { return options_.endpoint.host(); }

 private:
  std::string HostOfRequests(const Url& endpoint) const {
    const std::string authority = endpoint.Authority();
    return options_.path_style ? authority : fmt::format("{}.{}", options_.bucket, authority);
  }

  S3Request For(std::string method, std::string_view key) const {
    return For(std::move(method), key, options_.endpoint);
  }

  S3Request For(std::string method, std::string_view key, const Url& endpoint) const {
    S3Request request{.method = std::move(method),
                      .host = HostOfRequests(endpoint),
                      .path = "",
                      .query = {},
                      .headers = {}};
    std::string_view base = endpoint.path();
    if (base.ends_with('/')) base.remove_suffix(1);
    request.path =
        fmt::format("{}{}{}/{}", base, options_.path_style ? "/" : "",
                    options_.path_style ? options_.bucket : "", PercentEncoded(key, true));
    return request;
  }

  /// One that makes an object: with what is kept of it beside its content.
  S3Request ForObject(std::string method, std::string_view key, std::string_view type) const {
    S3Request request = For(std::move(method), key);
    request.headers["content-type"] = type;
    if (!options_.cache_control.empty()) request.headers["cache-control"] = options_.cache_control;
    return request;
  }

  S3Request ForBucket(std::string method) const {
    S3Request request = For(std::move(method), "");
    if (options_.path_style) request.path.pop_back();  // the bucket itself has no slash behind it
    return request;
  }

  std::string Address(const S3Request& request) const {
    return fmt::format("{}://{}{}", options_.endpoint.scheme(), request.host, request.path);
  }

  std::string UrlOf(const std::string& key) const {
    if (options_.urls == UrlMode::kNone) return "";
    if (options_.urls == UrlMode::kSigned) {  // the host is signed, too
      const auto outside = Url::Parse(options_.public_url);
      const Url& endpoint = outside.ok() ? *outside : options_.endpoint;
      const S3Request request = For("GET", key, endpoint);
      return fmt::format("{}://{}{}?{}", endpoint.scheme(), request.host, request.path,
                         signer_.PresignedQuery(request, options_.url_life, Now()));
    }
    return options_.public_url.empty()
               ? Address(For("GET", key))
               : fmt::format("{}/{}", options_.public_url, PercentEncoded(key, true));
  }

  static S3Signer::Time Now() {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  }

  absl::StatusOr<HttpResponse> Send(const S3Request& request, std::span<const std::byte> body,
                                    const CancelToken& cancel) {
    const std::string query = S3Query(request.query);
    GLINT_ASSIGN_OR_RETURN(auto url,
                           Url::Parse(Address(request) + (query.empty() ? "" : "?" + query)));
    HttpRequest http = StoreRequest(request.method, std::move(url), body);
    // Each attempt is the same request; within the quarter of an hour that a signature is good for.
    http.headers = signer_.Sign(request, Sha256Hex(body), Now());
    return SendWithRetry(client_, http, Reason::kStoreUnavailable, options_.retry, cancel,
                         [](const HttpResponse& response) {
                           return !IsTransientStatus(response.status) && !IsHiddenS3Error(response);
                         });
  }

  absl::Status Done(const absl::StatusOr<HttpResponse>& response, std::string_view what,
                    std::string_view key) const {
    if (!response.ok()) return NoAnswer(fmt::format("{} {}", what, Locate(key)), response.status());
    if (response->status / 100 == 2 && !IsHiddenS3Error(*response)) return absl::OkStatus();
    return S3Failure(*response, fmt::format("{} {}", what, Locate(key)));
  }

  /// As Put, in parts of which some are sent at once, each from where it lies in memory. An upload
  /// may be gone before it is completed: the answer that completed it was lost, or somebody ended
  /// it. It is done again then, once.
  absl::Status PutInParts(const std::string& key, std::span<const std::byte> content,
                          std::string_view content_type, const CancelToken& cancel) {
    for (int attempt = 1;; ++attempt) {
      S3Request begin = ForObject("POST", key, content_type);
      begin.query["uploads"] = "";
      const auto response = Send(begin, {}, cancel);
      GLINT_RETURN_IF_ERROR(Done(response, "cannot begin an upload in parts of", key));
      Upload upload;
      upload.name = {key, XmlUnescaped(std::string(XmlElement(response->body, "UploadId"))), {}};
      absl::Status done = SendParts(upload, content, cancel);
      if (done.ok()) return done;
      if (upload.gone && attempt == 1) continue;
      if (upload.gone) return Error(Reason::kStoreUnavailable, Message(done));
      // Best effort, and not for long; what is left is found by ListUploads.
      const CancelToken soon({}, CancelToken::Clock::now() + std::chrono::seconds(3));
      static_cast<void>(EndUpload(upload.name, soon));
      return done;
    }
  }

  absl::Status SendParts(Upload& upload, std::span<const std::byte> content,
                         const CancelToken& cancel) {
    upload.etags.resize((content.size() + kPartBytes - 1) / kPartBytes);
    const auto send = [&](std::size_t i) {
      const auto rest = content.subspan(i * kPartBytes);
      S3Request request = For("PUT", upload.name.key);
      request.query = {{"partNumber", fmt::format("{}", i + 1)}, {"uploadId", upload.name.id}};
      const auto part = rest.first(std::min(rest.size(), kPartBytes));
      const auto response = Send(request, part, cancel);
      if (response.ok()) upload.etags[i] = response->Header("ETag");
      return DoneWith(upload, response, "cannot write a part of");
    };
    GLINT_RETURN_IF_ERROR(ForEachAtOnce(upload.etags.size(), kPartsAtATime, send));
    std::string xml = "<CompleteMultipartUpload>";
    for (std::size_t i = 0; i < upload.etags.size(); ++i) {
      xml += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1,
                         XmlEscaped(upload.etags[i]));
    }
    xml += "</CompleteMultipartUpload>";
    S3Request request = For("POST", upload.name.key);
    request.query["uploadId"] = upload.name.id;
    request.headers["content-type"] = "application/xml";
    const auto response = Send(request, std::as_bytes(std::span(xml)), cancel);
    return DoneWith(upload, response, "cannot put together the parts of");
  }

  absl::Status DoneWith(Upload& upload, const absl::StatusOr<HttpResponse>& response,
                        std::string_view what) const {
    if (response.ok() && response->status == 404 && S3ErrorOf(*response).code == "NoSuchUpload") {
      upload.gone = true;
    }
    return Done(response, what, upload.name.key);
  }

  absl::Status DeleteSome(std::span<const std::string> keys, const CancelToken& cancel) {
    std::string xml = "<Delete><Quiet>true</Quiet>";
    for (const std::string& key : keys) {
      xml += fmt::format("<Object><Key>{}</Key></Object>", XmlEscaped(key));
    }
    xml += "</Delete>";
    S3Request request = ForBucket("POST");
    request.query["delete"] = "";
    request.headers["content-type"] = "application/xml";
    request.headers["content-md5"] = Md5Base64(xml);
    const auto response = Send(request, std::as_bytes(std::span(xml)), cancel);
    return Done(response, "cannot delete", keys.front());
  }

  const S3Options options_;
  const S3Signer signer_;
  HttpClient client_;
};

}  // namespace

std::unique_ptr<Bucket> MakeS3Bucket(S3Options options) {
  return std::make_unique<S3Bucket>(std::move(options));
}

}  // namespace glint
