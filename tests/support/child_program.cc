// SPDX-License-Identifier: Apache-2.0
#include "support/child_program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

namespace glint {
namespace {

std::string ReadAll(int pipe) {
  std::string text;
  std::array<char, 65'536> buffer{};
  for (ssize_t got = 0; (got = read(pipe, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

ProgramRun RunProgram(const std::vector<std::string>& arguments,
                      std::optional<std::chrono::microseconds> kill_after) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> said{};
  if (pipe2(said.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  const pid_t child = fork();
  if (child == 0) {
    dup2(said[1], STDOUT_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(said[1]);
  ProgramRun run;
  std::thread reader([&] { run.said = ReadAll(said[0]); });  // a full pipe would hold the child up
  if (kill_after) {
    std::this_thread::sleep_for(*kill_after);
    kill(child, SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  reader.join();
  close(said[0]);
  run.ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return run;
}

}  // namespace glint
