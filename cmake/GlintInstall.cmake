# `cmake --install` gives the program, the libraries, the public headers and find_package(glint).
include(CMakePackageConfigHelpers)

add_library(glint_glint INTERFACE)
add_library(glint::glint ALIAS glint_glint)
set_target_properties(glint_glint PROPERTIES EXPORT_NAME glint)
target_link_libraries(glint_glint INTERFACE glint_scan)

get_property(glint_libraries GLOBAL PROPERTY GLINT_LIBRARIES)
install(TARGETS ${glint_libraries} glint_glint EXPORT glintTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/glint)
# What those need who only use it is the component `program`: cmake --install BUILD --component program.
install(TARGETS glint_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS glint_decoder EXPORT glintTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/glint COMPONENT program)
if(TARGET glint_written)
  set(written ${PROJECT_BINARY_DIR}/src/cli/written)
  set(share ${CMAKE_INSTALL_DATAROOTDIR})
  install(FILES ${written}/man/glint.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${written}/bash/glint DESTINATION ${share}/bash-completion/completions COMPONENT program)
  install(FILES ${written}/zsh/_glint DESTINATION ${share}/zsh/vendor-completions COMPONENT program)
  install(FILES ${written}/fish/glint.fish DESTINATION ${share}/fish/vendor_completions.d COMPONENT program)
endif()
install(DIRECTORY include/glint DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT glintTargets NAMESPACE glint:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/glint)
configure_package_config_file(cmake/glintConfig.cmake.in glintConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/glint)
write_basic_package_version_file(glintConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/glintConfig.cmake
              cmake/GlintOpenCV.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/glintConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/glint)
