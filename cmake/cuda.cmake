# Enables CUDA where PERFMODEL_CUDA asks for it and a compiler is found, and sets PERFMODEL_HAS_CUDA.
# Without it everything but live measuring is built.
set(PERFMODEL_HAS_CUDA OFF)
if(NOT PERFMODEL_CUDA)
  return()
endif()

include(CheckLanguage)
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  # The toolkit's own folder is often not on the path. Through the environment, because
  # check_language tries only what is not settled yet: a compiler that does not work with this
  # host compiler counts as none.
  find_program(PERFMODEL_NVCC nvcc PATHS /usr/local/cuda/bin)
  mark_as_advanced(PERFMODEL_NVCC)
  if(PERFMODEL_NVCC)
    set(ENV{CUDACXX} ${PERFMODEL_NVCC})
  endif()
endif()
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(STATUS "No CUDA compiler: kernels are planned and checked, but not built")
  return()
endif()

# Real architectures, never the toolkit's default: the machine-code ledger reads what runs.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code
                  OUTPUT_VARIABLE supported OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" supported "${supported}")
  set(architectures "")
  foreach(architecture 80 86 89 90 100 120)
    if("sm_${architecture}" IN_LIST supported)
      list(APPEND architectures ${architecture}-real)
    endif()
  endforeach()
  set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "CUDA architectures to build for")
endif()

enable_language(CUDA)
# The device code needs no more, and CMake 3.25 knows no C++20 flag for nvcc.
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
find_package(CUDAToolkit REQUIRED)
# Partial toolkits have a compiler without cuBLAS, K0's.
find_path(PERFMODEL_CUBLAS_INCLUDE cublas_v2.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
mark_as_advanced(PERFMODEL_CUBLAS_INCLUDE)
if(NOT PERFMODEL_CUBLAS_INCLUDE)
  message(STATUS "No cuBLAS headers: kernels are planned and checked, but not built")
  return()
endif()
set(PERFMODEL_HAS_CUDA ON)
