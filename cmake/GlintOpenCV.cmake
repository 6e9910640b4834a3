# Targets opencv_core, opencv_imgproc, opencv_features2d and opencv_calib3d; for tests and benches,
# which compare our flow with OpenCV's, also opencv_video.
# OpenCV's own package file is used where there is one. Debian keeps it in libopencv-dev, which also
# brings VTK, GDAL and Qt; with only the small -dev packages the libraries are found by name.
set(opencv_modules core imgproc features2d calib3d)
if(GLINT_TESTS OR GLINT_BENCH)
  list(APPEND opencv_modules video)
endif()
find_package(OpenCV 4.5 QUIET COMPONENTS ${opencv_modules})
if(NOT OpenCV_FOUND)
  find_path(GLINT_OPENCV_INCLUDE opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)
  file(STRINGS ${GLINT_OPENCV_INCLUDE}/opencv2/core/version.hpp version_lines
    REGEX "#define CV_VERSION_(MAJOR|MINOR|REVISION)")
  string(REGEX REPLACE "[^0-9;]" "" OpenCV_VERSION "${version_lines}")
  string(REPLACE ";" "." OpenCV_VERSION "${OpenCV_VERSION}")
  # The archives where there are all of them (Debian has them): a program then holds what it uses of
  # OpenCV, and does not load X11, which Debian's libopencv_core.so is linked with for OpenGL.
  set(glint_opencv_kind STATIC)
  foreach(library tbb lapack blas z)
    find_library(GLINT_OPENCV_USES_${library} ${library})
    if(NOT GLINT_OPENCV_USES_${library})
      set(glint_opencv_kind SHARED)
    endif()
  endforeach()
  foreach(module ${opencv_modules} flann)
    find_library(GLINT_OPENCV_${module}_ARCHIVE libopencv_${module}.a)
    find_library(GLINT_OPENCV_${module} opencv_${module} REQUIRED)
    if(NOT GLINT_OPENCV_${module}_ARCHIVE)
      set(glint_opencv_kind SHARED)
    endif()
  endforeach()
  foreach(module ${opencv_modules} flann)
    if(glint_opencv_kind STREQUAL "STATIC")
      set(GLINT_OPENCV_${module} ${GLINT_OPENCV_${module}_ARCHIVE})
    endif()
    if(NOT TARGET opencv_${module})
      add_library(opencv_${module} ${glint_opencv_kind} IMPORTED)
      set_target_properties(opencv_${module} PROPERTIES
        IMPORTED_LOCATION ${GLINT_OPENCV_${module}}
        INTERFACE_INCLUDE_DIRECTORIES ${GLINT_OPENCV_INCLUDE})
    endif()
  endforeach()
  if(glint_opencv_kind STREQUAL "STATIC")
    # It names three functions of OpenGL, which nothing calls that works without a window.
    target_link_options(opencv_core INTERFACE
      -Wl,--defsym=glXGetProcAddressARB=0,--defsym=glXGetCurrentContext=0
      -Wl,--defsym=glXGetCurrentDisplay=0)
    target_link_libraries(opencv_core INTERFACE ${GLINT_OPENCV_USES_tbb} ${GLINT_OPENCV_USES_lapack}
      ${GLINT_OPENCV_USES_blas} ${GLINT_OPENCV_USES_z} ${CMAKE_DL_LIBS} Threads::Threads)
  endif()
  target_link_libraries(opencv_imgproc INTERFACE opencv_core)
  target_link_libraries(opencv_flann INTERFACE opencv_core)
  target_link_libraries(opencv_features2d INTERFACE opencv_flann opencv_imgproc)
  target_link_libraries(opencv_calib3d INTERFACE opencv_features2d)
  if(TARGET opencv_video)
    target_link_libraries(opencv_video INTERFACE opencv_imgproc)
  endif()
endif()
