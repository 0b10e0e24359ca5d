# Compiles the two units of the user's program with one plain call of the compiler and runs it. FLAGS
# say where the headers are; with PKG_CONFIG and PKG_CONFIG_PATH, snack.pc says it.
#   cmake -DCOMPILER=g++ -DFLAGS="-I include -pthread" -DPROGRAM=build/bare -P tests/package/compile_and_run.cmake
cmake_minimum_required(VERSION 3.25)

if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${PKG_CONFIG_PATH})
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs snack OUTPUT_VARIABLE FLAGS COMMAND_ERROR_IS_FATAL ANY)
endif()
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
execute_process(
  COMMAND ${COMPILER} -std=c++20 -Wall -Wextra -Wpedantic -Werror
    ${CMAKE_CURRENT_LIST_DIR}/consumer.cpp ${CMAKE_CURRENT_LIST_DIR}/second_unit.cpp -o ${PROGRAM} ${flags}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
