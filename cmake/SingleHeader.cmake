# The target snack_single_header: snack/snack.hpp and all that it includes, joined into one file that
# needs no other. It is made in the build folder, never installed and never edited.

set(snack_single_header_dir ${PROJECT_BINARY_DIR}/single_header)
if(Python3_Interpreter_FOUND)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/snack/*.hpp)
  add_custom_command(OUTPUT ${snack_single_header_dir}/snack/snack.hpp
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/amalgamate.py ${snack_single_header_dir}/snack/snack.hpp
    DEPENDS ${headers} ${PROJECT_SOURCE_DIR}/tools/amalgamate.py
    COMMENT "Joining the headers into single_header/snack/snack.hpp" VERBATIM)
  add_custom_target(snack_single_header DEPENDS ${snack_single_header_dir}/snack/snack.hpp)
endif()
