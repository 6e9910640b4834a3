// SPDX-License-Identifier: Apache-2.0
#include "http/address_policy.h"

#include <gtest/gtest.h>

#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::_;
using testing::HasSubstr;

absl::Status Check(const AddressPolicy& policy, const std::string& host, int port,
                   const std::string& address) {
  return policy.Check(host, port, IpAddress::Parse(address).value());
}

AddressPolicy Allowing(const std::vector<std::string>& allowed) {
  auto policy = AddressPolicy::Make(allowed);
  EXPECT_THAT(policy, IsOk());
  return *std::move(policy);
}

TEST(AddressPolicy, RefusesEveryKindOfInternalAddress) {
  const AddressPolicy policy = Allowing({});
  for (const char* address : {"0.0.0.0",
                              "0.1.2.3",
                              "10.0.0.1",
                              "10.255.255.255",
                              "100.64.0.1",
                              "100.127.255.255",
                              "127.0.0.1",
                              "127.255.255.254",
                              "168.63.129.16",
                              "169.254.169.254",
                              "172.16.0.1",
                              "172.31.255.255",
                              "192.0.0.192",
                              "192.0.2.1",
                              "192.88.99.1",
                              "192.168.1.1",
                              "198.18.0.1",
                              "198.19.255.255",
                              "198.51.100.1",
                              "203.0.113.1",
                              "224.0.0.1",
                              "239.255.255.255",
                              "240.0.0.1",
                              "255.255.255.255",
                              "::",
                              "::1",
                              "::7f00:1",
                              "::ffff:127.0.0.1",
                              "::ffff:8.8.8.8",
                              "::ffff:0:7f00:1",
                              "64:ff9b::7f00:1",
                              "64:ff9b::808:808",
                              "64:ff9b:1::1",
                              "100::1",
                              "2001::1",
                              "2001:0:53aa:64c::1",
                              "2001:db8::1",
                              "2002:7f00:1::",
                              "2002:808:808::",
                              "3fff::1",
                              "5f00::1",
                              "fc00::1",
                              "fd00:ec2::254",
                              "fe80::1",
                              "fec0::1",
                              "ff02::1",
                              "4000::1",
                              "8000::1"}) {
    EXPECT_THAT(Check(policy, "name.example", 443, address), FailsWith(Reason::kUrlNotAllowed, _))
        << address;
  }
}

TEST(AddressPolicy, AllowsPublicAddressesOnWebPorts) {
  const AddressPolicy policy = Allowing({});
  for (const char* address :
       {"1.1.1.1",         "8.8.8.8",         "9.255.255.255",        "11.0.0.0",
        "100.63.255.255",  "100.128.0.0",     "126.255.255.255",      "128.0.0.1",
        "169.253.255.255", "169.255.0.0",     "172.15.255.255",       "172.32.0.0",
        "192.0.1.1",       "192.167.255.255", "192.169.0.0",          "198.17.255.255",
        "198.20.0.0",      "223.255.255.255", "2001:4860:4860::8888", "2606:4700::1111",
        "2a00::1"}) {
    EXPECT_THAT(Check(policy, "name.example", 80, address), IsOk()) << address;
    EXPECT_THAT(Check(policy, "name.example", 443, address), IsOk()) << address;
    for (const int port : {22, 25, 8080, 6379, 65535}) {
      EXPECT_THAT(Check(policy, "name.example", port, address),
                  FailsWith(Reason::kUrlNotAllowed, HasSubstr("port")))
          << address;
    }
  }
}

TEST(AddressPolicy, SaysWhatTheAddressIs) {
  const AddressPolicy policy = Allowing({});
  EXPECT_THAT(Check(policy, "evil.example", 80, "169.254.169.254"),
              FailsWith(Reason::kUrlNotAllowed,
                        testing::AllOf(HasSubstr("'evil.example' resolves to 169.254.169.254"),
                                       HasSubstr("link-local"), HasSubstr("169.254.0.0/16"))));
}

TEST(AddressPolicy, AllowsWhatTheOperatorNames) {
  struct Case {
    const char* allowed;
    const char* host;
    int port;
    const char* address;
    bool fits;
  };
  for (const Case& c : {
           Case{"10.0.0.0/8", "h", 443, "10.9.8.7", true},
           Case{"10.0.0.0/8", "h", 8080, "10.9.8.7", false},
           Case{"10.0.0.0/8", "h", 443, "11.0.0.1", true},  // public anyway
           Case{"10.0.0.0/9", "h", 443, "10.128.0.0", false},
           Case{"10.0.0.0/8:8080", "h", 8080, "10.9.8.7", true},
           Case{"10.0.0.0/8:8080", "h", 80, "10.9.8.7", false},
           Case{"127.0.0.1:*", "127.0.0.1", 12345, "127.0.0.1", true},
           Case{"127.0.0.1:*", "127.0.0.2", 12345, "127.0.0.2", false},
           Case{"media.internal", "media.internal", 443, "192.168.1.5", true},
           Case{"Media.Internal", "media.internal.", 443, "192.168.1.5", true},
           Case{"media.internal", "evil.media.internal", 443, "192.168.1.5", false},
           Case{"media.internal:9000", "media.internal", 9000, "192.168.1.5", true},
           Case{"media.internal:9000", "media.internal", 9001, "192.168.1.5", false},
           Case{"[::1]:8080", "::1", 8080, "::1", true},
           Case{"::1", "::1", 80, "::1", true},
           Case{"fd00::/8:*", "h", 5, "fd12::1", true},
           Case{"0.0.0.0/0", "h", 80, "::1", false},
           Case{"127.0.0.1:*", "h", 80, "::ffff:127.0.0.1", false},
       }) {
    EXPECT_EQ(Check(Allowing({c.allowed}), c.host, c.port, c.address).ok(), c.fits)
        << c.allowed << " " << c.host << " " << c.port << " " << c.address;
  }
}

TEST(AddressPolicy, KnowsFromTheUrlWhatNoAddressCanChange) {
  const AddressPolicy policy = Allowing({"media.internal:9000"});
  struct Case {
    const char* url;
    bool may_pass;
  };
  for (const Case& c : {Case{"http://example.com/", true}, Case{"http://example.com:8080/", false},
                        Case{"http://media.internal:9000/", true}, Case{"http://0x7f.1/", false},
                        Case{"http://[::1]/", false}, Case{"http://8.8.8.8/", true},
                        Case{"http://2852039166/", false}}) {
    const auto url = Url::Parse(c.url);
    ASSERT_THAT(url, IsOk());
    EXPECT_EQ(policy.CheckUrl(*url).ok(), c.may_pass) << c.url;
  }
}

TEST(AddressPolicy, RefusesAllowancesThatItDoesNotUnderstand) {
  for (const char* text : {"", ":80", "a b", "10.0.0.0/33", "h:0", "h:65536", "h:8x",
                           "h:", "http://h/", "*", "10.0.0.0/", "[::1", "a/8"}) {
    EXPECT_THAT(AddressPolicy::Make(std::vector<std::string>{text}),
                FailsWith(Reason::kInvalidOption, HasSubstr(text)))
        << text;
  }
}

}  // namespace
}  // namespace glint
