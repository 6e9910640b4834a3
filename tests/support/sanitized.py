"""Whether the programs under test carry a sanitizer (CMake's GLINT_SANITIZE): memory is then the sanitizer's, all takes 5
to 20 times as long, and nothing may be loaded before it."""
import os

SANITIZED = bool(os.environ.get("GLINT_SANITIZE"))


def patience(seconds):
    """@return how long to wait for what takes less than `seconds` without a sanitizer"""
    return seconds * 10 if SANITIZED else seconds
