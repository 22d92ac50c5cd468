#include "service/models/repository.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "tests/service/models/folders.hpp"

namespace headrace::models {
namespace {

namespace fs = std::filesystem;
using testing::safetensors_file;
using testing::ScratchFolder;

constexpr std::string_view copy_model =
    "inputs: [{name: x, datatype: FP32, shape: [4]}]\nsteps: [{op: identity}]\noutputs: [{name: y}]\n";

std::string linear_model(std::string_view rest) {
  return "inputs: [{name: x, datatype: FP32, shape: [4]}]\noutputs: [{name: y}]\n" + std::string(rest);
}

// w: [2, 4], b: [2]; long: [3].
std::string linear_weights() {
  return safetensors_file(R"({"w":{"dtype":"F32","shape":[2,4],"data_offsets":[0,32]},)"
                          R"("b":{"dtype":"F32","shape":[2],"data_offsets":[32,40]},)"
                          R"("long":{"dtype":"F32","shape":[3],"data_offsets":[40,52]}})",
                          52);
}

// The fault of folder "m" with the folder's path cut away; empty when it loads.
std::string fault_of(const ScratchFolder& folder) {
  const auto model = load_model(folder.path() / "m");
  if (model) return "";
  const std::string above = folder.path().string() + "/";
  EXPECT_EQ(model.error().model, "m");
  EXPECT_TRUE(model.error().message.starts_with(above)) << model.error().message;
  EXPECT_EQ(model.error().message.find('\n'), std::string::npos);
  return model.error().message.substr(above.size());
}

TEST(Repository, TheDigitsModelLoads) {
  const auto model = load_model(fs::path(HEADRACE_SOURCE_DIR) / "deploy/models/digits");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->name, "digits");
  EXPECT_EQ(model->version, "1");
  const gpu::Program& program = *model->program;
  ASSERT_EQ(program.inputs().size(), 1U);
  EXPECT_EQ(program.inputs()[0].name, "image");
  EXPECT_EQ(program.inputs()[0].type.to_string(), "FP32[64]");
  ASSERT_EQ(program.outputs().size(), 1U);
  EXPECT_EQ(program.outputs()[0].name, "probabilities");
  EXPECT_EQ(program.outputs()[0].type.to_string(), "FP32[10]");
  EXPECT_EQ(program.steps().size(), 5U);
  EXPECT_EQ(program.weight_bytes(), 38440U);
}

TEST(Repository, TheBenchmarkModelsLoad) {
  const Repository repository = load_repository(fs::path(HEADRACE_SOURCE_DIR) / "load/models");
  EXPECT_TRUE(repository.faults.empty()) << repository.faults.front().message;
  ASSERT_EQ(repository.models.size(), 2U);
  EXPECT_EQ(repository.models[0].name, "affine256");
  EXPECT_EQ(repository.models[0].program->inputs()[0].type.to_string(), "FP32[256]");
  EXPECT_EQ(repository.models[1].name, "affine4096");
  EXPECT_EQ(repository.models[1].program->outputs()[0].type.to_string(), "FP32[4096]");
}

TEST(Repository, ABrokenModelNeverKeepsTheOthersFromLoading) {
  const ScratchFolder folder;
  folder.write("b/model.yaml", copy_model);
  folder.write("a/model.yaml", "steps: [");
  folder.write("c/model.yaml", "");
  folder.write("d/model.yaml", copy_model);
  folder.write("notes/README.md", "no model here");
  folder.write("model.yaml", "a file, not a folder");
  fs::create_directory(folder.path() / "empty");
  fs::create_directory(folder.path() / ".hidden");
  fs::create_directory_symlink(folder.path() / "b", folder.path() / "linked");
  fs::create_directory_symlink("loop", folder.path() / "loop");
  fs::create_directory_symlink("nowhere", folder.path() / "gone");

  const Repository repository = load_repository(folder.path());
  std::vector<std::string> names;
  for (const Model& model : repository.models) names.push_back(model.name);
  EXPECT_THAT(names, ::testing::ElementsAre("b", "d", "linked"));
  std::vector<std::string> faults;
  for (const ModelFault& fault : repository.faults) faults.push_back(fault.model);
  EXPECT_THAT(faults, ::testing::ElementsAre("a", "c", "gone", "loop"));
  EXPECT_EQ(repository.faults[2].message,
            (folder.path() / "gone").string() + ": expected a readable folder, got: No such file or directory");
  EXPECT_EQ(repository.faults[3].message,
            (folder.path() / "loop").string() + ": expected a readable folder, got: Too many levels of symbolic links");
}

TEST(Repository, AFolderThatCannotBeReadIsOneFault) {
  const ScratchFolder folder;
  const Repository missing = load_repository(folder.path() / "absent");
  EXPECT_TRUE(missing.models.empty());
  ASSERT_EQ(missing.faults.size(), 1U);
  EXPECT_EQ(missing.faults[0].model, "");
  EXPECT_EQ(missing.faults[0].message, (folder.path() / "absent").string() +
                                           ": expected a readable folder of models, got: No such file or directory");
  const auto file = folder.write("file", "x");
  EXPECT_EQ(load_repository(file).faults[0].message,
            file.string() + ": expected a readable folder of models, got: Not a directory");
}

TEST(Repository, NamesAreTheFolders) {
  const ScratchFolder folder;
  for (const std::string name : {"digits", "with space", "größe", "v1.2"}) {
    folder.write(fs::path(name) / "model.yaml", copy_model);
    for (const char* suffix : {"", "/", "/."}) {
      const auto model = load_model((folder.path() / name).string() + suffix);
      ASSERT_TRUE(model) << model.error().message;
      EXPECT_EQ(model->name, name);
    }
  }
  const std::string expected =
      ": expected a folder name of 1 to 255 bytes of UTF-8 without control characters or '/' that does not begin with "
      "'.', got ";
  for (const auto& [name, shown] :
       std::vector<std::pair<std::string, std::string>>{{".dot", ".dot"}, {"a\nb", "a\\x0ab"}, {"\xff", "\\xff"}}) {
    folder.write(fs::path(name) / "model.yaml", copy_model);
    const auto model = load_model(folder.path() / name);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().model, name);
    EXPECT_EQ(model.error().message, folder.path().string() + "/" + shown + expected + "'" + shown + "'");
  }
}

