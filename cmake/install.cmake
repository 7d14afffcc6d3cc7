# cmake --install, and what find_package(stretto) needs afterwards.

include(CMakePackageConfigHelpers)

install(TARGETS stretto EXPORT stretto_targets)
if(TARGET stretto_command)
  install(TARGETS stretto_command)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/stretto" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

set(stretto_package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/stretto")
install(EXPORT stretto_targets NAMESPACE stretto:: FILE stretto-targets.cmake DESTINATION "${stretto_package_folder}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/stretto-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/stretto-config.cmake" INSTALL_DESTINATION "${stretto_package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/stretto-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/stretto-config.cmake" "${PROJECT_BINARY_DIR}/stretto-config-version.cmake"
        DESTINATION "${stretto_package_folder}")
