// SPDX-License-Identifier: Apache-2.0
// Who gets in: tokens, TLS, client certificates; and what is open to everybody: health, reflection.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <google/protobuf/dynamic_message.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "api/failure.h"
#include "base/descriptor.h"
#include "client/client.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "serve/test_server.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

absl::Status List(TestServer& server, const std::string& token) {
  Call call(token);
  v1::ListScansResponse response;
  return FromGrpc(server.scans().ListScans(&call, {}, &response));
}

std::string Health(const std::shared_ptr<grpc::Channel>& channel, const std::string& service) {
  Call call;
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  grpc::health::v1::HealthCheckResponse response;
  const auto status = grpc::health::v1::Health::NewStub(channel)->Check(&call, request, &response);
  if (!status.ok()) return status.error_code() == grpc::StatusCode::NOT_FOUND ? "NOT_FOUND" : "?";
  return grpc::health::v1::HealthCheckResponse::ServingStatus_Name(response.status());
}

TEST(Tokens, OnlyKnownOnesGetIn) {
  TestServer server({.tokens = fmt::format("{},{}", kToken, "another-token-of-32-characters!!")});
  EXPECT_THAT(List(server, kToken), IsOk());
  EXPECT_THAT(List(server, "another-token-of-32-characters!!"), IsOk());
  for (const std::string& wrong :
       {std::string(), std::string("x"), std::string("0123456789abcdef0123456789abcde"),
        std::string("0123456789abcdef0123456789abcdef0"),
        std::string("0123456789ABCDEF0123456789ABCDEF")}) {
    EXPECT_THAT(List(server, wrong),
                FailsWith(ServiceReason::kUnauthenticated, Not(HasSubstr(kToken))));
  }
}

TEST(Tokens, EveryCallNeedsOne) {
  TestServer server({.tokens = kToken});
  v1::ScanService::Stub& scans = server.scans();
  const auto code = [](const grpc::Status& status) { return status.error_code(); };
  constexpr auto kUnauthenticated = grpc::StatusCode::UNAUTHENTICATED;
  Call submit, get, list, cancel, watch, run, info;
  v1::SubmitScanResponse submitted;
  v1::GetScanResponse got;
  v1::ListScansResponse listed;
  v1::CancelScanResponse cancelled;
  v1::GetWorkerInfoResponse informed;
  EXPECT_EQ(code(scans.SubmitScan(&submit, SubmitRequest("a"), &submitted)), kUnauthenticated);
  EXPECT_EQ(code(scans.GetScan(&get, {}, &got)), kUnauthenticated);
  EXPECT_EQ(code(scans.ListScans(&list, {}, &listed)), kUnauthenticated);
  EXPECT_EQ(code(scans.CancelScan(&cancel, {}, &cancelled)), kUnauthenticated);
  EXPECT_EQ(code(scans.WatchScan(&watch, {})->Finish()), kUnauthenticated);
  v1::RunScanRequest request;
  *request.mutable_submit() = SubmitRequest("a");
  EXPECT_EQ(code(scans.RunScan(&run, request)->Finish()), kUnauthenticated);
  EXPECT_EQ(code(server.worker().GetWorkerInfo(&info, {}, &informed)), kUnauthenticated);
  EXPECT_EQ(server.jobs().Counts()->queued, 0);
}

TEST(Tokens, OtherSchemesAndBareTokensDoNotCount) {
  TestServer server({.tokens = kToken});
  for (const std::string& value : {std::string(kToken), fmt::format("Basic {}", kToken),
                                   std::string("Bearer"), std::string("Bearer ")}) {
    Call call;
    call.AddMetadata("authorization", value);
    v1::ListScansResponse response;
    EXPECT_THAT(FromGrpc(server.scans().ListScans(&call, {}, &response)),
                FailsWith(ServiceReason::kUnauthenticated, testing::_));
  }
}

TEST(Tokens, RotateWithTheFileWithoutARestart) {
  const TempFolder folder;
  const std::string fresh = "fresh-token-0123456789";
  const auto file = folder.Write("tokens", fmt::format("# clients\n{}\n", kToken));
  TestServer server({.token_file = file});
  EXPECT_THAT(List(server, kToken), IsOk());
  EXPECT_THAT(List(server, fresh), FailsWith(ServiceReason::kUnauthenticated, testing::_));
  folder.Write("tokens", fmt::format("{}\n{}\n", kToken, fresh));
  EXPECT_TRUE(Eventually([&] { return List(server, fresh).ok(); }));
  EXPECT_THAT(List(server, kToken), IsOk()) << "both, while clients move";
  folder.Write("tokens", fresh);
  EXPECT_TRUE(Eventually([&] { return !List(server, kToken).ok(); }));
}

