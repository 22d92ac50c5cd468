#include "tests/tidy/include_arrows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace headrace::tidy {
namespace {

constexpr std::array<std::string_view, 17> files = {"proto/error.hpp",
                                                    "proto/limits.hpp",
                                                    "gpu/device.hpp",
                                                    "gpu/host_pool.hpp",
                                                    "gpu/cpu/worker.hpp",
                                                    "gpu/cuda/stream.hpp",
                                                    "gpu/ops/catalogue.hpp",
                                                    "gpu/ops/linear/linear.hpp",
                                                    "service/app/config.hpp",
                                                    "service/http/router.hpp",
                                                    "service/pipeline/front_door.hpp",
                                                    "service/pipeline/batcher.hpp",
                                                    "service/models/model.hpp",
                                                    "service/telemetry/log.hpp",
                                                    "service/console/page.hpp",
                                                    "load/pacer.hpp",
                                                    "tests/support/puppet.hpp"};

bool allowed(std::string_view from, std::string_view include) {
  const std::array sources = {Source(std::string(from), "#include " + std::string(include) + "\n")};
  return check_include_arrows(sources, files).empty();
}

// Every row of the table in both directions: an arrow that is wanted, and each that is not.
struct Row {
  std::string_view from;
  std::vector<std::string_view> wanted;
  std::vector<std::string_view> wrong;
};

TEST(TidyArrows, EveryFolder) {
  const std::vector<Row> rows = {
      {"proto/a.cpp",
       {"\"proto/error.hpp\"", "<vector>", "<simdjson.h>", "<tl/expected.hpp>"},
       {"\"gpu/device.hpp\"", "\"service/app/config.hpp\"", "\"load/pacer.hpp\"", "\"tests/support/puppet.hpp\"",
        "<boost/asio/post.hpp>", "<cuda_runtime.h>", "<spdlog/spdlog.h>"}},
      {"gpu/a.cpp",
       {"\"gpu/device.hpp\"", "\"gpu/ops/catalogue.hpp\"", "<sys/mman.h>"},
       {"\"proto/error.hpp\"", "\"gpu/cpu/worker.hpp\"", "\"gpu/cuda/stream.hpp\"", "\"service/telemetry/log.hpp\"",
        "<Eigen/Core>", "<boost/asio.hpp>", "<spdlog/spdlog.h>", "<prometheus/counter.h>", "<cuda_runtime_api.h>"}},
      {"gpu/devices.cpp",
       {"\"gpu/cpu/worker.hpp\"", "\"gpu/cuda/stream.hpp\""},
       {"\"proto/error.hpp\"", "<cuda_runtime.h>"}},
      {"gpu/cpu/a.cpp",
       {"\"gpu/device.hpp\"", "\"gpu/cpu/worker.hpp\"", "<Eigen/Core>"},
       {"\"gpu/cuda/stream.hpp\"", "<cuda_runtime.h>", "\"proto/error.hpp\"", "<boost/intrusive/list.hpp>"}},
      {"gpu/cuda/a.cpp",
       {"\"gpu/device.hpp\"", "\"gpu/cuda/stream.hpp\"", "<cuda_runtime.h>", "<nvtx3/nvToolsExt.h>"},
       {"\"gpu/cpu/worker.hpp\"", "\"proto/error.hpp\"", "<boost/asio.hpp>", "<spdlog/spdlog.h>"}},
      {"gpu/ops/relu/a.cpp",
       {"\"gpu/device.hpp\"", "\"gpu/ops/linear/linear.hpp\"", "<Eigen/Core>"},
       {"\"gpu/cuda/stream.hpp\"", "<cuda_runtime.h>", "\"gpu/cpu/worker.hpp\"", "\"proto/error.hpp\""}},
      {"gpu/ops/relu/a.cu",
       {"\"gpu/cuda/stream.hpp\"", "<cuda_runtime.h>", "<cub/cub.cuh>"},
       {"<boost/asio.hpp>", "\"gpu/cpu/worker.hpp\"", "\"proto/error.hpp\""}},
      {"service/app/a.cpp",
       {"\"service/http/router.hpp\"", "\"gpu/device.hpp\"", "\"proto/error.hpp\"", "<CLI/CLI.hpp>"},
       {"\"load/pacer.hpp\"", "\"tests/support/puppet.hpp\""}},
      {"service/http/a.cpp",
       {"\"proto/error.hpp\"", "\"service/pipeline/front_door.hpp\"", "\"gpu/host_pool.hpp\"", "<boost/beast/http.hpp>",
        "\"service/telemetry/log.hpp\""},
       {"\"gpu/device.hpp\"", "\"service/pipeline/batcher.hpp\"", "\"service/models/model.hpp\"",
        "\"service/app/config.hpp\"", "<spdlog/spdlog.h>", "<prometheus/counter.h>"}},
      {"service/pipeline/a.cpp",
       {"\"proto/error.hpp\"", "\"gpu/device.hpp\"", "<boost/asio/post.hpp>", "\"service/telemetry/log.hpp\""},
       {"\"gpu/cpu/worker.hpp\"", "\"gpu/cuda/stream.hpp\"", "\"service/http/router.hpp\"",
        "\"service/app/config.hpp\"", "<boost/beast/http.hpp>", "<spdlog/spdlog.h>"}},
      {"service/models/a.cpp",
       {"\"gpu/device.hpp\"", "\"gpu/ops/catalogue.hpp\"", "<yaml-cpp/yaml.h>", "<simdjson.h>"},
       {"\"gpu/cpu/worker.hpp\"", "\"service/pipeline/front_door.hpp\"", "<boost/beast/http.hpp>",
        "<boost/asio/post.hpp>"}},
      {"service/telemetry/a.cpp",
       {"\"service/telemetry/log.hpp\"", "<spdlog/spdlog.h>", "<prometheus/counter.h>"},
       {"\"proto/error.hpp\"", "\"gpu/device.hpp\"", "\"service/pipeline/front_door.hpp\"", "<boost/asio/post.hpp>"}},
      {"service/console/a.cpp",
       {"\"service/telemetry/log.hpp\"", "\"service/console/page.hpp\""},
       {"\"service/http/router.hpp\"", "\"proto/error.hpp\"", "\"gpu/device.hpp\"", "<boost/beast/http.hpp>"}},
      {"load/a.cpp",
       {"\"proto/error.hpp\"", "\"load/pacer.hpp\"", "<boost/beast/http.hpp>", "<boost/asio/post.hpp>"},
       {"\"service/telemetry/log.hpp\"", "\"gpu/device.hpp\"", "\"tests/support/puppet.hpp\"", "<cuda_runtime.h>"}},
      {"load/bench/a.cpp",
       {"\"gpu/device.hpp\"", "\"load/pacer.hpp\"", "\"proto/error.hpp\"", "<benchmark/benchmark.h>"},
       {"\"service/telemetry/log.hpp\"", "\"tests/support/puppet.hpp\""}},
      {"tests/a.cpp",
       {"\"tests/support/puppet.hpp\"", "\"service/app/config.hpp\"", "<gtest/gtest.h>", "\"gpu/cuda/stream.hpp\""},
       {}},
      {"deploy/cmake/a.cpp", {"<cstdio>"}, {"\"proto/error.hpp\"", "<boost/asio.hpp>"}},
  };
  for (const Row& row : rows) {
    for (const std::string_view include : row.wanted)
      EXPECT_TRUE(allowed(row.from, include)) << row.from << " → " << include;
    for (const std::string_view include : row.wrong)
      EXPECT_FALSE(allowed(row.from, include)) << row.from << " → " << include;
  }
}

TEST(TidyArrows, EveryRowOfTheTableIsTried) {
  // A folder that gets a row gets a line above; this keeps the number of both in view.
  EXPECT_EQ(arrow_rules().size(), 16U);
}

TEST(TidyArrows, AFindingNamesFileLineAndRule) {
  const std::array sources = {Source("gpu/a.hpp", "#pragma once\n\n  #  include <boost/asio/post.hpp>\n")};
  const Findings findings = check_include_arrows(sources);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].to_string(),
            "gpu/a.hpp:3: wrong arrow to <boost/asio/post.hpp> (asio): gpu up to the seam includes neither a device's "
            "folder nor "
            "any package but expected");
}

