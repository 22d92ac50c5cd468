#include "service/models/build_fault.hpp"

#include <gtest/gtest.h>

namespace headrace::models {
namespace {

TEST(BuildFault, StepsAreNamedByTheirKeyPath) {
  EXPECT_EQ(with_key_path("step 2 (linear): weight: expected [10,128], got [10,64]"),
            "steps[1].weight: expected [10,128], got [10,64]");
  EXPECT_EQ(with_key_path("step 1 (softmax): input: expected FP32, got INT8[4]"),
            "steps[0] (softmax): input: expected FP32, got INT8[4]");
  EXPECT_EQ(with_key_path("step 12 (unheard_of): weight: x"), "steps[11] (unheard_of): weight: x");
}

TEST(BuildFault, OtherMessagesStayAsTheyAre) {
  for (const std::string_view message :
       {"", "inputs: expected exactly 1, got 2", "step", "step 0 (relu): x", "step x (relu): y",
        "step 99999999999999999999 (relu): y", "step ): (", "steps are missing (one): two"}) {
    EXPECT_EQ(with_key_path(message), message);
  }
}

}  // namespace
}  // namespace headrace::models
