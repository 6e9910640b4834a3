// SPDX-License-Identifier: Apache-2.0
#include "http/url.h"

#include <gtest/gtest.h>

#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Url, SeesTheHostThatIsConnectedTo) {
  struct Case {
    const char* text;
    const char* host;
    int port;
  };
  for (const Case& c : {
           Case{"http://example.com/a", "example.com", 80},
           Case{"HTTPS://Example.COM:8443/a?b#c", "example.com", 8443},
           Case{"http://2130706433/", "127.0.0.1", 80},
           Case{"http://0x7f.1/", "127.0.0.1", 80},
           Case{"http://0177.0.0.1/", "127.0.0.1", 80},
           Case{"http://[::FFFF:127.0.0.1]/", "::ffff:127.0.0.1", 80},
           Case{"http://user:pw@127.0.0.1/", "127.0.0.1", 80},
           Case{"http://a.example@b.example/", "b.example", 80},
           Case{"http://b.example#@a.example/", "b.example", 80},
       }) {
    const auto url = Url::Parse(c.text);
    ASSERT_THAT(url, IsOk()) << c.text;
    EXPECT_EQ(url->host(), c.host) << c.text;
    EXPECT_EQ(url->port(), c.port) << c.text;
  }
}

TEST(Url, RefusesWhatIsNone) {
  for (const std::string& text :
       {std::string(), std::string("example.com/a"), std::string("/a"), std::string("http://"),
        std::string("http://a b/"), std::string("http://a:70000/"), std::string("http://a:b/"),
        std::string("http://a\r\nb/"), std::string("http://a\0b/", 11)}) {
    EXPECT_THAT(Url::Parse(text), FailsWith(Reason::kInvalidOption, HasSubstr("https://host/path")))
        << text;
  }
}

TEST(Url, ShowsNoSecrets) {
  const auto url = Url::Parse("https://me:hush@h.example:8443/v/a.mp4?token=hush#hush");
  ASSERT_THAT(url, IsOk());
  EXPECT_TRUE(url->has_user_info());
  EXPECT_EQ(url->Shown(), "https://h.example:8443/v/a.mp4");
  EXPECT_EQ(ShownInput("https://h.example/v?sig=hush"), "https://h.example/v");
  EXPECT_EQ(ShownInput("clips/a.mp4?b"), "clips/a.mp4?b") << "a path is no secret";
  EXPECT_THAT(ShownInput("https://me:hush@h:x/"), Not(HasSubstr("hush")));
}

TEST(Url, ResolvesRedirects) {
  const auto url = Url::Parse("https://h.example/a/b?x=1");
  ASSERT_THAT(url, IsOk());
  struct Case {
    const char* location;
    const char* gives;
  };
  for (const Case& c : {Case{"/c d", "https://h.example/c%20d"}, Case{"e", "https://h.example/a/e"},
                        Case{"//o.example/f", "https://o.example/f"},
                        Case{"http://127.0.0.1/", "http://127.0.0.1/"},
                        Case{"?y=2", "https://h.example/a/b?y=2"}}) {
    const auto resolved = url->Resolve(c.location);
    ASSERT_THAT(resolved, IsOk()) << c.location;
    EXPECT_EQ(resolved->text(), c.gives);
  }
}

TEST(PercentEncoded, KeepsUnreservedCharactersOnly) {
  EXPECT_EQ(PercentEncoded("a-Z_0.~/ü+(% ", true), "a-Z_0.~/%C3%BC%2B%28%25%20");
  EXPECT_EQ(PercentEncoded("a/b", false), "a%2Fb");
}

}  // namespace
}  // namespace glint
