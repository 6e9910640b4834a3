// SPDX-License-Identifier: Apache-2.0
// Every number that decides what the `photometric` detector marks, a struct per step.
#pragma once

#include "analyse/photometric/evidence/energy_normalisation.h"
#include "analyse/photometric/evidence/noise_fit.h"
#include "analyse/photometric/lines/folds.h"
#include "analyse/photometric/lines/line_visibility.h"
#include "analyse/photometric/lines/line_width.h"
#include "analyse/photometric/outline/outline_params.h"
#include "analyse/photometric/outline/worn_corners.h"
#include "analyse/photometric/scene/glare.h"
#include "analyse/photometric/scene/light.h"
#include "analyse/photometric/scene/occluder_params.h"
#include "analyse/photometric/searches/line_params.h"
#include "analyse/photometric/searches/static_lines.h"
#include "analyse/photometric/searches/wide_folds.h"
#include "base/params.h"
#include "glint/photometric_stages.h"

namespace glint {

/// Of all steps of DetectPhotometric, in their order. The defaults are what scans use.
struct PhotometricParams {
  GLINT_PARAM(photometric::OutlineParams, outline);
  GLINT_PARAM(photometric::WornCornerParams, worn_corners);
  GLINT_PARAM(photometric::OccluderParams, occluders);
  GLINT_PARAM(photometric::InpaintingParams, inpainting);
  GLINT_PARAM(photometric::ExposureParams, exposure);
  GLINT_PARAM(photometric::GlareParams, glare);
  GLINT_PARAM(ResidualParams, residual);
  GLINT_PARAM(photometric::NoiseParams, noise);
  GLINT_PARAM(LineEvidenceParams, evidence);
  GLINT_PARAM(photometric::EnergyNormalisationParams, energy);
  GLINT_PARAM(RidgeParams, ridge);
  GLINT_PARAM(photometric::LineParams, lines);
  GLINT_PARAM(photometric::LineWidthParams, line_width);
  GLINT_PARAM(photometric::LineVisibilityParams, line_visibility);
  GLINT_PARAM(photometric::FoldParams, folds);
  GLINT_PARAM(photometric::WideFoldParams, wide_folds);
  GLINT_PARAM(photometric::StaticLineParams, static_lines);
};

}  // namespace glint
