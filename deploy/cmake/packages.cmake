# Every package of the project, each from the distribution (deploy/install-packages).
set(CMAKE_THREAD_PREFER_PTHREAD ON)
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS headers)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)
find_package(simdjson CONFIG REQUIRED)
find_package(tl-expected CONFIG REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(ZLIB REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp) # 0.7 names its target plainly
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()

# Asio's templates are compiled with one executor type and without its deprecated names.
add_library(headrace_asio INTERFACE)
target_link_libraries(headrace_asio INTERFACE Boost::headers Threads::Threads)
target_compile_definitions(headrace_asio INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE=16)

# CUDA: AUTO takes nvcc where it is found; ON insists; OFF builds the CPU device only.
set(HEADRACE_CUDA AUTO CACHE STRING "Build the CUDA device: AUTO, ON or OFF")
set_property(CACHE HEADRACE_CUDA PROPERTY STRINGS AUTO ON OFF)
set(HEADRACE_WITH_CUDA OFF)
if(NOT HEADRACE_CUDA STREQUAL "OFF")
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 90-real 90-virtual) # before the language is enabled: 'native' needs a GPU
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(HEADRACE_WITH_CUDA ON)
    message(STATUS "CUDA: compiled in, by ${CMAKE_CUDA_COMPILER}")
  elseif(HEADRACE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "HEADRACE_CUDA=ON, but nvcc was not found: put it on PATH or set CUDACXX")
  else()
    message(STATUS "CUDA: nvcc was not found, so only the CPU device is built")
  endif()
endif()