/// Lets the list look at its file again.
void WaitForReload() { std::this_thread::sleep_for(std::chrono::milliseconds(1100)); }

TEST(Tokens, AFileThatCannotBeReadOrHoldsNoneHasNoTokens) {
  const TempFolder folder;
  const auto file = folder.Write("tokens", kToken);
  auto tokens = TokenList::Load("", file);
  ASSERT_THAT(tokens, IsOk());
  TokenList& list = **tokens;
  const auto valid = [&] {
    WaitForReload();
    return list.Find(kToken) != nullptr;
  };
  EXPECT_TRUE(valid());
  for (const char* content : {"# nobody", "short"}) {
    folder.Write("tokens", content);
    EXPECT_FALSE(valid()) << content;
    folder.Write("tokens", kToken);
    EXPECT_TRUE(valid()) << "and comes back";
  }
  folder.Write("tokens", "");
  EXPECT_FALSE(valid()) << "emptied";
  std::filesystem::remove(file);
  EXPECT_FALSE(valid()) << "no file";
  EXPECT_FALSE(list.empty()) << "nobody gets in; not everybody";
  std::filesystem::create_directory(file);
  EXPECT_FALSE(valid()) << "a folder";
}

TEST(Tokens, AnotherTokenOfTheSameSizeAndTimeIsNoticed) {
  const TempFolder folder;
  const auto file = folder.Write("tokens", kToken);
  auto tokens = TokenList::Load("", file);
  ASSERT_THAT(tokens, IsOk());
  const auto time = std::filesystem::last_write_time(file);
  const std::string other(std::string_view(kToken).size(), 'z');
  folder.Write("tokens", other);
  std::filesystem::last_write_time(file, time);
  WaitForReload();
  EXPECT_FALSE((*tokens)->Find(kToken) != nullptr);
  EXPECT_TRUE((*tokens)->Find(other) != nullptr);
}

/// Leaves this process no descriptor, until it goes.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const Descriptor free(open("/dev/null", O_RDONLY | O_CLOEXEC));
    const rlimit none{.rlim_cur = static_cast<rlim_t>(free.number()), .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(Tokens, StayWhileNoDescriptorIsFreeUnlessTheFileChanged) {
  const TempFolder folder;
  const auto file = folder.Write("tokens", kToken);
  auto tokens = TokenList::Load("", file);
  ASSERT_THAT(tokens, IsOk());
  const auto valid_later = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2100));
    return (*tokens)->Find(kToken) != nullptr;
  };
  const auto valid_without_descriptors = [&] {
    WaitForReload();
    const NoDescriptors none;
    EXPECT_LT(open(file.c_str(), O_RDONLY | O_CLOEXEC), 0) << "else nothing is tested";
    return (*tokens)->Find(kToken) != nullptr;
  };
  EXPECT_TRUE(valid_later());
  EXPECT_TRUE(valid_without_descriptors());
  EXPECT_NE((*tokens)->Find(kToken), nullptr) << "also before it is read again";
  folder.Write("tokens", std::string(std::string_view(kToken).size(), 'z'));
  EXPECT_FALSE(valid_without_descriptors()) << "it may have been taken away";
  folder.Write("tokens", kToken);
  EXPECT_TRUE(valid_later()) << "and comes back";
}

TEST(Tokens, ABadLineCostsOnlyItself) {
  const TempFolder folder;
  const auto file = folder.Write("tokens", kToken);
  auto tokens = TokenList::Load("", file);
  ASSERT_THAT(tokens, IsOk());
  folder.Write("tokens", fmt::format("short\n{}\n", kToken));
  WaitForReload();
  EXPECT_TRUE((*tokens)->Find(kToken) != nullptr);
  EXPECT_FALSE((*tokens)->Find("short") != nullptr);
}

