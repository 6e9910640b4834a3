// SPDX-License-Identifier: Apache-2.0
// Every number that decides what the `photometric` detector marks, a struct per step.
#pragma once

#include "analyse/photometric/energy_normalisation.h"
#include "analyse/photometric/folds.h"
#include "analyse/photometric/glare.h"
#include "analyse/photometric/light.h"
#include "analyse/photometric/line_params.h"
#include "analyse/photometric/line_visibility.h"
#include "analyse/photometric/line_width.h"
#include "analyse/photometric/noise_fit.h"
#include "analyse/photometric/occluder_params.h"
#include "analyse/photometric/outline_params.h"
#include "analyse/photometric/static_lines.h"
#include "analyse/photometric/worn_corners.h"
#include "base/params.h"
#include "glint/photometric_stages.h"

namespace glint {

/// Of all steps of DetectPhotometric, in their order. The defaults are what scans use.
struct PhotometricParams {
  photometric::OutlineParams outline;
  photometric::WornCornerParams worn_corners;
  photometric::OccluderParams occluders;
  photometric::InpaintingParams inpainting;
  photometric::ExposureParams exposure;
  photometric::GlareParams glare;
  ResidualParams residual;
  photometric::NoiseParams noise;
  LineEvidenceParams evidence;
  photometric::EnergyNormalisationParams energy;
  RidgeParams ridge;
  photometric::LineParams lines;
  photometric::LineWidthParams line_width;
  photometric::LineVisibilityParams line_visibility;
  photometric::FoldParams folds;
  photometric::StaticLineParams static_lines;

  GLINT_PARAMS(self, visit) {
    visit("outline", self.outline);
    visit("worn_corners", self.worn_corners);
    visit("occluders", self.occluders);
    visit("inpainting", self.inpainting);
    visit("exposure", self.exposure);
    visit("glare", self.glare);
    visit("residual", self.residual);
    visit("noise", self.noise);
    visit("evidence", self.evidence);
    visit("energy", self.energy);
    visit("ridge", self.ridge);
    visit("lines", self.lines);
    visit("line_width", self.line_width);
    visit("line_visibility", self.line_visibility);
    visit("folds", self.folds);
    visit("static_lines", self.static_lines);
  }
};

}  // namespace glint
