// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "glint/stages.h"

namespace glint {

std::unique_ptr<ConnectedComponentsStage> MakeCpuConnectedComponents();

}  // namespace glint
