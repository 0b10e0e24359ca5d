# Checks that programs compiled for different instruction sets share no host kernel: the linker
# could otherwise put the wide one into a program for a narrow machine. A kernel is what names
# an instruction set, or lies in the namespace of kernels or in a backend that has one.
#   cmake -DNM=nm -DA=program -DB=program -P cmake/isa_symbols.cmake
cmake_minimum_required(VERSION 3.25)

foreach(side A B)
  execute_process(COMMAND ${NM} --demangle ${${side}} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "," symbols "${symbols}")
  string(REGEX REPLACE "\n[0-9a-f ]+ [A-Za-z] " "\n" symbols "\n${symbols}")
  string(REGEX MATCHALL "[^\n]*snack::v0::(isa|kernels|HostBackend|DenseBackend|DenseMaskBackend)[^\n]*"
    kernels_${side} "${symbols}")
  foreach(family HostBackend DenseBackend DenseMaskBackend snack::v0::detail::[^;]*isa::)
    if(NOT "${kernels_${side}}" MATCHES "${family}")
      message(FATAL_ERROR "no ${family} found in ${${side}}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES kernels_${side})
endforeach()
if("${kernels_A}" MATCHES "isa::([A-Za-z0-9]+)")
  set(isa ${CMAKE_MATCH_1})
endif()
if("${kernels_B}" MATCHES "isa::${isa}[^A-Za-z0-9]")
  message(STATUS "both are compiled for ${isa}: nothing to compare")
  return()
endif()
foreach(symbol IN LISTS kernels_A)
  if(symbol IN_LIST kernels_B)
    message(FATAL_ERROR "shared: ${symbol}")
  endif()
endforeach()
