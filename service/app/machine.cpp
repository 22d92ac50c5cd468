#include "service/app/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

namespace headrace::app {

MachineFacts read_machine() {
  MachineFacts facts;
  facts.cores = std::max(1u, std::thread::hardware_concurrency());
  facts.memory_bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t group = 0;  // "max" leaves it 0
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> group && group != 0) {
    facts.memory_bytes = std::min(facts.memory_bytes, group);
  }
  return facts;
}

}  // namespace headrace::app
