// SPDX-License-Identifier: Apache-2.0
// The fake Supabase Storage as a program, for tests that are none of C++: prints its URL and a
// service role key, and runs until its standard input ends.
#include <cstdio>

#include "support/fake_supabase.h"

int main() {
  const glint::FakeSupabase supabase(
      {.allowed_types = {"image/png", "application/json", "text/html"}, .keeps_requests = false});
  std::printf("%s %s\n", supabase.url().c_str(), glint::FakeSupabase::kJwtKey);
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}
