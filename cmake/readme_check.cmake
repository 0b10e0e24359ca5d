# Takes the first C++ block of README.md, compiles it with all warnings as errors, runs it, and
# compares what it prints.
#   cmake -DCOMPILER=g++ -DWORK_DIR=build -P cmake/readme_check.cmake
cmake_minimum_required(VERSION 3.25)

get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
file(READ ${root}/README.md text)
string(FIND "${text}" "```cpp\n" begin)
string(SUBSTRING "${text}" ${begin} -1 text)
string(SUBSTRING "${text}" 7 -1 text)
string(FIND "${text}" "```" end)
string(SUBSTRING "${text}" 0 ${end} program)
string(REGEX MATCHALL "\n" lines "${program}")
list(LENGTH lines count)
if(count GREATER_EQUAL 20)
  message(FATAL_ERROR "the example of the README has ${count} lines")
endif()
file(WRITE ${WORK_DIR}/readme.cpp "${program}")
execute_process(
  COMMAND ${COMPILER} -std=c++20 -Wall -Wextra -Wconversion -Wshadow -Werror -I ${root}/include
    ${WORK_DIR}/readme.cpp -o ${WORK_DIR}/readme -pthread
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK_DIR}/readme OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "39200 connections, 11760 of them new\n")
  message(FATAL_ERROR "the example of the README prints: ${output}")
endif()
