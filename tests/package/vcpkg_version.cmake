# Checks that the manifest of the vcpkg port is JSON and has the version of the headers.
#   cmake -DVERSION=0.1.0 -P tests/package/vcpkg_version.cmake
cmake_minimum_required(VERSION 3.25)

set(manifest ${CMAKE_CURRENT_LIST_DIR}/../../packaging/vcpkg/ports/snack/vcpkg.json)
file(READ ${manifest} text)
string(JSON version GET "${text}" version-semver)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "${manifest} has version ${version}, the headers have ${VERSION}")
endif()
