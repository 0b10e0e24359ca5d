# Checks that a program of Catch2 lists at least one case.
#   cmake -DPROGRAM=program -P cmake/lists_cases.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} --list-tests OUTPUT_VARIABLE cases ERROR_VARIABLE words)
if(NOT cases MATCHES "[1-9][0-9]* (matching )?test cases?")
  message(FATAL_ERROR "${PROGRAM} lists no cases: ${words}")
endif()
