// SPDX-License-Identifier: Apache-2.0
#include "store/prove_access.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/at_once.h"
#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

struct Probe {
  std::string_view name;
  std::string_view type;
  std::size_t bytes;
  std::string_view what;  ///< for messages
};

constexpr std::size_t kLargest = std::size_t{8} << 20;
constexpr std::array kProbes = {
    Probe{"probe.json", "application/json", 64, "writing JSON (application/json)"},
    Probe{"probe.png", "image/png", 64, "writing pictures (image/png)"},
    Probe{"probe.html", "text/html; charset=utf-8", 64, "writing the page (text/html)"},
    Probe{"large.png", "image/png", kLargest, "writing a picture of 8 MiB (image/png)"},
};
constexpr std::string_view kCopy = "copy.json";

std::string Key(const std::string& folder, std::string_view name) {
  return folder + "/" + std::string(name);
}

std::vector<std::string> Keys(const std::string& folder) {
  std::vector<std::string> keys = {Key(folder, kCopy)};
  for (const Probe& probe : kProbes) keys.push_back(Key(folder, probe.name));
  return keys;
}

std::vector<Probe> ProbesOf(const TypeFilter& takes) {
  std::vector<Probe> probes(kProbes.begin(), kProbes.end());
  std::erase_if(probes, [&](const Probe& probe) { return !takes(probe.type); });
  return probes;
}

/// JSON: servers look into what is sent as it where they know no such route.
std::string Content(std::size_t bytes) {
  std::string content = "{}";
  content.resize(bytes, ' ');
  return content;
}

absl::Status ReadBack(Bucket& bucket, const std::string& key, const CancelToken& cancel) {
  GLINT_ASSIGN_OR_RETURN(const auto content, bucket.Get(key, cancel));
  if (content == Content(kProbes[0].bytes)) return absl::OkStatus();
  return Error(Reason::kStoreDenied,
               bucket.Locate(key) +
                   ": what was written cannot be read; give the key the right to read objects");
}

absl::Status ListThem(Bucket& bucket, const std::string& folder, std::size_t count,
                      const CancelToken& cancel) {
  GLINT_ASSIGN_OR_RETURN(const auto listed, bucket.List(folder, cancel));
  if (listed.size() == count) return absl::OkStatus();
  return Error(Reason::kStoreDenied,
               bucket.Locate(folder) +
                   ": what was written is not listed; give the key the right to list the bucket");
}

absl::Status DeleteThem(Bucket& bucket, const std::string& folder, const CancelToken& cancel) {
  GLINT_RETURN_IF_ERROR(bucket.Delete(Keys(folder), cancel));
  GLINT_ASSIGN_OR_RETURN(const auto left, bucket.Get(Key(folder, kProbes[0].name), cancel));
  if (!left) return absl::OkStatus();
  // Supabase answers 200 and an empty list where row-level security lets nothing be deleted.
  return Error(Reason::kStoreDenied,
               bucket.Locate(folder) +
                   ": the server says that it deleted an object, and has it still; give the key "
                   "the right to delete objects (on Supabase: the secret key, or a policy)");
}

absl::Status DoAll(Bucket& bucket, const std::string& folder, const std::vector<Probe>& probes,
                   const CancelToken& cancel) {
  const std::string content = Content(kLargest);
  GLINT_RETURN_IF_ERROR(ForEachAtOnce(probes.size(), probes.size(), [&](std::size_t i) {
    const Probe& probe = probes[i];
    const auto bytes = std::as_bytes(std::span(content).first(probe.bytes));
    return In(probe.what, bucket.Put(Key(folder, probe.name), bytes, probe.type, cancel));
  }));
  const std::string json = Key(folder, kProbes[0].name);
  GLINT_RETURN_IF_ERROR(In("reading", ReadBack(bucket, json, cancel)));
  GLINT_RETURN_IF_ERROR(In("listing", ListThem(bucket, folder, probes.size(), cancel)));
  GLINT_RETURN_IF_ERROR(
      In("making URLs", bucket.Urls(std::vector<std::string>{json}, cancel).status()));
  GLINT_RETURN_IF_ERROR(In("opening a URL", bucket.ProveUrl(json, cancel)));
  GLINT_RETURN_IF_ERROR(In("copying", bucket.Copy(json, Key(folder, kCopy), cancel)));
  GLINT_RETURN_IF_ERROR(In("reading a copy", ReadBack(bucket, Key(folder, kCopy), cancel)));
  return In("deleting", DeleteThem(bucket, folder, cancel));
}

}  // namespace

absl::Status ProveAccess(Bucket& bucket, const std::string& folder, const TypeFilter& takes,
                         const CancelToken& cancel) {
  absl::Status proved = DoAll(bucket, folder, ProbesOf(takes), cancel);
  if (proved.ok() || ReasonOf(proved) == Reason::kStoreUnavailable) return proved;
  const CancelToken soon({}, CancelToken::Clock::now() + std::chrono::seconds(3));
  static_cast<void>(bucket.Delete(Keys(folder), soon));
  return proved;
}

}  // namespace glint
