// SPDX-License-Identifier: Apache-2.0
#include "serve/watched_socket.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace glint {
namespace {

ino_t InodeOf(int socket) {
  struct stat about {};
  return fstat(socket, &about) == 0 && S_ISSOCK(about.st_mode) ? about.st_ino : 0;
}

}  // namespace

WatchedSocket::WatchedSocket(int number) : number_(number), inode_(InodeOf(number)) {}

bool WatchedSocket::open() const { return inode_ != 0 && InodeOf(number_) == inode_; }

std::optional<std::uint64_t> WatchedSocket::ReceivedBytes() const {
  tcp_info info{};
  socklen_t size = sizeof(info);
  const bool asked = getsockopt(number_, IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
  // Looked at afterwards: what was closed before the question has answered it with nothing, or with
  // what another connection received that has the number now.
  if (!asked || !open()) return std::nullopt;
  return info.tcpi_bytes_received;
}

void WatchedSocket::Shutdown() const {
  if (open()) shutdown(number_, SHUT_RDWR);
}

}  // namespace glint
