# Makes what users start from, in WORK_DIR: snack in `installed`, again in `moved`, which had another
# name when it was installed, and its sources in `snack.tar.gz`.
#   cmake -DWORK_DIR=build -DCOMPILER=g++ -DGENERATOR="Unix Makefiles" -P tests/package/prepare.cmake
cmake_minimum_required(VERSION 3.25)

get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${root} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} -S ${root} -B ${WORK_DIR}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
  -DSNACK_BUILD_TESTS=OFF -DSNACK_BUILD_EXAMPLES=OFF)
run(${CMAKE_COMMAND} --install ${WORK_DIR}/build --prefix ${WORK_DIR}/installed)
run(${CMAKE_COMMAND} --install ${WORK_DIR}/build --prefix ${WORK_DIR}/unmoved)
file(RENAME ${WORK_DIR}/unmoved ${WORK_DIR}/moved)
run(${CMAKE_COMMAND} -E tar czf ${WORK_DIR}/snack.tar.gz -- CMakeLists.txt LICENSE cmake include)

file(GLOB_RECURSE headers RELATIVE ${root}/include ${root}/include/*)
file(GLOB_RECURSE installed_headers RELATIVE ${WORK_DIR}/installed/include ${WORK_DIR}/installed/include/*)
if(NOT headers STREQUAL installed_headers)
  message(FATAL_ERROR "these headers are installed: ${installed_headers}\nand these are there: ${headers}")
endif()
file(GLOB_RECURSE installed_files ${WORK_DIR}/installed/*)
foreach(file IN LISTS installed_files)
  file(READ ${file} text)
  string(FIND "${text}" "${root}" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${file} names ${root}: it cannot be moved to another machine")
  endif()
endforeach()
