#pragma once
// Reads one HTTP/1.1 answer out of a growing buffer. Pure: the caller owns the buffer and does the reading.
//
// Content-Length, chunked and (without either) everything up to the connection's end are accepted; interim 1xx answers
// are skipped. A chunked body is joined in place. Nothing is allocated. It is strict where a wrong answer would go
// unnoticed: a length that is no number, two lengths that differ, bytes behind the answer, a head above head_bytes_max.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace headrace::load {

inline constexpr std::size_t head_bytes_max = std::size_t{64} << 10;
inline constexpr std::size_t answer_bytes_max = std::size_t{1} << 30;

struct Answer {
  static constexpr std::size_t no_json_length = std::numeric_limits<std::size_t>::max();

  unsigned status = 0;
  bool keep_alive = true;
  std::size_t body_offset = 0;  // in the caller's buffer
  std::size_t body_bytes = 0;
  std::size_t json_bytes = no_json_length;  // Inference-Header-Content-Length
};

class AnswerReader {
 public:
  enum class State : std::uint8_t { more, done, bad };

  /// Ready for the next answer, at the buffer's beginning.
  void reset() noexcept { *this = AnswerReader(); }

  /// `buffer` holds everything received for this answer so far; its bytes may be moved within it and `buffer_bytes`
  /// shrinks then. After `done` nothing may follow the answer; after `bad`, `fault()` says why.
  State advance(char* buffer, std::size_t& buffer_bytes) noexcept;

  /// The connection's sending side ended: done if the answer was to end so, else bad.
  State finish() noexcept;

  /// Bytes that the buffer must be able to hold for this answer, as far as it is known; 0 while it is not.
  std::size_t bytes_wanted() const noexcept { return bytes_wanted_; }
  const Answer& answer() const noexcept { return answer_; }
  std::string_view fault() const noexcept { return fault_; }

 private:
  enum class Phase : std::uint8_t {
    head,
    sized_body,
    body_to_the_end,
    chunk_size,
    chunk_data,
    chunk_end,
    trailer,
    over
  };

  State read_head(std::string_view head) noexcept;
  State read_field(std::string_view name, std::string_view value) noexcept;
  State read_chunks(char* buffer, std::size_t& buffer_bytes) noexcept;
  State bad(std::string_view why) noexcept;

  Answer answer_;
  Phase phase_ = Phase::head;
  bool chunked_ = false;
  bool sized_ = false;
  std::size_t scanned_ = 0;  // head: bytes in which its end was searched; chunks: bytes already taken
  std::size_t chunk_left_ = 0;
  std::size_t bytes_wanted_ = 0;
  std::string_view fault_;
};

}  // namespace headrace::load
