// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/thread_pool.h"
#include "glint/photometric_stages.h"

namespace glint {

/// The stages of `photometric` on the host. @param pool  must outlive the stage
std::unique_ptr<AlbedoStage> MakeCpuAlbedo(ThreadPool* pool);
std::unique_ptr<ResidualStage> MakeCpuResidual(ThreadPool* pool);
std::unique_ptr<LineEvidenceStage> MakeCpuLineEvidence(ThreadPool* pool);
std::unique_ptr<RidgeStage> MakeCpuRidge(ThreadPool* pool);

}  // namespace glint
