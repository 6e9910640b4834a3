# Sourced by the scripts that build, from the top of the tree: compilers run through ccache, where there is one.
# What is compiled in one build folder is then found again for another (build/ci, build/cuda-11.8): their paths count
# from the folder itself.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}  # or it caches nothing with compiled headers
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
fi
