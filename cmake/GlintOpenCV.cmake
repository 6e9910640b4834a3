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
  foreach(module ${opencv_modules} flann)
    find_library(GLINT_OPENCV_${module} opencv_${module} REQUIRED)
    if(NOT TARGET opencv_${module})
      add_library(opencv_${module} SHARED IMPORTED)
      set_target_properties(opencv_${module} PROPERTIES
        IMPORTED_LOCATION ${GLINT_OPENCV_${module}}
        INTERFACE_INCLUDE_DIRECTORIES ${GLINT_OPENCV_INCLUDE})
    endif()
  endforeach()
  target_link_libraries(opencv_imgproc INTERFACE opencv_core)
  target_link_libraries(opencv_features2d INTERFACE opencv_imgproc opencv_flann)
  target_link_libraries(opencv_calib3d INTERFACE opencv_features2d)
  if(TARGET opencv_video)
    target_link_libraries(opencv_video INTERFACE opencv_imgproc)
  endif()
endif()
