#include "service/models/model_yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "service/models/yaml_document.hpp"

namespace headrace::models {
namespace {

std::string fault_of(std::string_view yaml) {
  const auto parsed = parse_model_yaml(yaml);
  return parsed ? "" : parsed.error();
}

// A good model.yaml with one line replaced.
std::string with(std::string_view key, std::string_view line) {
  std::string text;
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"version", "version: 3"},
      {"inputs", "inputs: [{name: x, datatype: FP32, shape: [2]}]"},
      {"steps", "steps: [{op: affine, scale: 2, shift: -0.5}]"},
      {"outputs", "outputs: [{name: y}]"},
      {"batching", "batching: {max_batch_size: 8, max_queue_delay_us: 5, max_queue_size: 9, timeout_us: 7}"}};
  for (const auto& [name, good] : lines) text.append(name == key ? line : std::string_view(good)).append("\n");
  if (key.empty()) text += line;
  return text;
}

TEST(ModelYaml, GoodModel) {
  const auto model = parse_model_yaml(with("", "weights: parts/w.safetensors"));
  ASSERT_TRUE(model) << model.error();
  EXPECT_EQ(model->version, "3");
  ASSERT_EQ(model->inputs.size(), 1U);
  EXPECT_EQ(model->inputs[0].name, "x");
  EXPECT_EQ(model->inputs[0].type.to_string(), "FP32[2]");
  ASSERT_EQ(model->steps.size(), 1U);
  EXPECT_EQ(model->steps[0].op, "affine");
  ASSERT_EQ(model->steps[0].parameters.size(), 2U);
  for (const auto& [name, value] : model->steps[0].parameters) {
    EXPECT_EQ(std::get<double>(value), name == "scale" ? 2.0 : -0.5);
  }
  EXPECT_THAT(model->output_names, ::testing::ElementsAre("y"));
  EXPECT_EQ(model->weights, "parts/w.safetensors");
  EXPECT_EQ(model->batching.max_batch_size, 8U);
  EXPECT_EQ(model->batching.max_queue_delay_us, 5U);
  EXPECT_EQ(model->batching.max_queue_size, 9U);
  EXPECT_EQ(model->batching.timeout_us, 7U);
}

TEST(ModelYaml, DefaultsOfWhatIsOptional) {
  const auto model = parse_model_yaml(
      "inputs: [{name: x, datatype: BF16, shape: []}]\nsteps: [{op: linear, weight: w}]\noutputs: [{name: y}]");
  ASSERT_TRUE(model) << model.error();
  EXPECT_EQ(model->version, "1");
  EXPECT_EQ(model->inputs[0].type.row_elements(), 1U);
  EXPECT_EQ(model->weights, "");
  EXPECT_EQ(model->batching.max_batch_size, 4096U);
  EXPECT_EQ(model->batching.max_queue_delay_us, 0U);
  EXPECT_EQ(model->batching.max_queue_size, 8192U);
  EXPECT_EQ(model->batching.timeout_us, 0U);
  ASSERT_EQ(model->steps[0].parameters.size(), 1U);
  EXPECT_EQ(std::get<WeightName>(model->steps[0].parameters[0].second).name, "w");
}

TEST(ModelYaml, QuotedTextAndAnchorsWork) {
  EXPECT_EQ(fault_of(with("version", "version: \"12\"")), "");
  EXPECT_EQ(fault_of(with("steps", "steps: [&a {op: relu}, *a, *a]")), "");
  EXPECT_EQ(fault_of(with("inputs", "inputs: [{name: 'größe', datatype: FP32, shape: [2]}]")), "");
}

struct Case {
  std::string yaml;
  std::string message;
};

void expect_faults(const std::vector<Case>& cases) {
  for (const Case& broken : cases) EXPECT_EQ(fault_of(broken.yaml), broken.message) << broken.yaml.substr(0, 400);
}

TEST(ModelYaml, DocumentFaults) {
  expect_faults({
      {"", "expected a mapping of keys, got an empty file"},
      {"# nothing but a comment", "expected a mapping of keys, got an empty file"},
      {"---\n", "expected a mapping of keys, got nothing"},
      {"digits", "expected a mapping of keys, got 'digits'"},
      {"[1, 2]", "expected a mapping of keys, got a list of 2"},
      {"a: 1\n---\nb: 2\n", "line 2, column 1: expected the end of the one YAML document, got more"},
      {std::string(yaml_bytes_max + 1, ' '), "expected at most 262144 bytes, got 262145"},
      {"? [a, b]\n: 1", "expected keys that are text, got a list of 2"},
  });
}

