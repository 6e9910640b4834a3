// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace glint {
namespace {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;

std::string ContentOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// In the child, before the program starts.
void Apply(const Program::Setting& setting, const fs::path& output) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::signal(signal, SIG_DFL);  // a test that runs in the background inherits them ignored
  }
  const int out = open((output / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  const int err = open((output / "err").c_str(), O_WRONLY | O_CREAT, 0600);
  if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) _exit(125);
  if (chdir(setting.folder.c_str()) != 0) _exit(125);
  if (!setting.small_disk.empty()) {
    const bool mounted = unshare(CLONE_NEWNS) == 0 &&
                         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount("tmpfs", setting.small_disk.c_str(), "tmpfs", 0, "size=64k") == 0;
    if (!mounted) _exit(kMayNotMount);
  }
  if (setting.max_file_bytes) {
    const rlimit limit{*setting.max_file_bytes, *setting.max_file_bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  constexpr uid_t kNobody = 65534;
  if (setting.as_nobody && geteuid() == 0 && setuid(kNobody) != 0) _exit(125);
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments, const Setting& setting)
    : patience_(setting.patience) {
  std::string folder = (fs::temp_directory_path() / "glint-run-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) std::abort();
  output_ = folder;
  std::vector<std::string> words = {GLINT_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Opened with all rights: without them the way to the build folder may be barred.
  const int program = open(argv[0], O_RDONLY | O_CLOEXEC);
  pid_ = fork();
  if (pid_ == 0) {
    Apply(setting, output_);
    fexecve(program, argv.data(), environ);
    _exit(127);
  }
  close(program);
}

Program::~Program() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  fs::remove_all(output_, ignored);
}

bool Program::WaitFor(const std::string& text) {
  const auto end = Steady::now() + std::chrono::minutes(1);
  while (Steady::now() < end) {
    if (Said().find(text) != std::string::npos) return true;
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      return false;
    }
    if (info.si_pid != 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

std::string Program::Said() const { return ContentOf(output_ / "out"); }

void Program::Signal(int signal) const {
  if (pid_ > 0) kill(pid_, signal);  // -1 would be everybody
}

Ended Program::Wait() {
  const auto end = Steady::now() + patience_;
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (Steady::now() > end) kill(pid_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  pid_ = -1;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return {code, ContentOf(output_ / "out"), ContentOf(output_ / "err")};
}

Ended RunProgram(const std::vector<std::string>& arguments, const Program::Setting& setting) {
  return Program(arguments, setting).Wait();
}

std::set<std::string> FilesBelow(const fs::path& root) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    names.insert(entry->path().lexically_relative(root).string());
  }
  return names;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace glint
