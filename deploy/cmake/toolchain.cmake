# Host code is compiled by clang 18 or newer: g++ 12 destroys some temporaries twice around co_await, without a warning.
# Debian 12 carries clang-19 beside its default, Ubuntu 24.04's default is clang-18. A compiler named by the user is left
# alone; compiler_probe.cmake then says whether it may be used. The oldest good one comes first: it is the one that the
# distribution's headers were made with (clang 19 rejects simdjson 3.6's).
if(NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  find_program(HEADRACE_CLANGXX NAMES clang++-18 clang++-19 clang++-20 clang++-21 clang++)
  if(HEADRACE_CLANGXX)
    set(CMAKE_CXX_COMPILER "${HEADRACE_CLANGXX}")
  endif()
endif()
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(HEADRACE_NVCC NAMES nvcc PATHS /usr/local/cuda/bin)
  if(HEADRACE_NVCC)
    set(CMAKE_CUDA_COMPILER "${HEADRACE_NVCC}")
  endif()
endif()
