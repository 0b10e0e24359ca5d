# What the users' projects for nvcc have in common: a program with warnings as errors, and the check that
# snack::cuda brings the language level and nothing else for the compiler or the linker.

add_executable(consumer ${CMAKE_CURRENT_LIST_DIR}/consumer.cu)
target_compile_options(consumer PRIVATE -Werror=all-warnings)
target_link_libraries(consumer PRIVATE snack::cuda)

get_target_property(options snack::cuda INTERFACE_COMPILE_OPTIONS)
if(NOT options STREQUAL "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c++20>")
  message(FATAL_ERROR "options leak to users: ${options}")
endif()
foreach(property INTERFACE_COMPILE_DEFINITIONS INTERFACE_LINK_OPTIONS)
  get_target_property(flags snack::cuda ${property})
  if(flags)
    message(FATAL_ERROR "${property} leaks to users: ${flags}")
  endif()
endforeach()
