#include "gpu/ops/catalogue.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "gpu/program.hpp"

namespace headrace::gpu {
namespace {

TEST(Catalogue, HasEveryLineOfTheListInItsOrder) {
#define HEADRACE_OPERATOR(name) #name,
  const std::vector<std::string> lines{
#include "gpu/ops/operators.def"
  };
#undef HEADRACE_OPERATOR
  ASSERT_EQ(catalogue().size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(catalogue()[i]->name, lines[i]);
}

TEST(Catalogue, FindsByNameAndKnowsNoOther) {
  for (const Operator* op : catalogue()) EXPECT_EQ(find_operator(op->name), op);
  EXPECT_EQ(find_operator(""), nullptr);
  EXPECT_EQ(find_operator("Affine"), nullptr);
  EXPECT_EQ(find_operator("affine "), nullptr);
}

TEST(Catalogue, EveryEntryIsDocumented) {
  for (const Operator* op : catalogue()) {
    EXPECT_FALSE(op->formula.empty()) << op->name;
    std::set<std::string_view> names;
    for (const ParameterDescription& parameter : op->parameters) {
      EXPECT_FALSE(parameter.name.empty()) << op->name;
      EXPECT_FALSE(parameter.meaning.empty()) << op->name << "." << parameter.name;
      EXPECT_TRUE(names.insert(parameter.name).second) << op->name << "." << parameter.name << " is listed twice";
    }
  }
}

TEST(Catalogue, ExamplesAreOfTheirOperatorAndRepeatWithTheSeed) {
  for (const Operator* op : catalogue()) {
    const auto examples = op->examples(7);
    const auto again = op->examples(7);
    ASSERT_FALSE(examples.empty()) << op->name;
    ASSERT_EQ(examples.size(), again.size());
    for (std::size_t i = 0; i < examples.size(); ++i) {
      EXPECT_EQ(examples[i]->op(), op->name);
      std::vector<double> in(examples[i]->input().row_elements(), 0.5);
      std::vector<double> once(examples[i]->output().row_elements());
      std::vector<double> twice(once.size());
      examples[i]->reference(in, once);
      again[i]->reference(in, twice);
      EXPECT_EQ(once, twice) << op->name;
    }
  }
}

}  // namespace
}  // namespace headrace::gpu
