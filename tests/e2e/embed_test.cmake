# Installs glint, builds examples/embed against it as a user would, and runs it.
# cmake -D BUILD=<glint's build> -D SOURCE=<embed> -D WORK=<folder> -D FLAGS=<compiler flags>
#       -D OBJECTS=<linked to it> -D GENERATOR=<generator> -D BUILD_TYPE=<type>
#       -D COMPILER=<C++ compiler> -P embed_test.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/glint)
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/build
  -DCMAKE_PREFIX_PATH=${WORK}/glint -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS}
  -DCMAKE_EXE_LINKER_FLAGS=${OBJECTS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
set(ENV{GLINT_ENCODER} ${BUILD}/src/cli/glint-encode)  # which is not installed
run(${WORK}/glint/bin/glint synth --kind card --size 320x240 --frames 20 --name clip --out ${WORK})
run(${WORK}/build/embed ${WORK}/clip.mp4 ${WORK}/result)
if(NOT out MATCHES "20 frames, [1-9]")
  message(FATAL_ERROR "embed said: ${out}")
endif()
foreach(name report.json report.html mask.png)
  if(NOT EXISTS ${WORK}/result/${name})
    message(FATAL_ERROR "embed left no ${name}")
  endif()
endforeach()
file(REMOVE_RECURSE ${WORK})
