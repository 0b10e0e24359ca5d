# Checks that a source does not compile and that the compiler says why, in the words promised:
# every `// expect: TEXT` line of the source must be found in the output.
#   cmake -DCOMPILER=g++ -DSOURCE=file.cpp -DINCLUDE=include -P cmake/compile_fail.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(
  COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I ${INCLUDE} ${SOURCE}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
file(STRINGS ${SOURCE} expectations REGEX "^// expect: ")
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, but must not")
endif()
if(expectations STREQUAL "")
  message(FATAL_ERROR "${SOURCE} has no line `// expect: TEXT`")
endif()
foreach(line IN LISTS expectations)
  string(REPLACE "// expect: " "" text "${line}")
  string(FIND "${output}" "${text}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "${SOURCE}: the compiler does not say \"${text}\":\n${output}")
  endif()
endforeach()
