// SPDX-License-Identifier: Apache-2.0
// Nothing of its own: the target glint_common_headers exists for its compiled headers.