TEST(TidyArrows, APrivatePackageStaysInItsFolder) {
  const std::array sources = {
      Source("service/telemetry/exposition.hpp", "#pragma once\n#include <prometheus/metric_family.h>\n"),
      Source("service/telemetry/metrics.cpp", "#include \"service/telemetry/exposition.hpp\"\n"),
      Source("service/http/metrics_page.cpp", "#include \"service/telemetry/exposition.hpp\"\n"),
      Source("tests/service/telemetry/exposition_test.cpp", "#include \"service/telemetry/exposition.hpp\"\n")};
  const Findings findings = check_include_arrows(sources);
  ASSERT_EQ(findings.size(), 1U) << to_string(findings);
  EXPECT_EQ(findings[0].to_string(),
            "service/http/metrics_page.cpp:1: wrong arrow to \"service/telemetry/exposition.hpp\": "
            "it carries a package that only its own folder may see");
}

TEST(TidyArrows, PathsAreFromTheRoot) {
  EXPECT_FALSE(allowed("proto/a.cpp", "\"error.hpp\""));
  EXPECT_FALSE(allowed("proto/a.cpp", "\"../proto/error.hpp\""));
  EXPECT_FALSE(allowed("proto/a.cpp", "\"proto/absent.hpp\""));
}

TEST(TidyArrows, UnknownPackagesAndFoldersAreFindings) {
  EXPECT_FALSE(allowed("service/app/a.cpp", "<nlohmann/json.hpp>"));
  EXPECT_FALSE(allowed("elsewhere/a.cpp", "<vector>"));
}

TEST(TidyArrows, IncludesInCommentsDoNotCount) {
  const std::array sources = {Source("gpu/a.cpp", "// #include <boost/asio.hpp>\n/*\n#include <boost/asio.hpp>\n*/\n")};
  EXPECT_TRUE(check_include_arrows(sources).empty());
}

}  // namespace
}  // namespace headrace::tidy
