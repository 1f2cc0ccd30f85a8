# GLASSGRAD_CUDA: AUTO builds the kernels for GPUs if nvcc is found, ON insists on it, OFF builds for the CPU alone,
# EMULATED compiles them as C++ for a GPU that is none (tests/cuda/emulated).
set(GLASSGRAD_CUDA AUTO CACHE STRING "Kernels for GPUs: AUTO, ON, OFF or EMULATED")
set_property(CACHE GLASSGRAD_CUDA PROPERTY STRINGS AUTO ON OFF EMULATED)
set(GLASSGRAD_CUDA_ARCHITECTURES "80-real;90a-real;90-virtual" CACHE STRING "The GPUs that they are compiled for")

option(GLASSGRAD_CUDA_QUICK "Compile them in a fraction of the time, slow to run: for tests" OFF)

if(EMSCRIPTEN OR GLASSGRAD_CUDA STREQUAL "OFF")
  set(GLASSGRAD_WITH_CUDA OFF)
elseif(GLASSGRAD_CUDA STREQUAL "EMULATED")
  set(GLASSGRAD_WITH_CUDA EMULATED)
elseif(GLASSGRAD_CUDA MATCHES "^(AUTO|ON)$")
  find_program(GLASSGRAD_NVCC nvcc HINTS $ENV{CUDACXX} PATHS $ENV{CUDA_PATH} /usr/local/cuda PATH_SUFFIXES bin
               DOC "CUDA's compiler")
  if(GLASSGRAD_NVCC)
    set(CMAKE_CUDA_ARCHITECTURES ${GLASSGRAD_CUDA_ARCHITECTURES})
    set(CMAKE_CUDA_COMPILER ${GLASSGRAD_NVCC})
    enable_language(CUDA)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25 does not know that nvcc has C++20
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    find_package(CUDAToolkit REQUIRED)
    set(GLASSGRAD_WITH_CUDA ON)
  elseif(GLASSGRAD_CUDA STREQUAL "ON")
    message(FATAL_ERROR "GLASSGRAD_CUDA=ON, but there is no nvcc: install the CUDA Toolkit, or say where it is with "
                        "-DGLASSGRAD_NVCC=PATH")
  else()
    set(GLASSGRAD_WITH_CUDA OFF)
  endif()
else()
  message(FATAL_ERROR "GLASSGRAD_CUDA is AUTO, ON, OFF or EMULATED, not ${GLASSGRAD_CUDA}")
endif()
message(STATUS "Kernels for GPUs: ${GLASSGRAD_WITH_CUDA}")
