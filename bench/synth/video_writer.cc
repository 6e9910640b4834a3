// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/video_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "decode/helper_program.h"
#include "glint/error.h"

namespace glint {
namespace {

constexpr HelperName kEncoder = {
    "glint-encode", "encoder", "GLINT_ENCODER",
    "name it by GLINT_ENCODER (it is no part of the image and the packages: build glint with "
    "-DGLINT_ENCODER=ON)"};

/// glint-encode at the other end of a socket: pictures go there, lines come back.
class EncoderProcess final : public VideoWriter {
 public:
  EncoderProcess(std::filesystem::path path, const VideoWriterOptions& options)
      : path_(std::move(path)), options_(options) {}
  ~EncoderProcess() override {
    socket_ = Descriptor();  // which ends it, if it has not ended
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }

  absl::Status Start() {
    GLINT_ASSIGN_OR_RETURN(const auto program, HelperProgram::Find({}, kEncoder));
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return Broken(errno);
    socket_ = Descriptor(ends[0]);
    const Descriptor theirs(ends[1]);
    std::vector<std::string> words = {
        std::string(kEncoder.file),          std::filesystem::absolute(path_).string(),
        std::to_string(options_.size.width), std::to_string(options_.size.height),
        std::to_string(options_.rotation),   std::to_string(options_.frames_per_s),
        fmt::format("{}", options_.quality), fmt::format("{}", options_.megabits)};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs.number(), STDIN_FILENO);
    const int failed =
        posix_spawn(&pid_, program->path().c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed == 0 ? absl::OkStatus() : Broken(failed);
  }

  /// Waits for the line that says that the last step worked.
  absl::Status Hear() {
    std::string line;
    for (char letter = 0; recv(socket_.number(), &letter, 1, 0) == 1 && letter != '\n';) {
      line += letter;
    }
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view word = std::string_view(line).substr(0, space);
    const std::string rest = line.substr(std::min(space + 1, line.size()));
    if (word == "ok") {
      encoder_ = rest;
      return absl::OkStatus();
    }
    for (const ReasonInfo& known : Reasons()) {
      if (known.name == word) return Error(known, rest);
    }
    return Broken(ECONNRESET);
  }

  absl::Status Write(const Yuv420Picture& picture) override {
    if (picture.y.size() != options_.size) {
      return Error(Reason::kInternal,
                   fmt::format("a picture of {} for a video of {}", ToString(picture.y.size()),
                               ToString(options_.size)));
    }
    for (const Plane* plane : {&picture.y, &picture.u, &picture.v}) {
      for (int y = 0; y < plane->height(); ++y) {
        if (!Send(plane->Row<std::uint8_t>(y), static_cast<std::size_t>(plane->width()))) {
          return Hear();  // it has said why it ended
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status Finish() override {
    shutdown(socket_.number(), SHUT_WR);
    return Hear();
  }

  std::string encoder() const override { return encoder_; }

 private:
  bool Send(const std::uint8_t* bytes, std::size_t count) const {
    while (count > 0) {
      const ssize_t sent = send(socket_.number(), bytes, count, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      bytes += sent;
      count -= static_cast<std::size_t>(sent);
    }
    return true;
  }
  absl::Status Broken(int code) const {
    return Error(Reason::kInternal,
                 fmt::format("the encoder's process for '{}' failed ({})", path_.string(),
                             std::generic_category().message(code)));
  }

  const std::filesystem::path path_;
  const VideoWriterOptions options_;
  Descriptor socket_;
  pid_t pid_ = -1;
  std::string encoder_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<VideoWriter>> VideoWriter::Open(const std::filesystem::path& path,
                                                               const VideoWriterOptions& options) {
  auto writer = std::make_unique<EncoderProcess>(path, options);
  GLINT_RETURN_IF_ERROR(writer->Start());
  GLINT_RETURN_IF_ERROR(writer->Hear());
  return writer;
}

}  // namespace glint
