// SPDX-License-Identifier: Apache-2.0
#include "serve/raw_http2.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace glint {
namespace {

constexpr char kData = 0, kHeaders = 1, kReset = 3, kSettings = 4;
constexpr char kNoFlag = 0, kEndStream = 1, kEndHeaders = 4;

std::string BigEndian(std::uint32_t value, int bytes) {
  std::string text;
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
    text += static_cast<char>(value >> shift & 0xff);
  }
  return text;
}

std::string Frame(char type, char flags, std::uint32_t stream, std::string_view payload) {
  return BigEndian(static_cast<std::uint32_t>(payload.size()), 3) + type + flags +
         BigEndian(stream, 4) + std::string(payload);
}

/// A header that no table keeps. Both texts are under 127 bytes.
std::string Header(std::string_view name, std::string_view value) {
  std::string text(1, '\0');
  text += static_cast<char>(name.size());
  text += name;
  text += static_cast<char>(value.size());
  return text.append(value);
}

}  // namespace

RawHttp2::RawHttp2(int port, bool mute, const char* from)
    : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in own{};
  own.sin_family = AF_INET;
  EXPECT_EQ(inet_pton(AF_INET, from, &own.sin_addr), 1);
  EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&own), sizeof(own)), 0);
  sockaddr_in server{};
  server.sin_family = AF_INET;
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  server.sin_port = htons(static_cast<std::uint16_t>(port));
  broken_ = connect(socket_, reinterpret_cast<sockaddr*>(&server), sizeof(server)) != 0;
  if (mute) return;
  Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + Frame(kSettings, 0, 0, ""));
  reader_ = std::jthread([this] {
    std::array<char, 65536> nowhere{};
    while (recv(socket_, nowhere.data(), nowhere.size(), 0) > 0) continue;
  });
}

RawHttp2::~RawHttp2() {
  shutdown(socket_, SHUT_RDWR);
  if (reader_.joinable()) reader_.join();
  close(socket_);
}

void RawHttp2::Send(std::string_view bytes) {
  while (!bytes.empty() && !broken_) {
    const auto sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    broken_ = sent < 0;
    if (!broken_) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::uint32_t RawHttp2::Open(std::string_view path, std::string_view encoding) {
  std::string headers = Header(":method", "POST") + Header(":scheme", "http") +
                        Header(":path", path) + Header(":authority", "glint") +
                        Header("te", "trailers") + Header("content-type", "application/grpc");
  if (!encoding.empty()) headers += Header("grpc-encoding", encoding);
  const std::uint32_t stream = std::exchange(next_, next_ + 2);
  Send(Frame(kHeaders, kEndHeaders, stream, headers));
  return stream;
}

void RawHttp2::SendData(std::uint32_t stream, std::string_view bytes, std::int64_t announced,
                        bool packed, bool last) {
  std::string payload;
  if (announced >= 0) {
    payload += static_cast<char>(packed);
    payload += BigEndian(static_cast<std::uint32_t>(announced), 4);
  }
  Send(Frame(kData, last ? kEndStream : kNoFlag, stream, payload.append(bytes)));
}

void RawHttp2::Reset(std::uint32_t stream) {
  Send(Frame(kReset, 0, stream, BigEndian(8, 4)));  // CANCEL
}

bool RawHttp2::closed() const {
  pollfd socket{socket_, POLLIN | POLLRDHUP, 0};
  return broken_ || (poll(&socket, 1, 0) == 1 && (socket.revents & (POLLRDHUP | POLLHUP)) != 0);
}

}  // namespace glint
