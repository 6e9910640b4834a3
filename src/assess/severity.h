// SPDX-License-Identifier: Apache-2.0
// How bad a defect is, in three steps.
#pragma once

#include <string>

#include "glint/assessment.h"
#include "glint/plane.h"

namespace glint {

/// By the rule that SeverityRule() states. @param object  its size in pixels
Severity SeverityOf(const Defect& defect, Size object);

/// The rule in words, for people, with its numbers.
std::string SeverityRule();

}  // namespace glint
