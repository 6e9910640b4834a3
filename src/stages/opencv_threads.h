// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace glint {

/// Makes OpenCV work on the calling thread only, for the whole process: the ThreadPool that scans
/// share is the only parallelism, so `--threads` means what it says and scans do not compete with
/// a second pool. Called where a process comes to its backend, whichever it is, since the analysis
/// calls OpenCV on the host beside every backend. Does its work once; safe from any thread.
void KeepOpenCvOnTheCallingThread();

}  // namespace glint
