// SPDX-License-Identifier: Apache-2.0
// Against the worked examples of AWS' documentation ("Signature Calculations for the Authorization
// Header" and "Authenticating Requests: Using Query Parameters").
#include "store/sigv4.h"

#include <gtest/gtest.h>

#include "http/digest.h"

namespace glint {
namespace {

using std::chrono::days;

const S3Credentials kCredentials{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                                 ""};
constexpr S3Signer::Time kDay{std::chrono::sys_days{std::chrono::year{2013} / 5 / 24}};

S3Request For(std::string method, std::string path) {
  return {.method = std::move(method),
          .host = "examplebucket.s3.amazonaws.com",
          .path = std::move(path),
          .query = {},
          .headers = {}};
}

std::string Signature(const std::vector<HttpHeader>& headers) {
  const std::string& value = headers.back().value;
  return value.substr(value.rfind('=') + 1);
}

TEST(S3Signer, SignsAsInTheExamples) {
  const S3Signer signer(kCredentials, "us-east-1");
  const std::string empty = Sha256Hex(std::string_view());
  S3Request get = For("GET", "/test.txt");
  get.headers["range"] = "bytes=0-9";
  EXPECT_EQ(Signature(signer.Sign(get, empty, kDay)),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  S3Request put = For("PUT", "/test%24file.text");
  put.headers["date"] = "Fri, 24 May 2013 00:00:00 GMT";
  put.headers["x-amz-storage-class"] = "REDUCED_REDUNDANCY";
  EXPECT_EQ(Signature(signer.Sign(put, Sha256Hex(std::string_view("Welcome to Amazon S3.")), kDay)),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
  S3Request lifecycle = For("GET", "/");
  lifecycle.query["lifecycle"] = "";
  EXPECT_EQ(Signature(signer.Sign(lifecycle, empty, kDay)),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  S3Request list = For("GET", "/");
  list.query = {{"prefix", "J"}, {"max-keys", "2"}};
  EXPECT_EQ(Signature(signer.Sign(list, empty, kDay)),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(S3Signer, PresignsAsInTheExample) {
  const S3Signer signer(kCredentials, "us-east-1");
  const std::string query =
      signer.PresignedQuery(For("GET", "/test.txt"), std::chrono::seconds(86400), kDay);
  EXPECT_EQ(
      query,
      "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-"
      "east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-"
      "SignedHeaders=host&X-Amz-Signature="
      "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(S3Signer, SendsTheTokenOfTemporaryCredentials) {
  S3Credentials temporary = kCredentials;
  temporary.session_token = "token/+=";
  const S3Signer signer(temporary, "us-east-1");
  bool sent = false;
  for (const HttpHeader& header : signer.Sign(For("GET", "/"), "x", kDay)) {
    sent |= header.name == "x-amz-security-token" && header.value == "token/+=";
  }
  EXPECT_TRUE(sent);
  EXPECT_NE(signer.PresignedQuery(For("GET", "/"), std::chrono::seconds(1), kDay)
                .find("X-Amz-Security-Token=token%2F%2B%3D"),
            std::string::npos);
}

}  // namespace
}  // namespace glint
