# One translation unit per public header: each must compile alone, with all warnings. The preset clang builds them.

file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR}/include CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/include/snack/*.hpp)
if(NOT TARGET nlohmann_json::nlohmann_json)
  list(FILTER headers EXCLUDE REGEX "snack/io/(safetensors|safetensors_header|layer_file|tensor_rows)\\.hpp$")
endif()
foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER ${header} unit)
  set(source ${PROJECT_BINARY_DIR}/header_checks/${unit}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <${header}>\n#include <${header}>\n")
  list(APPEND header_check_sources ${source})
endforeach()
add_library(snack_header_checks OBJECT EXCLUDE_FROM_ALL ${header_check_sources})
target_compile_definitions(snack_header_checks PRIVATE I=_Complex_I)  # as <complex.h> of C does, for C++ too
target_link_libraries(snack_header_checks PRIVATE snack_development
  $<TARGET_NAME_IF_EXISTS:nlohmann_json::nlohmann_json>)
