#include "gpu/cuda/size_bucket.hpp"

#include <gtest/gtest.h>

namespace headrace::gpu::cuda {
namespace {

TEST(SizeBucket, HoldsEveryBatchUpToTheLargest) {
  for (const std::uint32_t rows_max : {1u, 2u, 4u, 5u, 64u, 1000u, 4096u}) {
    for (std::uint32_t rows = 1; rows <= rows_max; ++rows) {
      const std::uint32_t bucket = bucket_of(rows);
      ASSERT_LT(bucket, buckets_for(rows_max)) << rows << " of " << rows_max;
      ASSERT_GE(bucket_rows(bucket, rows_max), rows);
      ASSERT_LE(bucket_rows(bucket, rows_max), rows_max);
      if (rows > 1) ASSERT_LE(bucket_rows(bucket, rows_max), bucket_step * (rows - 1)) << "not larger than it must be";
    }
  }
}

TEST(SizeBucket, AreFew) {
  EXPECT_EQ(buckets_for(1), 1u);
  EXPECT_EQ(buckets_for(4096), 7u);
  EXPECT_EQ(buckets_for(~0u), 17u) << "and the largest number of rows ends the loop";
}

}  // namespace
}  // namespace headrace::gpu::cuda
