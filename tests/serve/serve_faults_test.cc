// SPDX-License-Identifier: Apache-2.0
// `glint serve` with a bucket that does not answer or sign, and what it leaves for others to read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/mutex.h"
#include "serve/served_worker.h"
#include "serve/test_server.h"
#include "support/fake_supabase.h"

namespace glint {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

/// An S3 server that knows no object and never answers when it is given one.
class HangingBucket {
 public:
  std::string endpoint() const { return server_.Url(""); }
  /// How many times a set of files was begun: a worker uploads several of one at a time.
  int uploads() const { return uploads_; }

 private:
  void Count(const std::string& target) {
    const std::string name = target.substr(target.rfind('/') + 1);
    const MutexLock lock(mutex_);
    if (counted_.empty()) counted_ = name;
    if (name == counted_) ++uploads_;
  }

  Mutex mutex_;
  std::string counted_ ABSL_GUARDED_BY(mutex_);  // the first file of the first set
  std::atomic<int> uploads_ = 0;
  const HttpServer server_{[this](const ServerRequest& request, ServerReply& reply) {
    if (request.method == "GET") return reply.Answer(404, "<Error><Code>NoSuchKey</Code></Error>");
    if (request.method == "HEAD") {
      reply.Send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const bool probe = request.target.find("glint-probe") != std::string::npos;
    if (request.method == "PUT" && !probe) Count(request.target);
    reply.Hang();
  }};
};

class ServeFaults : public testing::Test {
 protected:
  void Submit(ServedWorker& worker, const std::string& id) {
    const grpc::Status status = SubmitScan(worker.scans(), id, clips_.Url());
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
  v1::Scan Get(ServedWorker& worker, const std::string& id) {
    Call call;
    v1::GetScanRequest request;
    request.set_scan_id(id);
    v1::GetScanResponse response;
    EXPECT_TRUE(worker.scans().GetScan(&call, request, &response).ok());
    return response.scan();
  }
  void Cancel(ServedWorker& worker, const std::string& id) {
    Call call;
    v1::CancelScanRequest request;
    request.set_scan_id(id);
    v1::CancelScanResponse response;
    EXPECT_TRUE(worker.scans().CancelScan(&call, request, &response).ok());
  }

  const TempFolder folder_;
  const ClipServer clips_{folder_.path()};
};

// Requests to a store may take minutes. A worker that waited for them would end with an error: all
// its scan workers would be stuck, and a drain would not come to its end.
TEST_F(ServeFaults, ABucketThatHangsHoldsUpNoCancelNoScanAndNoDrain) {
  const HangingBucket bucket;
  setenv("AWS_ACCESS_KEY_ID", "key", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
  const std::vector<std::string> flags = {
      "--allow-source",  clips_.Source(), "--store", "s3://scans",     "--store-endpoint",
      bucket.endpoint(), "--drain-grace", "0s",      "--scan-timeout", "15s"};
  ServedWorker worker(folder_.path(), flags);
  ASSERT_TRUE(worker.WaitUntilServing());
  Submit(worker, "cancelled");
  ASSERT_TRUE(Eventually([&] { return bucket.uploads() == 1; }));
  Cancel(worker, "cancelled");
  Submit(worker, "late");
  ASSERT_TRUE(Eventually([&] { return bucket.uploads() == 2; })) << "the scan worker is not free";
  EXPECT_TRUE(
      Eventually([&] { return Get(worker, "cancelled").state() == v1::SCAN_STATE_CANCELLED; }));
  Submit(worker, "given-back");
  ASSERT_TRUE(Eventually([&] { return Get(worker, "late").delivery().attempt() > 0; }))
      << "its time is over, and its result waits";
  EXPECT_EQ(Get(worker, "late").state(), v1::SCAN_STATE_RUNNING);
  worker.Drain();
  const int before = bucket.uploads();

  ServedWorker next(folder_.path(), flags);
  ASSERT_TRUE(next.WaitUntilServing());
  ASSERT_TRUE(Eventually([&] { return bucket.uploads() > before; })) << "kept results are stored";
  EXPECT_TRUE(Eventually([&] { return Get(next, "given-back").attempts() == 1; }))
      << "given back, not died with";
  next.Drain();
}

// Whatever the mask that it was started with: requests with signed addresses are in its state.
TEST_F(ServeFaults, NothingThatItMakesIsForOthers) {
  namespace fs = std::filesystem;
  const mode_t before = umask(0);
  ServedWorker worker(folder_.path(), {"--allow-source", clips_.Source()});
  umask(before);
  ASSERT_TRUE(worker.WaitUntilServing());
  Submit(worker, "done");
  ASSERT_TRUE(Eventually([&] { return Get(worker, "done").state() == v1::SCAN_STATE_SUCCEEDED; }));
  int seen = 0;
  const auto look = [&](const fs::path& path) {
    const fs::perms others = fs::perms::others_all | fs::perms::group_write;
    EXPECT_EQ(fs::status(path).permissions() & others, fs::perms::none) << path;
    ++seen;
  };
  for (const char* made : {"state", "results"}) {
    look(folder_.path() / made);
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / made)) look(entry);
  }
  EXPECT_GT(seen, 10);
  worker.Drain();
}

// A result whose URLs cannot be signed is a result: its keys are the same as with URLs.
TEST_F(ServeFaults, AStoreThatDoesNotSignLeavesTheKeysAndSaysSo) {
  FakeSupabase supabase;
  setenv("SUPABASE_URL", supabase.url().c_str(), 1);
  setenv("SUPABASE_SECRET_KEY", FakeSupabase::kSecretKey, 1);
  ServedWorker worker(folder_.path(), {"--allow-source", clips_.Source(), "--store",
                                       "supabase://masks/root", "--store-urls", "signed"});
  ASSERT_TRUE(worker.WaitUntilServing());
  Submit(worker, "done");
  ASSERT_TRUE(Eventually([&] { return Get(worker, "done").state() == v1::SCAN_STATE_SUCCEEDED; }));
  const auto objects = [&] {
    std::map<std::string, std::string> urls;
    const v1::Scan scan = Get(worker, "done");
    for (const auto& object : scan.result().objects()) {
      urls[object.key()] = object.url();
    }
    return urls;
  };
  const auto with_urls = objects();
  EXPECT_THAT(with_urls, Contains(Pair("root/done/report.json", HasSubstr("?token="))));
  for (const int status : {400, 403, 503}) {
    supabase.RefuseSigning(status);
    const auto without = objects();
    ASSERT_EQ(without.size(), with_urls.size()) << status;
    for (const auto& [key, url] : without) {
      EXPECT_TRUE(with_urls.contains(key)) << key;
      EXPECT_EQ(url, "") << status;
    }
  }
  supabase.RefuseSigning(0);
  EXPECT_TRUE(Eventually([&] { return !objects().begin()->second.empty(); }))
      << "a server that did not answer in time is asked again soon";
  EXPECT_THAT(worker.Drain(), HasSubstr("no URLs of a result: cannot sign URLs of"));
}

}  // namespace
}  // namespace glint
