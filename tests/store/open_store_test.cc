// SPDX-License-Identifier: Apache-2.0
#include "glint/open_store.h"

#include <gtest/gtest.h>

#include <map>

#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

absl::StatusOr<std::unique_ptr<ObjectStore>> Open(const std::string& uri,
                                                  const Variables& variables,
                                                  const StoreOptions& options = {}) {
  return OpenStore(uri, options, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

const Variables kAws = {{"AWS_ACCESS_KEY_ID", "K"}, {"AWS_SECRET_ACCESS_KEY", "S"}};

std::string UrlOf(ObjectStore& store) {
  return store.Links("p", std::vector<std::string>{"mask.png"}, CancelToken()).value().front().url;
}

TEST(OpenStore, OpensEveryKindOfPlace) {
  StoreOptions open;
  open.urls = UrlMode::kPublic;
  struct Case {
    const char* uri;
    Variables more;
    const char* url;
  };
  for (const Case& c : {
           Case{"s3://bkt", {}, "https://bkt.s3.us-east-1.amazonaws.com/p/mask.png"},
           Case{"s3://bkt/a/b/",
                {{"AWS_REGION", "eu-west-1"}},
                "https://bkt.s3.eu-west-1.amazonaws.com/a/b/p/mask.png"},
           Case{"s3://bkt/a",
                {{"AWS_ENDPOINT_URL", "http://minio:9000/"}},
                "http://minio:9000/bkt/a/p/mask.png"},
           Case{"s3://bkt",
                {{"AWS_ENDPOINT_URL_S3", "https://r.supabase.co/storage/v1/s3"}},
                "https://r.supabase.co/storage/v1/s3/bkt/p/mask.png"},
           Case{
               "supabase://my $bkt/a",
               {{"SUPABASE_URL", "https://r.supabase.co/"}, {"SUPABASE_SECRET_KEY", "sb_secret_x"}},
               "https://r.supabase.co/storage/v1/object/public/my%20%24bkt/a/p/mask.png"},
           Case{
               "supabase://bkt/a",
               {{"SUPABASE_URL", "https://r.supabase.co/"}, {"SUPABASE_SECRET_KEY", "sb_secret_x"}},
               "https://r.supabase.co/storage/v1/object/public/bkt/a/p/mask.png"},
       }) {
    Variables variables = kAws;
    variables.insert(c.more.begin(), c.more.end());
    const auto store = Open(c.uri, variables, open);
    ASSERT_THAT(store, IsOk()) << c.uri;
    EXPECT_EQ(UrlOf(**store), c.url);
  }
  const TempFolder folder;
  EXPECT_THAT(Open(folder.path().string(), {}), IsOk());
}

TEST(OpenStore, ReadsSecretsFromFiles) {
  const TempFolder folder;
  const std::string file = folder.Write("secret", "from-a-file\n").string();
  EXPECT_THAT(Open("s3://bkt", {{"AWS_ACCESS_KEY_ID", "K"}, {"AWS_SECRET_ACCESS_KEY_FILE", file}}),
              IsOk());
  EXPECT_THAT(
      Open("s3://bkt", {{"AWS_ACCESS_KEY_ID", "K"}, {"AWS_SECRET_ACCESS_KEY_FILE", "/not/there"}}),
      FailsWith(Reason::kInvalidOption, HasSubstr("AWS_SECRET_ACCESS_KEY_FILE")));
}

TEST(OpenStore, SaysWhatIsMissingOrWrong) {
  struct Case {
    const char* uri;
    Variables variables;
    StoreOptions options;
    const char* says;
  };
  StoreOptions bad_template;
  bad_template.key_template = "{name}";
  StoreOptions bad_endpoint;
  bad_endpoint.endpoint = "https://me:pw@minio";
  StoreOptions bad_life;
  bad_life.url_life = std::chrono::days(8);
  for (const Case& c : {
           Case{"s3://bkt", {}, {}, "AWS_ACCESS_KEY_ID"},
           Case{"s3://bkt", {{"AWS_ACCESS_KEY_ID", "K"}}, {}, "AWS_SECRET_ACCESS_KEY"},
           Case{"supabase://bkt", {}, {}, "SUPABASE_URL"},
           Case{"supabase://bkt", {{"SUPABASE_URL", "https://r"}}, {}, "SUPABASE_SECRET_KEY"},
           Case{"s3://", kAws, {}, "no bucket"},
           Case{"s3://a b", kAws, {}, "no bucket"},
           Case{"s3://bkt/../x", kAws, {}, "dot"},
           Case{"gs://bkt", kAws, {}, "folder"},
           Case{"s3://bkt", kAws, bad_template, "{prefix}"},
           Case{"s3://bkt", kAws, bad_endpoint, "endpoint"},
           Case{"s3://bkt", kAws, bad_life, "7 days"},
       }) {
    EXPECT_THAT(Open(c.uri, c.variables, c.options),
                FailsWith(Reason::kInvalidOption, HasSubstr(c.says)))
        << c.uri;
  }
}

}  // namespace
}  // namespace glint
