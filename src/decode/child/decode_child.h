// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace glint {

/// The whole life of a decoder child: confines itself, decodes the video that it was given, and
/// ends when the worker does. Does nothing but that for a process that a worker did not start.
/// @return the exit code of the process
int RunDecodeChild();

namespace sandbox {

/// The two steps of RunDecodeChild(): says to the worker which build this is, and does the rest.
bool GreetWorker();
int ServeWorker();

}  // namespace sandbox

}  // namespace glint
