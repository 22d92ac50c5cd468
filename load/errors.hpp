#pragma once
// What went wrong, by kind. Plain counts: one object a thread, merged at the end.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::load {

enum class ErrorKind : std::uint8_t {
  connect,          // no connection to the server
  closed,           // the connection ended before the answer was whole
  timeout,          // no whole answer in time
  protocol,         // what came is not an HTTP answer, or, where answers are checked, not an answer of the protocol
  wrong_id,         // the answer carries another request's id, or none
  verify_mismatch,  // the answer's values are not the expected ones
};

inline constexpr std::array<std::string_view, 6> error_kind_names{"connect",  "closed",   "timeout",
                                                                  "protocol", "wrong_id", "verify_mismatch"};

class Errors {
 public:
  struct Entry {
    std::string name;  // a kind's, or http_429 and so on
    std::uint64_t count = 0;
    std::string example;  // the text of the first one
  };

  /// `text` is kept only for the first error of its kind.
  void count(ErrorKind kind, std::string_view text);
  /// An answer whose status is not 200, with its body.
  void count_status(unsigned status, std::string_view body);
  void merge(const Errors& other);

  std::uint64_t total() const noexcept;
  /// The six kinds always, then the statuses that came, in ascending order.
  std::vector<Entry> entries() const;

 private:
  struct Tally {
    std::uint64_t count = 0;
    std::string example;

    void add(std::uint64_t more, std::string_view text);
  };

  std::array<Tally, error_kind_names.size()> kinds_;
  std::map<unsigned, Tally> statuses_;
};

}  // namespace headrace::load
