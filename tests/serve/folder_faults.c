// SPDX-License-Identifier: Apache-2.0
// A network file system that fails when it is told to, for store_faults.py: preloaded, it watches the calls that
// change the folder GLINT_FAULT_ROOT. The file GLINT_FAULT_PLAN says "PHASE NTH SECONDS ERRNO": at the NTH call of
// PHASE, all calls begin to fail with ERRNO for so long; ERRNO 0 kills the process, -1 stops it. Then PLAN.fired exists.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char plan_read[128];
static int calls;
static double healed;
static int error_now;

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int OpenRaw(const char* path, int flags) {
  static int (*real)(const char*, int, ...);
  if (!real) real = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  return real(path, flags | O_CLOEXEC, 0600);
}

/// The phase of the plan, or "" where there is none; resets what a new plan begins anew.
static void ReadPlan(char* phase, int* nth, double* seconds, int* number) {
  const char* file = getenv("GLINT_FAULT_PLAN");
  char text[128] = "";
  const int plan = file ? OpenRaw(file, O_RDONLY) : -1;
  phase[0] = 0;
  if (plan < 0) return;
  if (read(plan, text, sizeof text - 1) < 0) text[0] = 0;
  close(plan);
  if (strcmp(text, plan_read) != 0) {
    strcpy(plan_read, text);
    char fired[512];
    snprintf(fired, sizeof fired, "%s.fired", file);
    calls = access(fired, F_OK) == 0 ? 1 << 30 : 0;  // it was another process's
    healed = 0;
  }
  sscanf(text, "%31s %d %lf %d", phase, nth, seconds, number);
}

/// 0, or what the call fails with.
static int Fault(const char* path, const char* phase) {
  const char* root = getenv("GLINT_FAULT_ROOT");
  if (!root || !path || strncmp(path, root, strlen(root)) != 0) return 0;
  char wanted[32];
  int nth = 0;
  int number = 0;
  double seconds = 0;
  pthread_mutex_lock(&lock);
  ReadPlan(wanted, &nth, &seconds, &number);
  int result = 0;
  if (healed > 0) {
    result = Now() < healed ? error_now : 0;
  } else if (strcmp(wanted, phase) == 0 && ++calls == nth) {
    char fired[512];
    snprintf(fired, sizeof fired, "%s.fired", getenv("GLINT_FAULT_PLAN"));
    const int mark = OpenRaw(fired, O_WRONLY | O_CREAT);
    close(mark);
    healed = Now() + seconds;
    error_now = result = number > 0 ? number : 0;
    if (number == 0) kill(getpid(), SIGKILL);
    if (number < 0) kill(getpid(), SIGSTOP);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL_IF(path, phase)              \
  do {                                    \
    const int fault = Fault(path, phase); \
    if (fault) {                          \
      errno = fault;                      \
      return -1;                          \
    }                                     \
  } while (0)

static const char* PhaseOf(int flags) {
  return (flags & O_CREAT) ? "staging" : (flags & O_DIRECTORY) ? "sync" : "before";
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, int) : 0;
  va_end(rest);
  FAIL_IF(path, PhaseOf(flags));
  return REAL(open)(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, int) : 0;
  va_end(rest);
  FAIL_IF(path, PhaseOf(flags));
  return REAL(open64)(path, flags, mode);
}
int stat(const char* path, struct stat* into) {
  FAIL_IF(path, "before");
  return REAL(stat)(path, into);
}
int mkdir(const char* path, mode_t mode) {
  FAIL_IF(path, "list");
  return REAL(mkdir)(path, mode);
}
int rename(const char* from, const char* to) {
  FAIL_IF(to, "last");
  return REAL(rename)(from, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  FAIL_IF(to, "last");
  return REAL(renameat2)(from_folder, from, to_folder, to, flags);
}