// The words after "got:" are the YAML library's, and so is the column.
TEST(ModelYaml, SyntaxFaultsNameTheLine) {
  const auto at_line = [](int line) {
    return ::testing::MatchesRegex("line " + std::to_string(line) + ", column [0-9]+: expected YAML, got: .+");
  };
  EXPECT_THAT(fault_of("steps:\n  - {op: affine, scale: 2\noutputs: 1\n"), at_line(3));
  EXPECT_THAT(fault_of("steps: *unknown"), at_line(1));
  EXPECT_THAT(fault_of("a: 'b\n\nc: d"), at_line(3));
  EXPECT_THAT(fault_of("version: 1\n\tsteps: 2"), at_line(2));
}

TEST(ModelYaml, UnknownKeysAtEveryLevel) {
  expect_faults({
      {with("", "wieghts: w"),
       "wieghts: unknown key; did you mean 'weights'? (known: version, inputs, steps, outputs, weights, batching)"},
      {with("", "\"a\\x1bb\": w"), "a\\x1bb: unknown key (known: version, inputs, steps, outputs, weights, batching)"},
      {with("", "<<: {version: 2}"), "<<: unknown key (known: version, inputs, steps, outputs, weights, batching)"},
      {with("inputs", "inputs: [{name: x, dtype: FP32, shape: [2]}]"),
       "inputs[0].dtype: unknown key; did you mean 'datatype'? (known: name, datatype, shape)"},
      {with("outputs", "outputs: [{name: y, datatype: FP32}]"), "outputs[0].datatype: unknown key (known: name)"},
      {with("steps", "steps: [{op: affine, scal: 2}]"),
       "steps[0].scal: unknown key; did you mean 'scale'? (known: op, scale, shift)"},
      {with("steps", "steps: [{op: relu, scale: 2}]"), "steps[0].scale: unknown key (known: op)"},
      {with("batching", "batching: {max_batch: 2}"),
       "batching.max_batch: unknown key; did you mean 'max_batch_size'? (known: max_batch_size, max_queue_delay_us, "
       "max_queue_size, timeout_us)"},
  });
}

TEST(ModelYaml, KeysGivenTwice) {
  expect_faults({
      {with("", "version: 4"), "version: expected once, got twice"},
      {with("steps", "steps: [{op: affine, scale: 2, scale: 3}]"), "steps[0].scale: expected once, got twice"},
      {with("steps", "steps: [{op: affine, op: relu}]"), "steps[0].op: expected once, got twice"},
  });
}

TEST(ModelYaml, VersionFaults) {
  expect_faults({
      {with("version", "version: 1.0"), "version: expected 1 to 18 digits, got '1.0'"},
      {with("version", "version: v2"), "version: expected 1 to 18 digits, got 'v2'"},
      {with("version", "version: -1"), "version: expected 1 to 18 digits, got '-1'"},
      {with("version", "version: ''"), "version: expected 1 to 18 digits, got ''"},
      {with("version", "version:"), "version: expected 1 to 18 digits, got nothing"},
      {with("version", "version: [1]"), "version: expected 1 to 18 digits, got a list of 1"},
      {with("version", "version: 1234567890123456789"), "version: expected 1 to 18 digits, got '1234567890123456789'"},
  });
}

