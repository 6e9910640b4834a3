// SPDX-License-Identifier: Apache-2.0
// The cases that every backend of the table must pass, each against a reference that is written in
// the test or comes from OpenCV. A backend that joins the table is tested without another line.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "glint/backend.h"

namespace glint {

/// Runs each TEST_P(Parity, ...) on each backend of BackendTable(), and on the CUDA backend over a
/// simulated GPU. A backend whose probe fails is skipped with its message; it is a failure for
/// `cpu`, and for all with GLINT_REQUIRE_GPU=1.
class Parity : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;

  Backend& backend() { return *backend_; }
  /// To the backend's device and back; a failure of the test when that fails.
  Plane Upload(const Plane& host);
  Plane Download(const Plane& plane);

 private:
  ThreadPool pool_{2};
  std::unique_ptr<Backend> backend_;
};

/// Sizes at which borders, tails of vectors and bands of rows show mistakes.
std::vector<Size> TrickySizes();

/// A kU8 plane out of rows of '#' (255) and anything else (0).
Plane Drawn(const std::vector<std::string>& rows);

/// A kU8x3 plane of noise, the same for the same seed everywhere.
Plane ColourNoise(Size size, std::uint32_t seed);

/// A kU8 plane of noise blurred until it looks like paper: texture that flow and warps can follow.
Plane Texture(Size size, std::uint32_t seed);

}  // namespace glint
