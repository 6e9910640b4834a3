// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <csignal>

#include "bench/commands/commands.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/crash_report.h"

namespace {

constexpr glint::AddCommand kCommands[] = {
    glint::AddScanCommand,   glint::AddExportCommand,  glint::AddDemoCommand,
    glint::AddEvalCommand,   glint::AddSynthCommand,   glint::AddDoctorCommand,
    glint::AddServeCommand,  glint::AddRemoteCommands, glint::AddBatchCommands,
    glint::AddVerifyCommand, glint::AddBenchCommand,   glint::AddStoreCommand,
    glint::AddVersionCommand};

}  // namespace

int main(int argc, char** argv) {
#ifdef __GLIBC__
  // One heap: with one per thread, what a thread has freed is lost to the others, up to a sixth of
  // a scan's memory. Threads hardly ever allocate at the same time here.
  mallopt(M_ARENA_MAX, 1);
#endif
  std::signal(SIGXFSZ,
              SIG_IGN);  // a file that may not grow (ulimit -f) is an error like a full disk
  glint::ReportCrashes(argv[0]);
  return glint::RunCommandLine(argc, argv, kCommands);
}
