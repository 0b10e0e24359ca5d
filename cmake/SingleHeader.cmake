# The target snack_single_header: snack/snack.hpp and snack/snack.cuh, each with all that it includes joined
# into one file that needs no other. They are made in the build folder, never installed and never edited.

set(snack_single_header_dir ${PROJECT_BINARY_DIR}/single_header)
if(Python3_Interpreter_FOUND)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/snack/*.hpp
    ${PROJECT_SOURCE_DIR}/include/snack/*.cuh)
  foreach(root snack/snack.hpp snack/snack.cuh)
    add_custom_command(OUTPUT ${snack_single_header_dir}/${root}
      COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/amalgamate.py --root ${root}
        ${snack_single_header_dir}/${root}
      DEPENDS ${headers} ${PROJECT_SOURCE_DIR}/tools/amalgamate.py
      COMMENT "Joining the headers into single_header/${root}" VERBATIM)
  endforeach()
  add_custom_target(snack_single_header
    DEPENDS ${snack_single_header_dir}/snack/snack.hpp ${snack_single_header_dir}/snack/snack.cuh)
endif()
