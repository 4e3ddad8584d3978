# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` leaves behind, so that find_package(octavo) works from another project.
include(CMakePackageConfigHelpers)
install(TARGETS octavo EXPORT octavo_targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp)
get_property(modules GLOBAL PROPERTY OCTAVO_MODULES)
install(TARGETS ${modules} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp)  # loaded by octavo: nobody links with it
install(TARGETS octavo-server RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/octavo COMPONENT cpp)
install(DIRECTORY include/octavo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT cpp)
install(EXPORT octavo_targets NAMESPACE octavo:: FILE octavo_targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/octavo COMPONENT cpp)
configure_package_config_file(cmake/octavo-config.cmake.in octavo-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/octavo)
write_basic_package_version_file(octavo-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/octavo-functions.cmake ${PROJECT_BINARY_DIR}/octavo-config.cmake ${PROJECT_BINARY_DIR}/octavo-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/octavo COMPONENT cpp)