TEST(Tokens, HaveNamesForTheLog) {
  const TempFolder folder;
  const std::string site = "site-token-0123456789";
  const auto file = folder.Write("tokens", fmt::format("# two\n{}\nthe site\t{}\n", kToken, site));
  const auto tokens = TokenList::Load("fixed-token-0123456789", file);
  ASSERT_THAT(tokens, IsOk());
  EXPECT_EQ((*tokens)->Find(site)->name, "the site");
  EXPECT_EQ((*tokens)->Find(kToken)->name, fmt::format("the token in line 2 of {}", file.string()));
  EXPECT_EQ((*tokens)->Find("fixed-token-0123456789")->name, "token 1 of GLINT_TOKENS");
  EXPECT_EQ((*tokens)->Find("the site"), nullptr);
}

TEST(HealthService, FollowsTheServerPerServiceAndNeedsNoToken) {
  TestServer server({.tokens = kToken});
  const auto channel = server.Connect();
  for (const char* service : {"", "glint.v1.ScanService", "glint.v1.WorkerService"}) {
    EXPECT_EQ(Health(channel, service), "SERVING") << service;
  }
  EXPECT_EQ(Health(channel, "no.such.Service"), "NOT_FOUND");
  server.server().StartDraining();
  for (const char* service : {"", "glint.v1.ScanService"}) {
    EXPECT_EQ(Health(channel, service), "NOT_SERVING") << service;
  }
}

TEST(HealthService, WatchersHearOfDraining) {
  TestServer server;
  Call call;
  const auto stub = grpc::health::v1::Health::NewStub(server.Connect());
  const auto stream = stub->Watch(&call, {});
  grpc::health::v1::HealthCheckResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::SERVING);
  server.server().StartDraining();
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::NOT_SERVING);
  call.TryCancel();
}

