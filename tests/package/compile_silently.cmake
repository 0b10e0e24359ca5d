# Compiles one unit of a user, optimised and without a single option of ours, and checks that the
# compiler has nothing to say: no warning, and no note of which g++ prints some whatever the warnings.
#   cmake -DCOMPILER=g++ -DINCLUDE=include -DOBJECT=build/double_layer.o -P tests/package/compile_silently.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(
  COMMAND ${COMPILER} -std=c++20 -O2 -I ${INCLUDE} -c ${CMAKE_CURRENT_LIST_DIR}/double_layer.cpp -o ${OBJECT}
  OUTPUT_VARIABLE messages ERROR_VARIABLE messages COMMAND_ERROR_IS_FATAL ANY)
if(NOT messages STREQUAL "")
  message(FATAL_ERROR "the compiler says:\n${messages}")
endif()
