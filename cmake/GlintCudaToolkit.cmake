# What the nvcc in CMAKE_CUDA_COMPILER can do. (tests/scripts/cuda_toolkit_test.cmake)

# glint_find_cuda_host_compiler(<out>): sets <out> to a compiler here that nvcc works with (as `-ccbin`), the build's
# own if possible, or to "default" where nvcc finds one by itself; empty when there is none.
function(glint_find_cuda_host_compiler out)
  set(source ${CMAKE_BINARY_DIR}/CMakeFiles/host_compiler.cu)
  file(WRITE ${source} "#include <cmath>\n__global__ void Probe(float* x) { *x = std::sqrt(*x); }\n")
  set(${out} "" PARENT_SCOPE)
  set(candidates ${CMAKE_CXX_COMPILER})
  foreach(version 15 14 13 12 11 10 9)
    find_program(found g++-${version} NO_CACHE)
    if(found)
      list(APPEND candidates ${found})
    endif()
    unset(found)
  endforeach()
  foreach(candidate IN LISTS candidates ITEMS default)
    set(flag -ccbin ${candidate})
    if(candidate STREQUAL "default")
      set(flag "")
    endif()
    execute_process(
      COMMAND ${CMAKE_CUDA_COMPILER} -std=c++17 ${flag} -arch=compute_80 -c -o ${source}.o ${source}
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(${out} ${candidate} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# glint_choose_cuda_architectures(): sets, of what nvcc knows, GLINT_CUDA_SMS (code) and GLINT_CUDA_PTX, from which
# drivers make code for newer GPUs.
function(glint_choose_cuda_architectures)
  set(sms ${GLINT_CUDA_ARCHITECTURES})
  if(NOT sms)
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known)
    foreach(sm 75 80 86 89 90 100 120)
      if(known MATCHES "compute_${sm}[ \n]")
        list(APPEND sms ${sm})
      endif()
    endforeach()
  endif()
  list(GET sms -1 ptx)
  if(90 IN_LIST sms)
    set(ptx 90)
  endif()
  set(GLINT_CUDA_SMS ${sms} PARENT_SCOPE)
  set(GLINT_CUDA_PTX ${ptx} PARENT_SCOPE)
endfunction()

# glint_say_why_no_cuda(<out>): sets <out> to why CMake found no CUDA compiler. An nvcc calls its ptxas by name, and so
# one that is not the first on the PATH may call another toolkit's.
function(glint_say_why_no_cuda out)
  find_program(nvcc nvcc NO_CACHE)
  if(DEFINED ENV{CUDACXX})
    set(nvcc $ENV{CUDACXX})
  endif()
  if(nvcc)
    get_filename_component(folder ${nvcc} DIRECTORY)
    set(${out} "${nvcc} compiles no program here (CMakeFiles/CMakeError.log); where another CUDA comes first on the PATH, \
put ${folder} before it" PARENT_SCOPE)
  else()
    set(${out} "no nvcc is on the PATH, in CUDACXX or in /usr/local/cuda (scripts/setup.sh --cuda installs one)"
      PARENT_SCOPE)
  endif()
endfunction()
