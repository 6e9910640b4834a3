// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_model.h"

#include <cstddef>
#include <cstdint>

namespace glint::photometric {
namespace {

/// A question, or a leaf.
struct Node {
  float value;               // of a feature, at most: go left; or what a leaf says
  std::uint8_t feature;      // kLeaf: a leaf
  std::uint8_t left, right;  // nodes from the tree's first one
};

constexpr std::uint8_t kLeaf = 255;

#include "analyse/photometric/lost_ink/dash_model.inc"

}  // namespace

double DashEvidence(const DashFeatures& features) {
  double evidence = kBaseline;
  for (const std::uint16_t root : kRoots) {
    const Node* node = &kNodes[root];
    while (node->feature != kLeaf) {
      const bool is_left = features[node->feature] <= node->value;
      node = &kNodes[root + (is_left ? node->left : node->right)];
    }
    evidence += node->value;
  }
  return evidence;
}

}  // namespace glint::photometric
