# Language level, warnings, sanitizers and the floating-point rules that every target shares.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# A program loads the libraries that it uses, not those that its libraries were linked with.
add_link_options(-Wl,--as-needed)

# Results are the same bytes on every build: no contraction into FMA, no value-changing maths.
add_library(glint_exact INTERFACE)
target_compile_options(glint_exact INTERFACE -ffp-contract=off -fno-fast-math)

add_library(glint_warnings INTERFACE)
target_compile_options(glint_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wswitch-enum -Wnon-virtual-dtor -Woverloaded-virtual
  -Wno-missing-field-initializers  # designated initialisers leave the rest at their defaults
  $<$<BOOL:${GLINT_WERROR}>:-Werror>)

if(GLINT_SANITIZE)
  add_compile_options(-fsanitize=${GLINT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${GLINT_SANITIZE})
  # In the program, not in its environment: the decoder's process and some tests run without any.
  file(READ ${PROJECT_SOURCE_DIR}/scripts/tsan.supp GLINT_TSAN_SUPPRESSIONS)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS scripts/tsan.supp)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/sanitizer_options.cc.in sanitizer_options.cc @ONLY)
  add_library(glint_sanitizer_options OBJECT ${PROJECT_BINARY_DIR}/sanitizer_options.cc)
  # Called before the sanitizer has begun.
  target_compile_options(glint_sanitizer_options PRIVATE -fno-sanitize=all)
endif()

# glint_add_sanitizer_options(<program>): what a sanitizer is asked for, in builds that carry one.
function(glint_add_sanitizer_options program)
  if(GLINT_SANITIZE)
    target_link_libraries(${program} PRIVATE glint_sanitizer_options)
  endif()
endfunction()
