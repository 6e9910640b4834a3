"""Whether the programs under test carry a sanitizer (scripts/sanitize.sh): memory is then the sanitizer's, all takes 5
to 20 times as long, and nothing may be loaded before it."""
import os

SANITIZED = os.environ.get("GLINT_PRESET") in ("asan", "tsan")
