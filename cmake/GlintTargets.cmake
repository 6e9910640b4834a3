# glint_add_library(<folder> [INTERNAL] [SINGLY] SOURCES <files> [PUBLIC <targets>] [PRIVATE <targets>])
# One static library per folder of src: target glint_<folder>, alias glint::<folder>. INTERNAL ones
# (the service, the program, the tools) are no part of the libglint that is installed; the others share compiled
# headers, which are half of what a small source costs. With GLINT_UNITY up to eight files are compiled
# as one. SINGLY ones never are: their files use one name for many things, or several instruction sets.
function(glint_add_library folder)
  cmake_parse_arguments(ARG "INTERNAL;SINGLY" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(glint_${folder} STATIC ${ARG_SOURCES})
  add_library(glint::${folder} ALIAS glint_${folder})
  set_target_properties(glint_${folder} PROPERTIES EXPORT_NAME ${folder})
  target_compile_features(glint_${folder} PUBLIC cxx_std_20)
  target_include_directories(glint_${folder}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(glint_${folder}
    PUBLIC ${ARG_PUBLIC}
    PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:glint_warnings> $<BUILD_INTERFACE:glint_exact>)
  if(NOT ARG_INTERNAL)  # those are compiled with -pthread, too
    target_precompile_headers(glint_${folder} REUSE_FROM glint_common_headers)
  endif()
  if(GLINT_UNITY AND NOT ARG_SINGLY)
    set_target_properties(glint_${folder} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  if(NOT ARG_INTERNAL)
    set_property(GLOBAL APPEND PROPERTY GLINT_LIBRARIES glint_${folder})
  endif()
endfunction()

# glint_add_test(<name> [SINGLY] SOURCES <files> [APART <files>] [LINK <targets>] [LABELS <labels>]
#                [TIMEOUT <seconds>] [COST <seconds>])
# A GoogleTest program registered with CTest; mirrors the folder of src that it tests. Tests are
# compiled with little optimisation and share GoogleTest's compiled headers, which saves two fifths
# of what they cost to compile; what they test is in the libraries, which are optimised as users get them.
# With GLINT_UNITY up to eight files are compiled as one, which saves half of the rest. APART ones are
# not, because they use a name that another of the SOURCES uses for something else; SINGLY: none is.
# COST is said of tests that take over a minute: they are started first, so that none is left alone at the end.
function(glint_add_test name)
  cmake_parse_arguments(ARG "SINGLY" "TIMEOUT;COST" "APART;SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} glint_test_support glint_warnings glint_exact)
  target_compile_options(${name} PRIVATE -pthread $<$<CONFIG:Release>:-O1>)
  target_precompile_headers(${name} REUSE_FROM glint_test_headers)
  glint_add_sanitizer_options(${name})
  if(GLINT_UNITY AND NOT ARG_SINGLY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(NOT ARG_COST)
    set(ARG_COST 0)
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_COST} LABELS "${ARG_LABELS}"
    SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\] ALL")
  glint_lengthen_sanitized(${name})
endfunction()

# glint_lengthen_sanitized(<test>...)
# Gives tests of this directory ten times their TIMEOUT where programs carry a sanitizer, which makes them 5 to 20
# times as slow; and tells them (tests/support/sanitized.py), so that they wait as much longer.
function(glint_lengthen_sanitized)
  if(NOT GLINT_SANITIZE)
    return()
  endif()
  foreach(test IN LISTS ARGN)
    get_property(seconds TEST ${test} PROPERTY TIMEOUT)
    math(EXPR seconds "10 * ${seconds}")
    set_tests_properties(${test} PROPERTIES TIMEOUT ${seconds})
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT GLINT_SANITIZE=${GLINT_SANITIZE})
  endforeach()
endfunction()

# glint_make_relocatable(<program>)
# Lets a program find its shared libraries in ../lib too, and theirs (scripts/bundle.sh puts them
# there): by DT_RPATH, because its decoder child runs without any environment.
function(glint_make_relocatable program)
  set_target_properties(${program} PROPERTIES BUILD_RPATH "$ORIGIN/../lib")
  target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
endfunction()
