// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace glint {

/// The threads that all CPU work of a process shares; to callers an opaque thing to keep and pass.
class ThreadPool;

/// Starts the threads; they end with the pool.
/// @param threads  how many threads work at most, the caller's included, >= 1
std::shared_ptr<ThreadPool> MakeThreadPool(int threads);

}  // namespace glint