struct Case {
  std::string yaml;
  std::string message;
};

TEST(Repository, FaultsOfTheDescription) {
  for (const auto& [yaml, message] : std::vector<Case>{
           {"", "m/model.yaml: expected a mapping of keys, got an empty file"},
           {"version: x", "m/model.yaml: version: expected 1 to 18 digits, got 'x'"},
           {linear_model("steps: [{op: linear, weight: w}]"),
            "m/model.yaml: steps[0].weight: expected the key 'weights' to name the file that holds 'w', got no such "
            "key"},
           {linear_model("steps: [{op: linear, weight: w}]\nweights: none.safetensors"),
            "m/none.safetensors: expected a readable file, got: No such file or directory"},
           {linear_model("steps: [{op: linear, weight: w}]\nweights: ."),
            "m/.: expected a regular file, got a directory"},
           {linear_model("steps: [{op: linear, weight: w}]\nweights: broken.safetensors"),
            "m/broken.safetensors: expected a safetensors file that begins with 8 bytes of header length, got 3 bytes "
            "in all"},
           {linear_model("steps: [{op: linear, weight: wx}]\nweights: w.safetensors"),
            "m/model.yaml: steps[0].weight: expected a tensor of w.safetensors, got 'wx'; did you mean 'w'?"},
           {linear_model("steps: [{op: relu}, {op: linear, weight: w, bias: offsets}]\nweights: w.safetensors"),
            "m/model.yaml: steps[1].bias: expected a tensor of w.safetensors, got 'offsets'"},
       }) {
    const ScratchFolder folder;
    folder.write("m/model.yaml", yaml);
    folder.write("m/w.safetensors", linear_weights());
    folder.write("m/broken.safetensors", "abc");
    EXPECT_EQ(fault_of(folder), message) << yaml;
  }
}

// The wording behind the key path is the operator's.
TEST(Repository, ShapesAreCheckedAlongTheChain) {
  const std::string weights = "\nweights: w.safetensors";
  for (const auto& [yaml, begin] : std::vector<Case>{
           {linear_model("steps: [{op: linear, weight: w}, {op: linear, weight: w}]" + weights),
            "m/model.yaml: steps[1] (linear): input: expected "},
           {linear_model("steps: [{op: linear, weight: w, bias: long}]" + weights),
            "m/model.yaml: steps[0].bias: expected "},
           {linear_model("steps: [{op: linear, weight: b}]" + weights), "m/model.yaml: steps[0].weight: expected "},
           {"inputs: [{name: x, datatype: INT8, shape: [4]}]\nsteps: [{op: softmax}]\noutputs: [{name: y}]",
            "m/model.yaml: steps[0] (softmax): input: expected "},
       }) {
    const ScratchFolder folder;
    folder.write("m/model.yaml", yaml);
    folder.write("m/w.safetensors", linear_weights());
    EXPECT_THAT(fault_of(folder), ::testing::AllOf(::testing::StartsWith(begin), ::testing::HasSubstr(", got ")))
        << yaml;
  }
  const ScratchFolder good;
  good.write("m/model.yaml", linear_model("steps: [{op: linear, weight: w, bias: b}]" + weights));
  good.write("m/w.safetensors", linear_weights());
  EXPECT_EQ(fault_of(good), "");
}

TEST(Repository, AWeightsFileIsCheckedEvenWhenNoStepNeedsIt) {
  const ScratchFolder folder;
  folder.write("m/model.yaml", std::string(copy_model) + "weights: w.safetensors");
  folder.write("m/w.safetensors", linear_weights() + "tail");
  EXPECT_EQ(fault_of(folder), "m/w.safetensors: expected 52 bytes of tensors after the header, got 56");
}

TEST(Repository, OnlyRegularFilesAreOpened) {
  const ScratchFolder folder;
  fs::create_directories(folder.path() / "m");
  const fs::path file = folder.path() / "m/model.yaml";
  EXPECT_EQ(fault_of(folder), "m/model.yaml: expected a readable file, got: No such file or directory");
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(fault_of(folder), "m/model.yaml: expected a regular file, got a pipe");
  fs::remove(file);
  fs::create_symlink("/dev/zero", file);
  EXPECT_EQ(fault_of(folder), "m/model.yaml: expected a regular file, got a device");
  fs::remove(file);
  fs::create_symlink("model.yaml", file);
  EXPECT_EQ(fault_of(folder), "m/model.yaml: expected a readable file, got: Too many levels of symbolic links");
  EXPECT_EQ(load_repository(folder.path()).faults.size(), 1U);
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_EQ(fault_of(folder), "m/model.yaml: expected a regular file, got a directory");
}

}  // namespace
}  // namespace headrace::models
