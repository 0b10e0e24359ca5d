# `cmake --install`: the headers, the target snack::snack for find_package, and snack.pc for pkg-config.
# Nothing in these files names a folder of this machine, so the installed tree can be moved, and
# nothing depends on the architecture: all of it goes below include/ and share/.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/snack)
set(generated ${PROJECT_BINARY_DIR}/package)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN *.hpp PATTERN *.cuh)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/snack)

target_include_directories(snack INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS snack EXPORT snack)
install(EXPORT snack FILE snack-targets.cmake NAMESPACE snack:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/snack-config.cmake.in ${generated}/snack-config.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Below 1.0 a new minor version may break what worked with the last one.
write_basic_package_version_file(${generated}/snack-config-version.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${generated}/snack-config.cmake ${generated}/snack-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/snack-cuda.cmake DESTINATION ${package_dir})

# snack.pc finds the prefix from where it lies itself; distributions that split a package over several
# prefixes give absolute folders, which stay as they are.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig
  OUTPUT_VARIABLE pc_prefix)
set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/snack.pc.in ${generated}/snack.pc @ONLY)
install(FILES ${generated}/snack.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