/// What reflection answers to "which services are there", as text; or the failure's code.
std::string ReflectedServices(TestServer& server) {
  // libgrpc++_reflection brings the messages, but no header for them.
  const auto* pool = google::protobuf::DescriptorPool::generated_pool();
  auto* factory = google::protobuf::MessageFactory::generated_factory();
  const auto make = [&](const char* name) {
    const auto* type =
        pool->FindMessageTypeByName(std::string("grpc.reflection.v1alpha.ServerReflection") + name);
    return std::unique_ptr<google::protobuf::Message>(factory->GetPrototype(type)->New());
  };
  const auto request = make("Request");
  request->GetReflection()->SetString(
      request.get(), request->GetDescriptor()->FindFieldByName("list_services"), "");
  const std::string bytes = request->SerializeAsString();
  grpc::Slice slice(bytes);
  grpc::GenericStub stub(server.Connect());
  Call call;
  grpc::CompletionQueue queue;
  void* tag = nullptr;
  bool ok = false;
  const auto stream = stub.PrepareCall(
      &call, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  const auto wait = [&] { return queue.Next(&tag, &ok) && ok; };
  stream->StartCall(nullptr);
  wait();
  stream->WriteLast(grpc::ByteBuffer(&slice, 1), {}, nullptr);
  wait();
  grpc::ByteBuffer answer;
  stream->Read(&answer, nullptr);
  const bool read = wait();
  grpc::Status status;
  stream->Finish(&status, nullptr);
  wait();
  if (!read) return status.error_code() == grpc::StatusCode::UNIMPLEMENTED ? "UNIMPLEMENTED" : "?";
  std::vector<grpc::Slice> slices;
  answer.Dump(&slices);
  std::string text;
  for (const auto& part : slices)
    text.append(reinterpret_cast<const char*>(part.begin()), part.size());
  const auto response = make("Response");
  return response->ParseFromString(text) ? response->DebugString() : "unreadable";
}

TEST(Reflection, ListsTheServicesUnlessSwitchedOff) {
  TestServer with;
  EXPECT_THAT(ReflectedServices(with), HasSubstr("glint.v1.ScanService"));
  EXPECT_THAT(ReflectedServices(with), HasSubstr("grpc.health.v1.Health"));
  TestServer without({.server = {.reflection = false}});
  EXPECT_EQ(ReflectedServices(without), "UNIMPLEMENTED");
}

/// A certificate authority, a server's and a client's certificate, made by openssl.
class Certificates {
 public:
  Certificates() {
    Make("ca", "-x509 -subj /CN=test-ca");
    MakeSigned("server", "subjectAltName=DNS:localhost,IP:127.0.0.1");
    MakeSigned("client", "extendedKeyUsage=clientAuth");
    Make("stranger", "-x509 -subj /CN=stranger");
  }
  std::filesystem::path Path(const std::string& name) const { return folder_.path() / name; }
  /// A server certificate with a new serial number and key.
  void RenewServer() { MakeSigned("server", "subjectAltName=DNS:localhost,IP:127.0.0.1"); }

 private:
  void Run(const std::string& arguments) const {
    const std::string command =
        fmt::format("cd {} && openssl {} 2>/dev/null", folder_.path().string(), arguments);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  void Make(const std::string& name, const std::string& arguments) const {
    Run(
        fmt::format("req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
                    "-keyout {0}.key -out {0}.pem {1}",
                    name, arguments));
  }
  void MakeSigned(const std::string& name, const std::string& extension) const {
    folder_.Write("extensions", extension);
    Run(
        fmt::format("req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN={0} "
                    "-keyout {0}.key -out {0}.csr",
                    name));
    Run(
        fmt::format("x509 -req -in {0}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 "
                    "-extfile extensions -out {0}.pem",
                    name));
  }

  TempFolder folder_;
};

/// Whether a client with these options gets an answer.
absl::Status Reach(const TestServer& server, ClientOptions options) {
  options.server = server.address();
  options.timeout = std::chrono::milliseconds(10'000);
  const auto client = MakeClient(options);
  if (!client.ok()) return client.status();
  return (*client)->List({}).status();
}

TEST(Tls, EncryptsAndProvesWhoTheServerIs) {
  const Certificates made;
  TestServer server(
      {.server = {.tls = {.cert = made.Path("server.pem"), .key = made.Path("server.key")}},
       .tokens = kToken});
  EXPECT_THAT(Reach(server, {.token = kToken, .ca = made.Path("ca.pem")}), IsOk());
  EXPECT_THAT(Reach(server, {.ca = made.Path("ca.pem")}),
              FailsWith(ServiceReason::kUnauthenticated, testing::_));
  EXPECT_THAT(Reach(server, {.token = kToken, .ca = made.Path("stranger.pem")}),
              FailsWith(ServiceReason::kWorkerUnreachable, testing::_));
  EXPECT_THAT(Reach(server, {.token = kToken}),
              FailsWith(ServiceReason::kWorkerUnreachable, testing::_))
      << "without encryption";
}

TEST(Tls, ClientCertificatesKeepStrangersOut) {
  const Certificates made;
  TestServer server({.server = {.tls = {.cert = made.Path("server.pem"),
                                        .key = made.Path("server.key"),
                                        .client_ca = made.Path("ca.pem")}}});
  EXPECT_THAT(Reach(server, {.ca = made.Path("ca.pem"),
                             .cert = made.Path("client.pem"),
                             .key = made.Path("client.key")}),
              IsOk());
  EXPECT_THAT(Reach(server, {.ca = made.Path("ca.pem")}),
              FailsWith(ServiceReason::kWorkerUnreachable, testing::_));
  EXPECT_THAT(Reach(server, {.ca = made.Path("ca.pem"),
                             .cert = made.Path("stranger.pem"),
                             .key = made.Path("stranger.key")}),
              FailsWith(ServiceReason::kWorkerUnreachable, testing::_));
}

TEST(Tls, WhatIsWrongWithTheFilesIsFoundBeforeServing) {
  const Certificates made;
  EXPECT_THAT(CheckTlsFiles({}), testing::IsEmpty());
  EXPECT_THAT(CheckTlsFiles({.cert = made.Path("server.pem"), .key = made.Path("server.key")}),
              testing::IsEmpty());
  EXPECT_THAT(CheckTlsFiles({.cert = made.Path("server.pem")}), Contains(HasSubstr("tls.key")));
  EXPECT_THAT(CheckTlsFiles({.cert = made.Path("server.pem"), .key = made.Path("client.key")}),
              Contains(HasSubstr("is not the key of the certificate")));
  EXPECT_THAT(CheckTlsFiles({.cert = made.Path("none"),
                             .key = made.Path("server.pem"),
                             .client_ca = made.Path("server.key")}),
              testing::SizeIs(3));
}

}  // namespace
}  // namespace glint
