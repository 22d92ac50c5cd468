#pragma once
// Is this answer the right one? Its id belongs to its request, it is a whole answer of the protocol, and its values are
// the known ones (--expect) or those of the first answer to the same body (--verify).
//
// Expectations are shared by all threads; an AnswerCheck belongs to one. Checking costs time of the generator: a run
// that checks says how many answers it compared.

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/answer_outputs.hpp"
#include "load/answer_reader.hpp"
#include "load/errors.hpp"
#include "load/model_info.hpp"
#include "load/payload.hpp"
#include "load/rows.hpp"

namespace headrace::load {

/// What answers are compared with. Thread-safe.
class Expectations {
 public:
  /// Of first answers; bodies beyond go unchecked.
  static constexpr std::size_t kept_bytes_max = std::size_t{256} << 20;

  /// Every row of `known` belongs to the input row of the same number; it is the model's first output.
  static Expectations known_rows(ModelInfo model, Rows known, RowRange rows, double tolerance);
  /// Equal bodies give equal answers.
  static Expectations equal_answers(ModelInfo model, std::size_t bodies, double tolerance);

  const ModelInfo& model() const noexcept { return model_; }
  double tolerance() const noexcept { return tolerance_; }
  const std::optional<Rows>& known() const noexcept { return known_; }

  /// The first answer kept for that body; empty while there is none.
  std::span<const std::byte> first_answer(std::size_t body) const noexcept;
  /// Keeps a copy, unless another thread was faster or the bound is reached.
  void keep_first_answer(std::size_t body, std::span<const std::byte> answer);

 private:
  struct Slot {
    std::atomic<bool> claimed{false};
    std::atomic<bool> ready{false};
    std::vector<std::byte> bytes;
  };
  struct Kept {
    explicit Kept(std::size_t bodies) : slots(bodies) {}
    std::vector<Slot> slots;
    std::atomic<std::size_t> bytes{0};
  };

  ModelInfo model_;
  double tolerance_ = 0;
  std::optional<Rows> known_;
  std::unique_ptr<Kept> kept_;
};

class AnswerCheck {
 public:
  struct Finding {
    ErrorKind kind;
    std::string text;
  };

  /// `expectations` outlives the check.
  explicit AnswerCheck(Expectations& expectations) : expectations_(expectations) {}

  struct Given {
    const Body& body;
    std::size_t body_number;
    std::string_view id;
  };
  /// `text` is the answer's body, followed by at least Connection::padding_bytes readable bytes. Nothing when it is
  /// right.
  std::optional<Finding> check(const Given& given, const Answer& answer, std::string_view text);

  /// Answers whose values were compared so far.
  std::uint64_t compared() const noexcept { return compared_; }

 private:
  std::optional<Finding> compare_with_known(const Given& given);
  std::optional<Finding> compare_with_first(const Given& given);

  Expectations& expectations_;
  AnswerOutputs outputs_;
  std::vector<std::byte> joined_;
  std::uint64_t compared_ = 0;
};

}  // namespace headrace::load
