// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace glint::sandbox {

/// Gives up, for this thread and all that it will start, opening any file, folder or device but
/// these and what lies in them (Landlock, Linux 5.13). What is open stays open. Needs "no new
/// privileges". Those that do not exist are left out.
/// @param readable  files and folders to read
/// @param usable    devices, and folders of files, to read and write
/// @return the system's reason why it cannot be, or ""
std::string LimitFiles(const std::vector<std::string>& readable,
                       const std::vector<std::string>& usable);

/// Where a GPU's driver and the libraries that it loads lie, and the folders of LD_LIBRARY_PATH.
std::vector<std::string> DriverFiles();
/// The devices through which it reaches its GPUs.
std::vector<std::string> DriverDevices();

}  // namespace glint::sandbox
