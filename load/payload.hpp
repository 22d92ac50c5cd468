#pragma once
// The requests of a run, prepared before it starts: nothing is encoded or copied while the clock runs.
//
// A bounded set of bodies is used in turn by all threads (read-only). Each takes the next rows of the input, so that
// the set covers the input in turn as far as the bounds allow. Where answers are checked, a request carries an id of
// fixed length, which its sender puts between `head` and `tail`; tensors are sent from the row table itself.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "load/model_info.hpp"
#include "load/result.hpp"
#include "load/rows.hpp"

namespace headrace::load {

inline constexpr std::size_t request_id_bytes = 16;

enum class Format : std::uint8_t { binary, json };

struct RowRange {
  std::uint32_t min = 1;
  std::uint32_t max = 1;
};

struct Body {
  std::string head;                               // HTTP head, and the JSON up to the id (all of it without ids)
  std::string tail;                               // the JSON behind the id
  std::vector<std::span<const std::byte>> blobs;  // views into Payload's rows
  std::uint32_t rows = 1;
  std::size_t first_row = 0;  // in the input
};

struct PayloadPlan {
  std::string path;       // of the POST
  std::string authority;  // Host
  Format format = Format::binary;
  RowRange rows;
  bool with_id = false;
  std::uint64_t seed = 1;
  std::size_t bodies_max = 65'536;
};

class Payload {
 public:
  static constexpr std::size_t bodies_min = 64;                          // also when fewer hold the whole input
  static constexpr std::size_t text_bytes_max = std::size_t{256} << 20;  // prepared text of all bodies

  /// `inputs`: one table for each input of the model, in its order, of equal row counts.
  static Payload prepare(const PayloadPlan& plan, const ModelInfo& model, std::vector<Rows> inputs);
  /// One body of `bytes` fixed bytes, POSTed to plan.path: for measuring transports.
  static Payload raw(const PayloadPlan& plan, std::size_t bytes);

  std::span<const Body> bodies() const noexcept { return bodies_; }
  bool with_id() const noexcept { return with_id_; }
  /// Rows of the input that some body holds.
  std::size_t rows_covered() const noexcept { return rows_covered_; }

 private:
  std::vector<Rows> inputs_;
  std::vector<Body> bodies_;
  bool with_id_ = false;
  std::size_t rows_covered_ = 0;
};

/// Random rows for every input of the model: enough for the largest request, bounded to 64 MiB an input above that.
std::vector<Rows> random_inputs(const ModelInfo& model, RowRange rows, std::uint64_t seed);

}  // namespace headrace::load
