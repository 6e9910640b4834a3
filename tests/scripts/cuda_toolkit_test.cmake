# What is found out about an nvcc, of stand-ins for nvcc.
#   cmake -D CMAKE_MODULE_PATH=<cmake/> -D CMAKE_CXX_COMPILER=<a compiler> -P cuda_toolkit_test.cmake
cmake_minimum_required(VERSION 3.25)
include(GlintCudaToolkit)
set(folder ${CMAKE_BINARY_DIR}/CMakeFiles)
set(CMAKE_CUDA_COMPILER ${folder}/fake_nvcc)

# make_nvcc(<shell commands>): an nvcc that does these.
function(make_nvcc commands)
  file(WRITE ${CMAKE_CUDA_COMPILER} "#!/bin/sh\n${commands}\n")
  file(CHMOD ${CMAKE_CUDA_COMPILER} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

# expect(<what> <actual> <expected>)
function(expect what actual expected)
  if(NOT actual STREQUAL expected)
    message(SEND_ERROR "${what}: '${actual}' instead of '${expected}'")
  endif()
endfunction()

make_nvcc("exit 0")
glint_find_cuda_host_compiler(host)
expect("an nvcc that works with the build's own compiler" "${host}" "${CMAKE_CXX_COMPILER}")

make_nvcc("case \"$*\" in *-ccbin*) exit 1;; esac")
glint_find_cuda_host_compiler(host)
expect("an nvcc that knows best itself" "${host}" "default")

make_nvcc("exit 1")
glint_find_cuda_host_compiler(host)
expect("an nvcc that works with nothing here" "${host}" "")

file(WRITE ${folder}/bin/g++-11 "#!/bin/sh\n")
file(CHMOD ${folder}/bin/g++-11 PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(ENV{PATH} "${folder}/bin:$ENV{PATH}")
make_nvcc("case \"$*\" in *'-ccbin ${folder}/bin/g++-11 '*) exit 0;; esac; exit 1")
glint_find_cuda_host_compiler(host)
expect("an nvcc that needs an older compiler" "${host}" "${folder}/bin/g++-11")

make_nvcc("printf 'compute_70\\ncompute_75\\ncompute_80\\ncompute_86\\ncompute_87\\ncompute_89\\ncompute_90\\n'")
glint_choose_cuda_architectures()
expect("GPUs that CUDA 11.8 knows" "${GLINT_CUDA_SMS} ${GLINT_CUDA_PTX}" "75;80;86;89;90 90")

make_nvcc("printf 'compute_75\\ncompute_80\\ncompute_86\\ncompute_89\\ncompute_90\\ncompute_100\\ncompute_120\\n'")
glint_choose_cuda_architectures()
expect("GPUs that CUDA 13 knows" "${GLINT_CUDA_SMS} ${GLINT_CUDA_PTX}" "75;80;86;89;90;100;120 90")

set(GLINT_CUDA_ARCHITECTURES 75 86)
glint_choose_cuda_architectures()
expect("GPUs that were asked for" "${GLINT_CUDA_SMS} ${GLINT_CUDA_PTX}" "75;86 86")

set(ENV{CUDACXX} /opt/cuda/bin/nvcc)
glint_say_why_no_cuda(why)
expect("an nvcc that compiles nothing" "${why}" "/opt/cuda/bin/nvcc compiles no program here (CMakeFiles/CMakeError.log); \
where another CUDA comes first on the PATH, put /opt/cuda/bin before it")

unset(ENV{CUDACXX})
set(ENV{PATH} ${folder}/bin)
glint_say_why_no_cuda(why)
expect("no nvcc" "${why}"
  "no nvcc is on the PATH, in CUDACXX or in /usr/local/cuda (scripts/setup.sh --cuda installs one)")
