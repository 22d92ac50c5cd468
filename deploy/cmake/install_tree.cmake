# `cmake --install build --prefix DIR` makes bin/ and lib/: the programs, and beside them each package's shared library that
# is not part of every system, found through RPATH $ORIGIN/../lib. Such a tree made on Debian 12 also runs on newer ones.
include(GNUInstallDirs)
install(TARGETS headrace headrace-load
  RUNTIME_DEPENDENCY_SET headrace_shared_libraries
  RUNTIME DESTINATION bin)
install(RUNTIME_DEPENDENCY_SET headrace_shared_libraries
  PRE_EXCLUDE_REGEXES "^ld-linux" "^libc\\.so" "^libm\\.so" "^libdl" "^libpthread" "^librt" "^libgcc_s" "^libstdc\\+\\+"
  POST_EXCLUDE_REGEXES "/ld-linux" "/libc\\.so" "/libm\\.so" "/libgcc_s" "/libstdc\\+\\+"
  LIBRARY DESTINATION lib)
install(DIRECTORY deploy/models DESTINATION share/headrace)
