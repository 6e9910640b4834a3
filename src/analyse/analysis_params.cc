// SPDX-License-Identifier: Apache-2.0
#include "analyse/analysis_params.h"

namespace glint {

std::vector<ChangedParam> ChangedParams(const AnalysisParams& params) {
  const AnalysisParams defaults;
  const std::vector<ParamField> before = ParamFields(defaults);
  const std::vector<ParamField> now = ParamFields(params);
  std::vector<ChangedParam> changed;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].value == before[i].value) continue;
    changed.push_back({now[i].path, now[i].value, before[i].value});
  }
  return changed;
}

}  // namespace glint
