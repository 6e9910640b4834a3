// SPDX-License-Identifier: Apache-2.0
#pragma once

/// In front of functions that the CPU and CUDA kernels share.
#ifdef __CUDACC__
#define GLINT_HOST_DEVICE __host__ __device__
#else
#define GLINT_HOST_DEVICE
#endif
