// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

namespace glint {

/// A client of HTTP/2 that keeps no rule of it: writes frames as it is told, reads and forgets what
/// comes, and ignores windows.
class RawHttp2 {
 public:
  /// Connects to a port of this machine and says hello. @param mute  says nothing
  /// @param from  the address that it comes from, of this machine, too
  explicit RawHttp2(int port, bool mute = false, const char* from = "127.0.0.1");
  ~RawHttp2();
  RawHttp2(const RawHttp2&) = delete;
  RawHttp2& operator=(const RawHttp2&) = delete;

  /// A new stream's headers. @param path  "/package.Service/Method" @return the stream
  std::uint32_t Open(std::string_view path, std::string_view encoding = "");
  /// The start of a gRPC message, or more of it. @param announced  its size; negative: none
  /// @param last  whether the stream ends with it
  void SendData(std::uint32_t stream, std::string_view bytes, std::int64_t announced = -1,
                bool packed = false, bool last = false);
  void Reset(std::uint32_t stream);
  /// Whether the server has closed the connection.
  bool closed() const;

 private:
  void Send(std::string_view bytes);

  int socket_ = -1;
  std::uint32_t next_ = 1;
  bool broken_ = false;
  std::jthread reader_;
};

}  // namespace glint
