# Writes OUT: VERSION and a hash of the SOURCES' names (below ROOT) and contents, and of HOW they are
# compiled. Needs no git, and gives the same for the same sources in another place.
set(all "${HOW}")
foreach(source ${SOURCES})
  file(SHA256 ${source} hash)
  file(RELATIVE_PATH name ${ROOT} ${source})
  string(APPEND all "\n${name} ${hash}")
endforeach()
string(SHA256 id "${all}")
string(SUBSTRING ${id} 0 16 id)
file(WRITE ${OUT} "// SPDX-License-Identifier: Apache-2.0
#include \"decode/build_id.h\"

namespace glint {
std::string_view DecodeBuildId() { return \"${VERSION} ${id}\"; }
}  // namespace glint
")
