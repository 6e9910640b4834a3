// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/serve_config.h"
#include "serve/test_server.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;
using namespace std::chrono_literals;

/// A config and where it comes from.
struct Loaded {
  ServeConfig config;
  absl::StatusOr<std::unique_ptr<TokenList>> tokens = nullptr;

  explicit Loaded(const SettingSources& sources) {
    tokens = Configure(config, MakeSettings(config), sources);
  }
};

TEST(Config, TheDefaultsAreValidAndReachableFromThisMachineOnly) {
  Loaded loaded({});
  EXPECT_THAT(loaded.tokens, IsOk());
  EXPECT_THAT(loaded.config.server.listen, ElementsAre("127.0.0.1:50051"));
}

TEST(Config, FlagsBeatTheEnvironmentAndThatBeatsTheFile) {
  const TempFolder folder;
  const auto file = folder.Write("glint.toml",
                                 "lanes = 2\nthreads = 2\ndevice = \"file\"\n"
                                 "listen = [\"127.0.0.1:1\", \"[::1]:2\"]\n"
                                 "reflection = false\n[limits]\nbytes = \"2G\"\nduration = 10.5\n");
  Loaded loaded({.flags = {{"lanes", {"4"}}},
                 .environment = {{"GLINT_LANES", "3"}, {"GLINT_THREADS", "3"}},
                 .file = file});
  ASSERT_THAT(loaded.tokens, IsOk());
  EXPECT_EQ(loaded.config.lanes, 4);
  EXPECT_EQ(loaded.config.threads, 3);
  EXPECT_EQ(loaded.config.device, "file");
  EXPECT_THAT(loaded.config.server.listen, ElementsAre("127.0.0.1:1", "[::1]:2"));
  EXPECT_FALSE(loaded.config.server.reflection);
  EXPECT_EQ(loaded.config.limits.max_bytes, std::int64_t{2} << 30);
  EXPECT_EQ(loaded.config.limits.max_duration_s, 10.5);
}

TEST(Config, HowVideosAreDecodedIsTakenFromTheSettings) {
  Loaded loaded({.flags = {{"decode", {"nvdec"}}, {"decode-sandbox", {"off"}}}});
  ASSERT_THAT(loaded.tokens, IsOk());
  EXPECT_EQ(loaded.config.decode_mode, DecodeMode::kNvdec);
  EXPECT_EQ(loaded.config.sandbox, SandboxMode::kOff);
}

TEST(Config, EverythingWrongIsSaidAtOnceAndWhereItStands) {
  const TempFolder folder;
  const auto file =
      folder.Write("glint.toml", "lanse = 2\nthreads = [1, 2]\n[tls]\ncert = \"none\"\n");
  Loaded loaded({.flags = {{"lanes", {"-1"}}, {"listen", {"0.0.0.0:50051", "nonsense"}}},
                 .environment = {{"GLINT_DRAIN_GRACE", "soon"}, {"GLINT_LOG_LEVEL", "loud"}},
                 .file = file});
  EXPECT_THAT(
      loaded.tokens,
      FailsWith(Reason::kInvalidOption,
                AllOf(HasSubstr("has 9 errors"), HasSubstr("--lanes: '-1'"),
                      HasSubstr("GLINT_DRAIN_GRACE: 'soon'"), HasSubstr("GLINT_LOG_LEVEL: 'loud'"),
                      HasSubstr("lanse in "), HasSubstr("threads in "),
                      HasSubstr("'nonsense' is no host:port"), HasSubstr("'0.0.0.0:50051' can be"),
                      AllOf(HasSubstr("tls.cert: none"), HasSubstr("tls.key: is missing")))));
}

TEST(Config, AWrongValueThatIsOverruledDoesNotMatter) {
  Loaded loaded({.flags = {{"lanes", {"1"}}}, .environment = {{"GLINT_LANES", "many"}}});
  EXPECT_THAT(loaded.tokens, IsOk());
}

TEST(Config, StrangersAreKeptOutUnlessToldOtherwise) {
  const TempFolder folder;
  const auto tokens = folder.Write("tokens", kToken);
  const SettingValues open = {{"listen", {"0.0.0.0:50051"}}};
  EXPECT_THAT(Loaded({.flags = open}).tokens,
              FailsWith(Reason::kInvalidOption, HasSubstr("--insecure-no-auth")));
  SettingValues told = open;
  told["insecure-no-auth"] = {"true"};
  EXPECT_THAT(Loaded({.flags = told}).tokens, IsOk());
  SettingValues with_file = open;
  with_file["token-file"] = {tokens.string()};
  EXPECT_THAT(Loaded({.flags = with_file}).tokens, IsOk());
  EXPECT_THAT(Loaded({.flags = open, .environment = {{"GLINT_TOKENS", kToken}}}).tokens, IsOk());
  for (const char* local :
       {"127.0.0.1:0", "127.1.2.3:5", "[::1]:5", "localhost:5", "unix:/tmp/s"}) {
    EXPECT_TRUE(IsLoopback(local)) << local;
  }
  for (const char* open_address : {"0.0.0.0:5", "[::]:5", "10.0.0.1:5", "127.evil.example:5",
                                   "localhost.example:5", "[::ffff:127.0.0.1]:5"}) {
    EXPECT_FALSE(IsLoopback(open_address)) << open_address;
  }
}

