// SPDX-License-Identifier: Apache-2.0
// glint-decode: the only program that holds FFmpeg. It reads one video for a worker, confined.
#include "decode/child/decode_child.h"

int main() { return glint::RunDecodeChild(); }
