#pragma once
// Reductions on the CPU, in independent lanes: without them each step would wait for the one before. A reduction has
//   Value                     what is carried on
//   neutral(), combine(a, b)  in any order
// and a reducing operator adds lift(x), what one element counts for.

#include <array>
#include <cstddef>
#include <limits>

namespace headrace::gpu {

/// `lift(x[i])` of all elements combined.
template <class Reduction, class Lift>
typename Reduction::Value reduce(const float* x, std::size_t width, const Lift lift) noexcept {
  constexpr std::size_t lanes = 8;
  std::array<typename Reduction::Value, lanes> partial;
  partial.fill(Reduction::neutral());
  std::size_t i = 0;
  for (; i + lanes <= width; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      partial[lane] = Reduction::combine(partial[lane], lift(x[i + lane]));
    }
  }
  for (; i < width; ++i) partial[0] = Reduction::combine(partial[0], lift(x[i]));
  auto total = partial[0];
  for (std::size_t lane = 1; lane < lanes; ++lane) total = Reduction::combine(total, partial[lane]);
  return total;
}

struct Addition {
  using Value = double;
  static Value neutral() noexcept { return 0; }
  static Value combine(Value a, Value b) noexcept { return a + b; }
};

struct Largest {
  using Value = float;
  static Value neutral() noexcept { return -std::numeric_limits<float>::infinity(); }
  static Value combine(Value a, Value b) noexcept { return a < b ? b : a; }  // passes NaN by
};

inline double mean_of(const float* x, std::size_t width) noexcept {
  const auto lift = [](float value) { return static_cast<double>(value); };
  return reduce<Addition>(x, width, lift) / static_cast<double>(width);
}

/// Σ(x − centre)².
inline double squares_around(double centre, const float* x, std::size_t width) noexcept {
  return reduce<Addition>(x, width, [centre](float value) {
    const double distance = static_cast<double>(value) - centre;
    return distance * distance;
  });
}

}  // namespace headrace::gpu
