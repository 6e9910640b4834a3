// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace glint::sandbox {

/// What a confined process may use.
struct Confinement {
  std::int64_t memory_bytes = 0;  ///< of private memory, thread stacks included
  std::int64_t cpu_s = 0;         ///< seconds of processor time
  int threads = 256;              ///< where the process has a user or a user namespace of its own
};

/// Gives up, for the whole process and for ever, what decoding does not need: new files, processes,
/// sockets, signals to others, executable memory, shared memory of its own making, root's rights,
/// core dumps, more than `limits`. Takes namespaces of its own where the kernel gives them, and is
/// the first to go when the machine's memory is out.
/// The process dies with the thread that started it. Call before anything untrusted is read.
/// @return the protections that this system refused, with its reasons, or ""
std::string Confine(const Confinement& limits);

// The same in two steps, for a process that opens a GPU's driver between them. The driver is code
// that cannot be looked into: it starts threads, opens its devices and libraries, and asks the
// system what it likes. So it is kept from files (LimitFiles), and from what no driver needs. Call
// all three from one thread, before anything untrusted is read.

/// What a process with a driver may still do to the system, once it is confined.
enum class SystemCalls {
  kDecoding,    ///< as Confine: what is not on a short list ends the process
  kWithDriver,  ///< a longer list: open files, talk to devices. What is not on it fails, so that a
                ///< driver that wants more can say that it does not work
};

/// First: everything but the system calls, and files outside of DriverFiles() and DriverDevices().
/// @param no_files  set to why files could not be limited, or "": without that no driver may be
/// opened, and the second step has to be SystemCalls::kDecoding
/// @return as Confine
std::string ConfineForDriver(const Confinement& limits, std::string& no_files);

/// Second, when the driver is open, or has refused. @return as Confine
std::string ConfineSystemCalls(SystemCalls calls);

}  // namespace glint::sandbox
