// SPDX-License-Identifier: Apache-2.0
// Every number that decides what a scan marks, in one place.
#pragma once

#include <absl/status/status.h>

#include <string>
#include <vector>

#include "analyse/advice.h"
#include "analyse/classic.h"
#include "analyse/frame_selection.h"
#include "analyse/judgeable.h"
#include "analyse/locate.h"
#include "analyse/photometric/params.h"
#include "analyse/reference/compare.h"
#include "analyse/regions.h"
#include "analyse/register.h"
#include "analyse/sheet_alignment.h"
#include "analyse/track.h"
#include "base/params.h"

namespace glint {

/// The parameters of a scan's analysis, by step. The defaults are what glint is tested with; other
/// values are for its developers (`glint eval --set`). docs/parameters.md lists them all.
struct AnalysisParams {
  SelectionParams selection;
  LocationParams location;
  RegistrationParams registration;
  TrackingParams tracking;
  SheetParams sheet;
  PhotometricParams photometric;  ///< their paths have no prefix: lines.weak_energy_medians
  ClassicParams classic;
  RegionParams regions;
  ReferenceParams reference;
  JudgeableParams judgeable;
  AdviceParams advice;

  /// Errors: INVALID_OPTION a value is out of its range
  absl::Status Check() const { return CheckParams(*this); }

  template <class Self, class Visitor>
  static void VisitParams(Self& self, Visitor&& visit) {
    visit("selection", self.selection);
    visit("location", self.location);
    visit("registration", self.registration);
    visit("tracking", self.tracking);
    visit("sheet", self.sheet);
    glint::VisitParams(self.photometric, visit);
    visit("classic", self.classic);
    visit("regions", self.regions);
    visit("reference", self.reference);
    visit("judgeable", self.judgeable);
    visit("advice", self.advice);
  }
};

/// A parameter that has another value than by default.
struct ChangedParam {
  std::string path;
  double value = 0;
  double default_value = 0;
};

/// Those of `params`, in the order of its list.
std::vector<ChangedParam> ChangedParams(const AnalysisParams& params);

}  // namespace glint