TEST(Config, SecretsComeFromTheEnvironmentOrFilesOfTheirOwn) {
  const TempFolder folder;
  const auto file = folder.Write("glint.toml", fmt::format("tokens = \"{}\"\n", kToken));
  EXPECT_THAT(
      Loaded({.file = file}).tokens,
      FailsWith(Reason::kInvalidOption, AllOf(HasSubstr("GLINT_TOKENS"), Not(HasSubstr(kToken)))));
  EXPECT_THAT(Loaded({.environment = {{"GLINT_TOKENS", "short"}}}).tokens,
              FailsWith(Reason::kInvalidOption, HasSubstr("16 or more")));
  EXPECT_THAT(Loaded({.flags = {{"token-file", {"/no/such/file"}}}}).tokens,
              FailsWith(Reason::kInvalidOption, HasSubstr("/no/such/file")));
  EXPECT_THAT(
      Loaded({.flags = {{"token-file", {folder.Write("none", "# nothing\n").string()}}}}).tokens,
      FailsWith(Reason::kInvalidOption, HasSubstr("holds no token")));
}

TEST(Config, TellsThoseWhomItNamesAndReadsTheirSecretsFromFiles) {
  const TempFolder folder;
  const auto secret = folder.Write("secret", "  0123456789abcdef0123\n").string();
  Loaded loaded({.flags = {{"webhook-url", {"https://hook.example/x"}},
                           {"webhook-secret-file", {secret}},
                           {"postgrest-url", {"https://ref.example/rest/v1"}}},
                 .environment = {{"GLINT_POSTGREST_KEY", "sb_secret_0123456789"}}});
  ASSERT_THAT(loaded.tokens, IsOk());
  EXPECT_EQ(loaded.config.webhook.secret, "0123456789abcdef0123");
  EXPECT_EQ(MakeNotificationTargets(loaded.config)->size(), 2U);
  EXPECT_THAT(Loaded({}).tokens, IsOk()) << "nobody by default";
  EXPECT_FALSE(Loaded({.flags = {{"webhook-url", {"https://hook.example/x"}}}}).tokens.ok())
      << "without a secret";
  EXPECT_THAT(Loaded({.flags = {{"webhook-secret-file", {"/no/such"}}}}).tokens,
              FailsWith(Reason::kInvalidOption, HasSubstr("webhook-secret-file")));
}

TEST(Config, TiersAreServedAllAlikeUnlessToldOtherwise) {
  Loaded usual({});
  ASSERT_THAT(usual.tokens, IsOk());
  EXPECT_THAT(usual.config.tiers.tiers, ElementsAre("*"));
  EXPECT_TRUE(usual.config.tiers.devices.empty());
  EXPECT_EQ(usual.config.tiers.spill_to_cpu, 60s);
  Loaded told({.flags = {{"tier-device", {"premium=cuda", "free=cpu"}},
                         {"spill-to-cpu", {"never"}},
                         {"spill-to-gpu", {"never"}}},
               .environment = {{"GLINT_TIERS", "premium,free"}, {"GLINT_USUAL_TIER", "free"}}});
  ASSERT_THAT(told.tokens, IsOk());
  EXPECT_THAT(told.config.tiers.tiers, ElementsAre("premium", "free"));
  EXPECT_EQ(told.config.tiers.devices.at("premium"), "cuda");
  EXPECT_FALSE(told.config.tiers.spill_to_cpu);
  EXPECT_FALSE(told.config.tiers.spill_to_idle_gpu);
  EXPECT_EQ(told.config.usual_tier, "free");
  Loaded wrong({.flags = {{"tiers", {"pre/mium"}},
                          {"usual-tier", {".x"}},
                          {"tier-device", {"premium=tpu"}},
                          {"spill-to-cpu", {"soon"}}}});
  EXPECT_THAT(wrong.tokens, FailsWith(Reason::kInvalidOption, HasSubstr("has 4 errors")));
}

TEST(Config, AFileThatIsNoTomlIsAnErrorWithItsLine) {
  const TempFolder folder;
  EXPECT_THAT(Loaded({.file = folder.Write("bad.toml", "lanes = 1\nthreads = = 2\n")}).tokens,
              FailsWith(Reason::kInvalidOption, HasSubstr("line 2")));
  EXPECT_THAT(Loaded({.file = folder.path() / "none.toml"}).tokens,
              FailsWith(Reason::kInvalidOption, HasSubstr("none.toml")));
}

TEST(Config, DurationsAndSizesHaveUnits) {
  const std::vector<std::pair<const char*, std::chrono::milliseconds>> good = {
      {"500ms", 500ms}, {"30", 30s}, {"1.5s", 1500ms}, {"5m", 300s}, {"2h", 7200s}, {"0", 0ms}};
  for (const auto& [text, duration] : good) {
    Loaded loaded({.flags = {{"drain-grace", {text}}}});
    ASSERT_THAT(loaded.tokens, IsOk()) << text;
    EXPECT_EQ(loaded.config.drain_grace, duration) << text;
  }
  for (const char* text : {"", "s", "5x", "-1s", "nan", "inf", "1e30", "5 s"}) {
    EXPECT_FALSE(Loaded({.flags = {{"drain-grace", {text}}}}).tokens.ok()) << text;
  }
  for (const char* text : {"", "G", "4T", "-1", "9223372036854775807G"}) {
    EXPECT_FALSE(Loaded({.flags = {{"limits.bytes", {text}}}}).tokens.ok()) << text;
  }
}

TEST(Config, MisspeltVariablesAreNoticed) {
  ServeConfig config;
  EXPECT_THAT(UnknownVariables(MakeSettings(config), {{"GLINT_LANES", "1"},
                                                      {"GLINT_LANSE", "1"},
                                                      {"GLINT_SERVER", "x"},
                                                      {"GLINT_CONFIG", "x"}}),
              ElementsAre("GLINT_LANSE"));
}

}  // namespace
}  // namespace glint
