#include "load/answer_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "load/compare.hpp"

namespace headrace::load {

Expectations Expectations::known_rows(ModelInfo model, Rows known, RowRange rows, double tolerance) {
  Expectations expectations;
  expectations.model_ = std::move(model);
  expectations.tolerance_ = tolerance;
  known.allow_windows(rows.max);
  expectations.known_ = std::move(known);
  return expectations;
}

Expectations Expectations::equal_answers(ModelInfo model, std::size_t bodies, double tolerance) {
  Expectations expectations;
  expectations.model_ = std::move(model);
  expectations.tolerance_ = tolerance;
  expectations.kept_ = std::make_unique<Kept>(bodies);
  return expectations;
}

std::span<const std::byte> Expectations::first_answer(std::size_t body) const noexcept {
  const Slot& slot = kept_->slots[body];
  return slot.ready.load(std::memory_order_acquire) ? std::span<const std::byte>(slot.bytes)
                                                    : std::span<const std::byte>();
}

void Expectations::keep_first_answer(std::size_t body, std::span<const std::byte> answer) {
  Slot& slot = kept_->slots[body];
  if (slot.claimed.exchange(true, std::memory_order_relaxed)) return;
  if (kept_->bytes.fetch_add(answer.size(), std::memory_order_relaxed) + answer.size() > kept_bytes_max) return;
  slot.bytes.assign(answer.begin(), answer.end());
  slot.ready.store(true, std::memory_order_release);
}

std::optional<AnswerCheck::Finding> AnswerCheck::check(const Given& given, const Answer& answer,
                                                       std::string_view text) {
  const auto parsed = outputs_.parse(answer, text);
  if (!parsed) return Finding{ErrorKind::protocol, parsed.error()};
  if (outputs_.id() != given.id) {
    return Finding{ErrorKind::wrong_id, fmt::format("id '{}' came, '{}' was sent", outputs_.id(), given.id)};
  }
  const ModelInfo& model = expectations_.model();
  if (outputs_.items().size() != model.outputs.size()) {
    return Finding{ErrorKind::protocol,
                   fmt::format("{} outputs came, the model has {}", outputs_.items().size(), model.outputs.size())};
  }
  for (const AnswerOutput& output : outputs_.items()) {
    if (model.batched && (output.shape.rank() == 0 || output.shape[0] != std::int64_t{given.body.rows})) {
      return Finding{ErrorKind::protocol, fmt::format("output '{}' has shape {} for {} rows", output.name,
                                                      output.shape.to_string(), given.body.rows)};
    }
  }
  return expectations_.known() ? compare_with_known(given) : compare_with_first(given);
}

std::optional<AnswerCheck::Finding> AnswerCheck::compare_with_known(const Given& given) {
  const std::string& name = expectations_.model().outputs.front().name;
  for (const AnswerOutput& output : outputs_.items()) {
    if (output.name != name) continue;
    const Rows& known = *expectations_.known();
    const TensorBytes got{output.datatype, output.bytes};
    const TensorBytes want{known.datatype(), known.window(given.body.first_row % known.count(), given.body.rows)};
    ++compared_;
    if (auto difference = first_difference(got, want, expectations_.tolerance())) {
      return Finding{ErrorKind::verify_mismatch,
                     fmt::format("output '{}', rows from {} on: {}", name, given.body.first_row, *difference)};
    }
    return std::nullopt;
  }
  return Finding{ErrorKind::protocol, fmt::format("output '{}' is missing", name)};
}

std::optional<AnswerCheck::Finding> AnswerCheck::compare_with_first(const Given& given) {
  const auto first = expectations_.first_answer(given.body_number);
  if (first.empty()) {
    joined_.clear();
    for (const AnswerOutput& output : outputs_.items()) {
      joined_.insert(joined_.end(), output.bytes.begin(), output.bytes.end());
    }
    expectations_.keep_first_answer(given.body_number, joined_);
    return std::nullopt;
  }
  ++compared_;
  std::size_t at = 0;
  for (const AnswerOutput& output : outputs_.items()) {
    const std::size_t bytes = std::min(output.bytes.size(), first.size() - at);
    const TensorBytes want{output.datatype, first.subspan(at, bytes)};
    if (auto difference = first_difference({output.datatype, output.bytes}, want, expectations_.tolerance())) {
      return Finding{
          ErrorKind::verify_mismatch,
          fmt::format("output '{}' differs from the first answer to the same request: {}", output.name, *difference)};
    }
    at += bytes;
  }
  return std::nullopt;
}

}  // namespace headrace::load
