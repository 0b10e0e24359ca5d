# The targets for sources that nvcc compiles; `find_package(snack COMPONENTS cuda)` and -DSNACK_CUDA=ON read
# this, nobody else looks for CUDA.
#   snack::cuda      the headers of snack.cuh
#   snack::cublas    and cuBLAS
#   snack::cusparse  and cuSPARSE, for the headers in backends/ that say so
# The CUDA runtime is the one that the user's target links anyway (CUDA_RUNTIME_LIBRARY). Architectures and
# warnings are the user's as well; C++20 is an option, since CMake 3.25 does not know it for nvcc.

# snack_cuda_scope is GLOBAL in a source tree, where the targets are for folders above it too.

if(TARGET snack::cuda)
  return()
endif()

find_package(CUDAToolkit 12.2 QUIET ${snack_cuda_scope})
if(CUDAToolkit_FOUND)
  add_library(snack::cuda INTERFACE IMPORTED ${snack_cuda_scope})
  target_link_libraries(snack::cuda INTERFACE snack::snack)
  target_include_directories(snack::cuda SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
  target_compile_options(snack::cuda INTERFACE $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c++20>)
  foreach(library cublas cusparse)
    if(TARGET CUDA::${library})
      add_library(snack::${library} INTERFACE IMPORTED ${snack_cuda_scope})
      target_link_libraries(snack::${library} INTERFACE snack::cuda CUDA::${library})
    endif()
  endforeach()
endif()
