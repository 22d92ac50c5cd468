#include "service/app/model_description.hpp"

#include <gmock/gmock.h>

#include "tests/support/programs.hpp"
#include "tests/support/puppet_device.hpp"

namespace headrace::app {
namespace {

TEST(ModelDescription, TellsTheFolderInTheWordsOfTheProtocol) {
  models::Model model;
  model.name = "digits";
  model.version = "7";
  model.program = support::classifier_program();
  model.batching = {.max_batch_size = 4096, .max_queue_delay_us = 11, .max_queue_size = 22, .timeout_us = 33};
  const support::PuppetDevice device;
  const auto description = describe(model, 100, device, 2, 4);
  EXPECT_EQ(description.name, "digits");
  EXPECT_EQ(description.version, "7");
  ASSERT_EQ(description.inputs.size(), 1u);
  EXPECT_EQ(description.inputs[0].name, "x");
  EXPECT_EQ(description.inputs[0].datatype, proto::Datatype::fp32);
  EXPECT_THAT(description.inputs[0].row_shape, testing::ElementsAre(64));
  ASSERT_EQ(description.outputs.size(), 1u);
  EXPECT_EQ(description.outputs[0].name, "y");
  EXPECT_THAT(description.outputs[0].row_shape, testing::ElementsAre(10));
  EXPECT_EQ(description.max_batch_size, 100u) << "the effective one, not the configured one";
  EXPECT_EQ(description.max_queue_delay_us, 11u);
  EXPECT_EQ(description.max_queue_size, 22u);
  EXPECT_EQ(description.timeout_us, 33u);
  EXPECT_EQ(description.slots, 4u);
  EXPECT_FALSE(description.on_gpu);
  EXPECT_THAT(description.gpus, testing::IsEmpty());
}

TEST(ModelDescription, TheDeviceNamesItsElementTypesAsTheProtocolDoes) {
  std::size_t named = 0;
  for (const auto& traits : proto::datatypes()) {
    for (int element = 0; element < 13; ++element) {
      named += gpu::element_name(static_cast<gpu::ElementType>(element)) == traits.name ? 1u : 0u;
    }
  }
  EXPECT_EQ(named, 13u) << "all but BYTES";
}

}  // namespace
}  // namespace headrace::app
