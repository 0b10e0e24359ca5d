# What the users' projects have in common: a program of two units with its own warnings as errors, and
# the check that snack brings headers and threads but no flag for the compiler or the linker.

add_executable(consumer ${CMAKE_CURRENT_LIST_DIR}/consumer.cpp ${CMAKE_CURRENT_LIST_DIR}/second_unit.cpp)
target_compile_options(consumer PRIVATE -Wall -Wextra -Wpedantic -Werror)
target_link_libraries(consumer PRIVATE snack::snack)

foreach(property INTERFACE_COMPILE_OPTIONS INTERFACE_COMPILE_DEFINITIONS INTERFACE_LINK_OPTIONS)
  get_target_property(flags snack::snack ${property})
  if(flags)
    message(FATAL_ERROR "${property} leaks to users: ${flags}")
  endif()
endforeach()
