// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "decode/sandbox/wire.h"
#include "glint/error.h"

namespace glint::sandbox {

absl::StatusOr<std::array<Descriptor, 2>> Channel::MakePair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Error(Reason::kInternal, "no socket for the decoder's process could be made: " +
                                        std::generic_category().message(errno));
  }
  return std::array<Descriptor, 2>{Descriptor(ends[0]), Descriptor(ends[1])};
}

void Channel::SetPatience(std::chrono::seconds patience) const {
  const timeval time{static_cast<time_t>(patience.count()), 0};
  setsockopt(socket_.number(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

bool Channel::Send(std::span<const std::uint8_t> bytes, int passed) const {
  iovec part{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  if (passed >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof passed);
    std::memcpy(CMSG_DATA(header), &passed, sizeof passed);
  }
  ssize_t sent = 0;
  do {
    sent = sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

bool Channel::Wait(std::chrono::milliseconds time) const {
  pollfd ready{socket_.number(), POLLIN, 0};
  return poll(&ready, 1, static_cast<int>(time.count())) > 0;
}

std::optional<Channel::Received> Channel::Receive() const {
  Received received;
  received.bytes.resize(kMaxMessageBytes + 1);
  iovec part{received.bytes.data(), received.bytes.size()};
  // Room for one descriptor; the kernel closes what does not fit.
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do {
    got = recvmsg(socket_.number(), &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return std::nullopt;
  received.bytes.resize(static_cast<std::size_t>(got));
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int passed = -1;
    std::memcpy(&passed, CMSG_DATA(header), sizeof passed);
    received.passed = Descriptor(passed);
  }
  return received;
}

}  // namespace glint::sandbox
