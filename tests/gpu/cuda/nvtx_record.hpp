#pragma once
// What a process tells a profiler. A process looks for a profiler once, when it makes its first range, so a test that
// wants one starts itself again:
//
//   TEST(Trace, Names) {
//     if (in_child()) {
//       …make ranges; expectations count here too…
//       return;
//     }
//     const NvtxRecord record = record_this_test();
//     …expectations about the ranges…
//   }

#include <map>
#include <string>
#include <vector>

namespace headrace::support {

struct NvtxRecord {
  int exit_status = -1;  // of the process; 128 + the signal that ended it
  std::vector<std::string> domains;
  /// By thread, counted from 0 by first use: messages in the order in which the ranges began, each indented by two
  /// spaces for every range around it.
  std::map<int, std::vector<std::string>> ranges;
  /// Lines that are none, ranges of unknown domains, ends without a beginning, beginnings without an end.
  std::vector<std::string> faults;
};

/// True in the process that record_this_test() or run_this_test() started.
bool in_child() noexcept;
/// Runs the current test once more, in a process of its own with tests/gpu/cuda/nvtx_recorder as its profiler: the
/// library is at HEADRACE_TEST_NVTX_RECORDER where that is set, else where the build has it.
NvtxRecord record_this_test();
/// The same without a profiler; the exit status.
int run_this_test();

}  // namespace headrace::support