TEST(ModelYaml, InputAndOutputFaults) {
  const auto input = [](std::string_view body) { return with("inputs", "inputs: [{" + std::string(body) + "}]"); };
  const std::string datatypes =
      "BOOL, UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64, FP16, BF16, FP32, FP64";
  const std::string name = "expected a name of 1 to 255 bytes of UTF-8 without control characters, got ";
  expect_faults({
      {with("inputs", ""), "inputs: expected a list of exactly 1, got no such key"},
      {with("inputs", "inputs: []"), "inputs: expected a list of exactly 1, got an empty list"},
      {with("inputs", "inputs: x"), "inputs: expected a list of exactly 1, got 'x'"},
      {with("inputs", "inputs: {name: x}"), "inputs: expected a list of exactly 1, got a mapping of keys"},
      {with("inputs", "inputs: [x]"), "inputs[0]: expected a mapping of keys, got 'x'"},
      {with("inputs", "inputs: [{name: a}, {name: b}]"), "inputs: expected a list of exactly 1, got a list of 2"},
      {input("datatype: FP32, shape: [2]"), "inputs[0].name: expected a name, got no such key"},
      {input("name: [], datatype: FP32, shape: [2]"), "inputs[0].name: expected a name, got an empty list"},
      {input("name: , datatype: FP32, shape: [2]"), "inputs[0].name: expected a name, got nothing"},
      {input("name: '', datatype: FP32, shape: [2]"), "inputs[0].name: " + name + "''"},
      {input("name: \"a\\nb\", datatype: FP32, shape: [2]"), "inputs[0].name: " + name + "'a\\x0ab'"},
      {input("name: " + std::string(256, 'n') + ", datatype: FP32, shape: [2]"),
       "inputs[0].name: " + name + "'" + std::string(80, 'n') + "…'"},
      {input("name: x, shape: [2]"), "inputs[0].datatype: expected a datatype, got no such key"},
      {input("name: x, datatype: fp32, shape: [2]"),
       "inputs[0].datatype: unknown datatype 'fp32'; did you mean 'FP32'? (known: " + datatypes + ")"},
      {input("name: x, datatype: float, shape: [2]"),
       "inputs[0].datatype: unknown datatype 'float' (known: " + datatypes + ")"},
      {input("name: x, datatype: BYTES, shape: [2]"),
       "inputs[0].datatype: expected a datatype of fixed size, got 'BYTES'"},
      {input("name: x, datatype: FP32"), "inputs[0].shape: expected a list of 0 to 15, got no such key"},
      {input("name: x, datatype: FP32, shape: 2"), "inputs[0].shape: expected a list of 0 to 15, got '2'"},
      {input("name: x, datatype: FP32, shape: [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"),
       "inputs[0].shape: expected a list of 0 to 15, got a list of 16"},
      {input("name: x, datatype: FP32, shape: [-1]"),
       "inputs[0].shape[0]: expected a whole number from 1 to 1073741824, got '-1'"},
      {input("name: x, datatype: FP32, shape: [2, 0]"),
       "inputs[0].shape[1]: expected a whole number from 1 to 1073741824, got '0'"},
      {input("name: x, datatype: FP32, shape: [2.5]"),
       "inputs[0].shape[0]: expected a whole number from 1 to 1073741824, got '2.5'"},
      {input("name: x, datatype: FP32, shape: ['2']"),
       "inputs[0].shape[0]: expected a whole number from 1 to 1073741824, got '2'"},
      {input("name: x, datatype: FP32, shape: [99999999999999999999]"),
       "inputs[0].shape[0]: expected a whole number from 1 to 1073741824, got '99999999999999999999'"},
      {input("name: x, datatype: FP64, shape: [1073741824, 1073741824, 1073741824]"),
       "inputs[0].shape: expected a row of at most 1073741824 bytes, got more"},
      {input("name: x, datatype: FP32, shape: [268435457]"),
       "inputs[0].shape: expected a row of at most 1073741824 bytes, got more"},
      {with("outputs", ""), "outputs: expected a list of exactly 1, got no such key"},
      {with("outputs", "outputs: [y]"), "outputs[0]: expected a mapping of keys, got 'y'"},
      {with("outputs", "outputs: [{}]"), "outputs[0].name: expected a name, got no such key"},
      {with("outputs", "outputs: [{name: a}, {name: b}]"), "outputs: expected a list of exactly 1, got a list of 2"},
  });
}

TEST(ModelYaml, StepFaults) {
  const auto step = [](std::string_view body) {
    return with("steps", "steps: [{op: relu}, " + std::string(body) + "]");
  };
  expect_faults({
      {with("steps", ""), "steps: expected a list of 1 to 256, got no such key"},
      {with("steps", "steps: []"), "steps: expected a list of 1 to 256, got an empty list"},
      {step("relu"), "steps[1]: expected a mapping of keys, got 'relu'"},
      {step("{scale: 2}"), "steps[1].op: expected the name of an operator, got no such key"},
      {step("{op: [relu]}"), "steps[1].op: expected the name of an operator, got a list of 1"},
      {step("{op: affine, scale: two}"), "steps[1].scale: expected a finite number, got 'two'"},
      {step("{op: affine, scale: '2'}"), "steps[1].scale: expected a finite number, got '2'"},
      {step("{op: affine, scale: }"), "steps[1].scale: expected a finite number, got nothing"},
      {step("{op: affine, scale: .nan}"), "steps[1].scale: expected a finite number, got '.nan'"},
      {step("{op: affine, scale: nan}"), "steps[1].scale: expected a finite number, got 'nan'"},
      {step("{op: affine, scale: inf}"), "steps[1].scale: expected a finite number, got 'inf'"},
      {step("{op: affine, scale: 1e999}"), "steps[1].scale: expected a finite number, got '1e999'"},
      {step("{op: affine, scale: [2]}"), "steps[1].scale: expected a finite number, got a list of 1"},
      {step("{op: affine, scale: true}"), "steps[1].scale: expected a finite number, got 'true'"},
      {step("{op: linear, weight: [w]}"), "steps[1].weight: expected the name of a tensor, got a list of 1"},
      {step("{op: linear, weight: }"), "steps[1].weight: expected the name of a tensor, got nothing"},
  });
  EXPECT_THAT(fault_of(step("{op: linaer, weight: w}")),
              ::testing::StartsWith("steps[1].op: unknown operator 'linaer'; did you mean 'linear'? (known: "));
  EXPECT_THAT(fault_of(step("{op: linear}")), ::testing::AllOf(::testing::StartsWith("steps[1].weight: expected "),
                                                               ::testing::EndsWith(", got no such key")));
}

