// SPDX-License-Identifier: Apache-2.0
// What speaks for a dash of paper to be lost ink.
#pragma once

#include "analyse/photometric/lost_ink/dash_features.h"

namespace glint::photometric {

/// The natural logarithm of how much likelier lost ink looks so than print does (I. J. Good,
/// Probability and the Weighing of Evidence, 1950): boosted regression trees (J. H. Friedman,
/// "Greedy function approximation: a gradient boosting machine", Annals of Statistics 2001) that
/// bench/lost_ink has fitted to drawn dashes of lost ink and to what looks like them on prints.
double DashEvidence(const DashFeatures& features);

}  // namespace glint::photometric
