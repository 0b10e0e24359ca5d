# Every decision about other people's libraries stands here.
# The library itself needs threads only. Debian's and Ubuntu's packages are looked for first; where
# there is none, a release pinned by hash is fetched.

include(FetchContent)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

if(PROJECT_IS_TOP_LEVEL)
  find_package(Python3 QUIET COMPONENTS Interpreter)  # joins the headers into one; nothing else needs it
endif()
# OpenBLAS is for the dense baselines only, and optional: snack::blas, where it is found, makes them use
# it. FindBLAS knows nothing of the C interface, whose header distributions put in different places.
if(SNACK_BLAS)
  block()
    set(BLA_VENDOR OpenBLAS)
    find_package(BLAS QUIET)
    find_path(SNACK_CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas)
    mark_as_advanced(SNACK_CBLAS_INCLUDE_DIR)
    if(BLAS_FOUND AND SNACK_CBLAS_INCLUDE_DIR)
      add_library(snack_blas INTERFACE)
      add_library(snack::blas ALIAS snack_blas)
      target_compile_definitions(snack_blas INTERFACE SNACK_WITH_BLAS)
      target_include_directories(snack_blas SYSTEM INTERFACE ${SNACK_CBLAS_INCLUDE_DIR})
      target_link_libraries(snack_blas INTERFACE ${BLAS_LIBRARIES})
    else()
      message(STATUS "OpenBLAS with cblas.h not found: the dense baselines use loops of their own")
    endif()
  endblock()
endif()

if(SNACK_BUILD_TESTS)
  find_package(PkgConfig QUIET)  # to test snack.pc; without it that test is left out
  # Debian 12 has Catch2 2.13, everybody else 3; tests/support/catch.hpp takes both.
  find_package(Catch2 QUIET)
  if(NOT Catch2_FOUND)
    FetchContent_Declare(Catch2
      URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.5.4.tar.gz
      URL_HASH SHA256=b7754b711242c167d8f60b890695347f90a1ebc95949a045385114165d606dbb)
    FetchContent_MakeAvailable(Catch2)
    list(APPEND CMAKE_MODULE_PATH ${catch2_SOURCE_DIR}/extras)
  endif()
endif()

if(SNACK_BUILD_EXAMPLES OR SNACK_BUILD_BENCHMARKS)
  find_package(ZLIB REQUIRED)  # the data sets of the examples are gzipped
endif()

if(SNACK_BUILD_TESTS OR SNACK_BUILD_EXAMPLES)
  # For the headers that read safetensors; the library's other headers do without.
  find_package(nlohmann_json QUIET)
  if(NOT nlohmann_json_FOUND)
    set(JSON_SystemInclude ON)
    FetchContent_Declare(nlohmann_json
      URL https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
      URL_HASH SHA256=d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273)
    FetchContent_MakeAvailable(nlohmann_json)
  endif()
endif()

if(SNACK_BUILD_EXAMPLES)
  find_package(CLI11 QUIET)
  if(NOT CLI11_FOUND)
    FetchContent_Declare(CLI11
      URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
      URL_HASH SHA256=f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a)
    FetchContent_MakeAvailable(CLI11)
  endif()
endif()

if(SNACK_BUILD_BENCHMARKS)
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    set(BENCHMARK_ENABLE_TESTING OFF)
    set(BENCHMARK_ENABLE_INSTALL OFF)
    FetchContent_Declare(benchmark
      URL https://github.com/google/benchmark/archive/refs/tags/v1.7.1.tar.gz
      URL_HASH SHA256=6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7)
    FetchContent_MakeAvailable(benchmark)
  endif()
endif()
