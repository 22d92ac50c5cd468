// A profiler for tests: the library that NVTX_INJECTION64_PATH names. It writes what it is told into the file that
// HEADRACE_TEST_NVTX_RECORD names, one line a word from the program, fields between tabs:
//   domain NAME · push DOMAIN THREAD MESSAGE · pop DOMAIN THREAD
// THREAD counts the threads that pushed or popped, from 0. tests/gpu/cuda/nvtx_record.hpp reads the file.

#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <mutex>
#include <string>

/// What the program holds a handle of.
struct nvtxDomainRegistration_st {
  std::string name;
};

namespace {

using Domain = nvtxDomainRegistration_st;

class Recorder {
 public:
  explicit Recorder(const char* path) : file_(path) {}

  bool is_open() const { return file_.is_open(); }

  Domain* create(const char* name) {
    const std::lock_guard lock(mutex_);
    write("domain\t" + std::string(name));
    return &domains_.emplace_back(Domain{name});
  }
  void push(const Domain& domain, const std::string& message) {
    const std::lock_guard lock(mutex_);
    write("push\t" + domain.name + '\t' + thread() + '\t' + message);
  }
  void pop(const Domain& domain) {
    const std::lock_guard lock(mutex_);
    write("pop\t" + domain.name + '\t' + thread());
  }

 private:
  static std::string thread() {
    static std::atomic<int> threads{0};
    thread_local const int number = threads++;
    return std::to_string(number);
  }
  void write(const std::string& line) { file_ << line << std::endl; }  // kept, however the process ends

  std::mutex mutex_;
  std::ofstream file_;
  std::deque<Domain> domains_;
};

Recorder* recorder = nullptr;

int& level_in(const Domain* domain) {
  thread_local std::map<const Domain*, int> levels;
  return levels[domain];
}

nvtxDomainHandle_t NVTX_API domain_create(const char* name) { return recorder->create(name); }

int NVTX_API range_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  const bool readable = event->version == NVTX_VERSION && event->size == NVTX_EVENT_ATTRIB_STRUCT_SIZE &&
                        event->messageType == NVTX_MESSAGE_TYPE_ASCII;
  recorder->push(*domain, readable ? event->message.ascii : "a message of another kind");
  return level_in(domain)++;
}

int NVTX_API range_pop(nvtxDomainHandle_t domain) {
  recorder->pop(*domain);
  return --level_in(domain);
}

template <class Function>
void take_over(NvtxFunctionTable table, NvtxCallbackIdCore2 id, Function* function) {
  *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

extern "C" NVTX_DYNAMIC_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table) {
  const char* const path = std::getenv("HEADRACE_TEST_NVTX_RECORD");
  if (path == nullptr) return 0;
  static Recorder here(path);
  if (!here.is_open()) return 0;
  recorder = &here;
  const auto* const callbacks = static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) return 0;
  if (size <= NVTX_CBID_CORE2_DomainCreateA) return 0;
  take_over(table, NVTX_CBID_CORE2_DomainCreateA, domain_create);
  take_over(table, NVTX_CBID_CORE2_DomainRangePushEx, range_push);
  take_over(table, NVTX_CBID_CORE2_DomainRangePop, range_pop);
  return 1;
}
