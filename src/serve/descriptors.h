// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace glint {

/// Raises this process's soft limit of open files to the hard one, and to 65,536 at most: what
/// walks over all of them should not take long. @return the limit now
int RaiseDescriptorLimit();

/// How many connections fit beside what the worker itself needs: its state, and per scan a
/// decoder's process, a download and an upload. 1,000 at most. @param limit  of open files
int ConnectionsWithin(int limit, int scans);

}  // namespace glint
