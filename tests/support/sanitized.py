"""Whether the programs under test carry a sanitizer (CMake's GLINT_SANITIZE): memory is then the sanitizer's, all takes 5
to 20 times as long, and nothing may be loaded before it."""
import os

SANITIZED = bool(os.environ.get("GLINT_SANITIZE"))
