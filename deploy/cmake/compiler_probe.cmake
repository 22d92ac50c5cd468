# Refuses a compiler that miscompiles coroutines, whatever its name: compiles and runs compiler_probe.cpp once.
if(NOT HEADRACE_COMPILER_PROBED STREQUAL CMAKE_CXX_COMPILER)
  try_run(probe_status probe_compiled
    "${PROJECT_BINARY_DIR}/compiler_probe" "${PROJECT_SOURCE_DIR}/deploy/cmake/compiler_probe.cpp"
    CMAKE_FLAGS "-DCMAKE_CXX_STANDARD=20" "-DCMAKE_CXX_STANDARD_REQUIRED=ON" "-DCMAKE_BUILD_TYPE=Release"
    COMPILE_OUTPUT_VARIABLE probe_messages RUN_OUTPUT_VARIABLE probe_output)
  if(NOT probe_compiled)
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER} does not compile C++20 coroutines:\n${probe_messages}")
  elseif(NOT probe_status EQUAL 0)
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER} (${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}) miscompiles coroutines"
      " (exit status ${probe_status}; cases: ${probe_output}): it destroys temporaries around co_await twice."
      " Use clang 18 or newer (deploy/install-packages installs it), for example -DCMAKE_CXX_COMPILER=clang++-19.")
  endif()
  set(HEADRACE_COMPILER_PROBED "${CMAKE_CXX_COMPILER}" CACHE INTERNAL "the compiler that passed the coroutine probe")
endif()
