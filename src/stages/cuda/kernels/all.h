// SPDX-License-Identifier: Apache-2.0
// Every kernel of kernel_list.h.
#pragma once

#include "stages/cuda/kernels/canny.h"
#include "stages/cuda/kernels/classic.h"
#include "stages/cuda/kernels/connected_components.h"
#include "stages/cuda/kernels/copy.h"
#include "stages/cuda/kernels/flow.h"
#include "stages/cuda/kernels/luma_conversion.h"
#include "stages/cuda/kernels/luma_statistics.h"
#include "stages/cuda/kernels/photometric_albedo.h"
#include "stages/cuda/kernels/photometric_lines.h"
#include "stages/cuda/kernels/photometric_residual.h"
#include "stages/cuda/kernels/photometric_ridge.h"
#include "stages/cuda/kernels/self_test.h"
#include "stages/cuda/kernels/sheet_warp.h"
#include "stages/cuda/kernels/van_herk.h"
