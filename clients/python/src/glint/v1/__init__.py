# SPDX-License-Identifier: Apache-2.0
"""The messages and stubs of proto/glint/v1, made by generate.py."""