TEST(ModelYaml, WeightsAndBatchingFaults) {
  const std::string folder = "weights: expected a file in the model's folder, got ";
  const auto batching = [](std::string_view body) { return with("batching", "batching: {" + std::string(body) + "}"); };
  expect_faults({
      {with("", "weights: /etc/passwd"), folder + "'/etc/passwd'"},
      {with("", "weights: ../other/w.safetensors"), folder + "'../other/w.safetensors'"},
      {with("", "weights: a/../../w"), folder + "'a/../../w'"},
      {with("", "weights: ''"), folder + "''"},
      {with("", "weights:"), folder + "nothing"},
      {with("", "weights: [w]"), folder + "a list of 1"},
      {with("", "weights: \"a\\0b\""), folder + "'a\\x00b'"},
      {with("batching", "batching: 4"), "batching: expected a mapping of keys, got '4'"},
      {batching("max_batch_size: 0"), "batching.max_batch_size: expected a whole number from 1 to 1048576, got '0'"},
      {batching("max_batch_size: 1048577"),
       "batching.max_batch_size: expected a whole number from 1 to 1048576, got '1048577'"},
      {batching("max_batch_size: 4e3"),
       "batching.max_batch_size: expected a whole number from 1 to 1048576, got '4e3'"},
      {batching("max_queue_delay_us: -1"),
       "batching.max_queue_delay_us: expected a whole number from 0 to 60000000, got '-1'"},
      {batching("max_queue_size: 0"), "batching.max_queue_size: expected a whole number from 1 to 1048576, got '0'"},
      {batching("timeout_us: 1s"), "batching.timeout_us: expected a whole number from 0 to 3600000000, got '1s'"},
      {batching("timeout_us: 18446744073709551616"),
       "batching.timeout_us: expected a whole number from 0 to 3600000000, got '18446744073709551616'"},
  });
}

// What costs little to write must cost little to refuse: nesting, and aliases that multiply.
TEST(ModelYaml, BombsAreRefused) {
  for (const std::string_view bracket : {"[", "{", "- ", "? ", "[{a: "}) {
    std::string deep;
    while (deep.size() < 60000) deep += bracket;
    EXPECT_NE(fault_of(deep), "") << bracket;
    EXPECT_NE(fault_of("steps: " + deep), "") << bracket;
  }
  EXPECT_EQ(fault_of("steps: " + std::string(60000, '[')), "expected YAML, got: brackets or lists nested too deeply");
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 60; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 8; ++j) bomb.append(below).append(", ");
    bomb.append(below).append("]\n");
  }
  EXPECT_EQ(fault_of(bomb), "a0: unknown key (known: version, inputs, steps, outputs, weights, batching)");
  EXPECT_NE(fault_of(with("steps", "steps: &s [*s, *s]")), "");
  EXPECT_NE(fault_of(with("steps", "steps: &s [{op: relu}, *s]")), "");
}

// The YAML library makes endless empty documents of what it cannot place.
TEST(ModelYaml, TokensOutOfPlaceEnd) {
  for (const std::string_view token :
       {",", "]", "}", ":", "?", "-", "|", ">", "&", "*", "!", "%", "@", "`", "\"", "'", "\0", "\t"}) {
    for (const std::string_view before :
         {"", "  ", "# comment\n  ", "a: 1\n", "a: 1\n  ", "steps: [", "- ", "---\n", "'x'\n"}) {
      for (const std::string_view after : {"", "- {op: relu}\n", " x", "\n---\n", ","}) {
        const std::string text = std::string(before).append(token).append(after);
        EXPECT_NE(fault_of(text), "") << text;
      }
    }
  }
}

TEST(ModelYaml, EveryTruncationIsAFaultOrAModel) {
  const std::string whole = with("", "weights: w.safetensors");
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const std::string fault = fault_of(whole.substr(0, bytes));
    EXPECT_EQ(fault.find('\n'), std::string::npos) << fault;
  }
}

}  // namespace
}  // namespace headrace::models
