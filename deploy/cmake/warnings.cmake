# Flags for our own code. Packages are included as SYSTEM and stay silent.
add_library(headrace_flags INTERFACE)
target_compile_options(headrace_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wsign-conversion;-Wshadow;-Werror>")
target_include_directories(headrace_flags INTERFACE "${PROJECT_SOURCE_DIR}")

set(HEADRACE_SANITIZE "" CACHE STRING "Sanitizers for all targets: empty, 'address,undefined' or 'thread'")
if(HEADRACE_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${HEADRACE_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  add_link_options("-fsanitize=${HEADRACE_SANITIZE}")
  if(HEADRACE_SANITIZE MATCHES "undefined")
    # clang's function-type check cannot be represented in coroutine frames.
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=function>")
  endif()
endif()

# headrace_library(NAME SOURCES a.cpp … [PUBLIC lib …] [PRIVATE lib …]): a static library with our flags.
function(headrace_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE headrace_flags ${ARG_PRIVATE})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
endfunction()

# headrace_test(NAME SOURCES a.cpp … [LIBS lib …] [LABEL unit|e2e|gpu|tidy] [TIMEOUT seconds]):
# one GoogleTest program, listed in ctest as one test.
function(headrace_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;LIBS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE headrace_flags ${ARG_LIBS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE HEADRACE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" HEADRACE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
  if(ARG_LABEL STREQUAL gpu)
    # Where there is no GPU each case skips with its reason: then the program counts as skipped, never as passed.
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
  endif()
endfunction()
