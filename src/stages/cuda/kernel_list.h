// SPDX-License-Identifier: Apache-2.0
// Every kernel, once: KERNEL(Name) stands for the struct NameKernel. The numbers of kernels, their
// launchers (launch/*.cu, a list each) and the table of the host that runs them in tests come from
// here.
#pragma once

#define GLINT_MEASURE_KERNELS(KERNEL) \
  KERNEL(SelfTest)                    \
  KERNEL(Copy)                        \
  KERNEL(LumaConversion)              \
  KERNEL(LumaStatistics)

#define GLINT_FLOW_KERNELS(KERNEL) \
  KERNEL(ReduceLevel)              \
  KERNEL(ExpandPolynomials)        \
  KERNEL(IterateFlow)

#define GLINT_CLASSIC_KERNELS(KERNEL) \
  KERNEL(CannyClasses)                \
  KERNEL(CannyJoin)                   \
  KERNEL(CannyReach)                  \
  KERNEL(CannyWrite)                  \
  KERNEL(FindRuns)                    \
  KERNEL(JoinRuns)                    \
  KERNEL(CountComponents)             \
  KERNEL(SumCounts)                   \
  KERNEL(NumberComponents)            \
  KERNEL(WriteComponents)             \
  KERNEL(MorphologyPass)              \
  KERNEL(VanHerk)                     \
  KERNEL(Difference)                  \
  KERNEL(Warp)                        \
  KERNEL(SheetWarp)                   \
  KERNEL(Detail)                      \
  KERNEL(FusionMaxima)                \
  KERNEL(FusionScore)                 \
  KERNEL(ScoreSums)                   \
  KERNEL(ScoreMask)

#define GLINT_PHOTOMETRIC_KERNELS(KERNEL) \
  KERNEL(SmoothViews)                     \
  KERNEL(MedianOfViews)                   \
  KERNEL(AlbedoDerivatives)               \
  KERNEL(MaxFilter)                       \
  KERNEL(PrepareModel)                    \
  KERNEL(FitViews)                        \
  KERNEL(RemoveToneCurve)                 \
  KERNEL(StoreResiduals)                  \
  KERNEL(NoiseScale)                      \
  KERNEL(NormaliseResiduals)              \
  KERNEL(AccumulateGroups)                \
  KERNEL(ScaleGroupSums)                  \
  KERNEL(SmoothGroups)                    \
  KERNEL(LineFilter)                      \
  KERNEL(SuppressNonMaxima)

#define GLINT_KERNELS(KERNEL)   \
  GLINT_MEASURE_KERNELS(KERNEL) \
  GLINT_FLOW_KERNELS(KERNEL)    \
  GLINT_CLASSIC_KERNELS(KERNEL) \
  GLINT_PHOTOMETRIC_KERNELS(KERNEL)
