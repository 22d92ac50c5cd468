#include "tests/tidy/include_arrows.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <set>
#include <string>

namespace headrace::tidy {
namespace {

using Names = std::vector<std::string_view>;

constexpr std::string_view everything = "**";

bool matches(std::string_view pattern, std::string_view path) {
  if (pattern == everything) return true;
  if (pattern.ends_with("/**")) return path.starts_with(pattern.substr(0, pattern.size() - 2));
  if (!pattern.ends_with("/*")) return pattern == path;
  const std::string_view folder = pattern.substr(0, pattern.size() - 1);
  return path.starts_with(folder) && path.substr(folder.size()).find('/') == std::string_view::npos;
}

const ArrowRule* rule_of(std::string_view path) {
  const ArrowRule* best = nullptr;
  for (const ArrowRule& rule : arrow_rules()) {
    const bool fits = path == rule.folder || (path.starts_with(rule.folder) && path[rule.folder.size()] == '/');
    if (fits && (best == nullptr || rule.folder.size() > best->folder.size())) best = &rule;
  }
  return best;
}

bool is_system(std::string_view header) {
  static constexpr std::array folders = {"sys/", "netinet/", "arpa/", "net/", "linux/", "bits/"};
  const bool below =
      std::ranges::any_of(folders, [header](std::string_view folder) { return header.starts_with(folder); });
  return below || header.find('/') == std::string_view::npos;
}

std::optional<std::string_view> package_of(std::string_view header) {
  std::optional<std::string_view> best;
  std::size_t length = 0;
  for (const Package& package : packages()) {
    for (const std::string_view prefix : package.prefixes) {
      if (!header.starts_with(prefix) || prefix.size() <= length) continue;
      best = package.name;
      length = prefix.size();
    }
  }
  return best;
}

bool is_device_source(std::string_view path) { return path.ends_with(".cu") || path.ends_with(".cuh"); }

std::string check_ours(const Source& source, std::string_view target, const ArrowRule& rule) {
  const auto may = [target](std::string_view pattern) { return matches(pattern, target); };
  if (rule_of(target) == &rule || std::ranges::any_of(rule.ours, may)) return {};
  if (is_device_source(source.path()) && matches("gpu/cuda/**", target)) return {};
  return "wrong arrow to \"" + std::string(target) + "\": " + std::string(rule.why);
}

bool is_free(const ArrowRule& rule, std::string_view package) {
  return std::ranges::any_of(rule.packages,
                             [&](std::string_view name) { return name == everything || name == package; });
}

bool is_private(const ArrowRule& rule, std::string_view package) {
  return std::ranges::find(rule.packages, std::string(package) + " privately") != rule.packages.end();
}

std::string check_package(const Source& source, std::string_view header, const ArrowRule& rule) {
  const auto package = package_of(header);
  if (!package) {
    if (is_system(header)) return {};
    return "<" + std::string(header) + "> belongs to no package of the table in tests/tidy/include_arrows.cpp";
  }
  if (is_free(rule, *package) || is_private(rule, *package)) return {};
  if (is_device_source(source.path()) && *package == "cuda") return {};
  return "wrong arrow to <" + std::string(header) + "> (" + std::string(*package) + "): " + std::string(rule.why);
}

struct Include {
  std::string target;
  bool of_package;
  std::size_t line;
};

std::vector<Include> includes_of(const Source& source) {
  static const std::regex include(R"(^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">])", std::regex::multiline);
  const std::string& code = source.code();
  std::vector<Include> includes;
  for (std::sregex_iterator next(code.begin(), code.end(), include), end; next != end; ++next) {
    includes.push_back({(*next)[2], (*next)[1] == "<", source.line_of(static_cast<std::size_t>(next->position(2)))});
  }
  return includes;
}

// Headers that carry a package which only their own folder may see.
std::set<std::string_view> private_headers(std::span<const Source> sources) {
  std::set<std::string_view> headers;
  for (const Source& source : sources) {
    const ArrowRule* const rule = rule_of(source.path());
    if (rule == nullptr || !source.is_header()) continue;
    for (const Include& include : includes_of(source)) {
      const auto package = include.of_package ? package_of(include.target) : std::nullopt;
      if (package && is_private(*rule, *package)) headers.insert(source.path());
    }
  }
  return headers;
}

}  // namespace

std::span<const ArrowRule> arrow_rules() {
  static const std::vector<ArrowRule> rules = {
      {"proto", {}, {"json", "expected", "fmt"}, "proto includes std and the JSON library, nothing else of ours"},
      {"gpu",
       {"gpu/*", "gpu/ops/*"},
       {"expected"},
       "gpu up to the seam includes neither a device's folder nor any package but expected"},
      {"gpu/devices.cpp", {"gpu/**"}, {"expected"}, "the one place that knows which devices are compiled in"},
      {"gpu/cpu", {"gpu/*", "gpu/ops/**"}, {"expected", "eigen"}, "gpu/cpu includes gpu and Eigen"},
      {"gpu/cuda", {"gpu/*", "gpu/ops/**"}, {"expected", "cuda"}, "gpu/cuda includes gpu and CUDA"},
      {"gpu/ops",
       {"gpu/*"},
       {"expected", "eigen"},
       "gpu/ops includes gpu and Eigen; CUDA and gpu/cuda from .cu and .cuh only"},
      {"service/app", {"service/**", "proto/**", "gpu/**"}, {everything}, "service/app may include all of the product"},
      {"service/http",
       {"proto/**", "service/telemetry/*", "service/pipeline/front_door.hpp", "service/pipeline/executor.hpp",
        "service/pipeline/mailbox.hpp", "service/pipeline/one_shot.hpp", "service/pipeline/permit.hpp",
        "service/pipeline/request.hpp", "service/pipeline/spawn.hpp", "gpu/host_copy.hpp", "gpu/host_pool.hpp"},
       {"expected", "fmt", "asio", "beast", "boost", "zlib", "openssl"},
       "service/http includes proto, the pipeline's front door and what it is spoken with, and buffers of gpu with the "
       "copy that counts"},
      {"service/pipeline",
       {"proto/**", "service/telemetry/*", "gpu/*"},
       {"expected", "fmt", "asio", "boost"},
       "service/pipeline includes proto, Asio and gpu up to the seam; never Beast, gpu/cpu or gpu/cuda"},
      {"service/models",
       {"proto/*", "gpu/*", "gpu/ops/catalogue.hpp", "service/telemetry/*"},
       {"expected", "fmt", "json", "yaml"},
       "service/models includes gpu up to the seam and its catalogue, proto's datatypes, YAML and JSON"},
      {"service/telemetry",
       {},
       {"fmt", "spdlog privately", "prometheus privately"},
       "service/telemetry includes none of the other service folders"},
      {"service/console", {"service/telemetry/*"}, {"expected", "fmt"}, "service/console includes service/telemetry"},
      {"load",
       {"proto/**"},
       {"expected", "fmt", "json", "asio", "beast", "boost", "cli"},
       "load includes proto, Asio and Beast; never service"},
      {"load/bench",
       {"proto/**", "gpu/**", "load/**"},
       {"expected", "fmt", "json", "asio", "beast", "boost", "cli", "cuda", "benchmark"},
       "load/bench includes load, proto and gpu; never service"},
      {"tests", {everything}, {everything}, "tests may include all"},
      {"deploy", {}, {}, "deploy includes nothing of ours"},
  };
  return rules;
}

std::span<const Package> packages() {
  static const std::vector<Package> rows = {
      {"expected", {"tl/"}},
      {"json", {"simdjson"}},
      {"yaml", {"yaml-cpp/"}},
      {"fmt", {"fmt/"}},
      {"spdlog", {"spdlog/"}},
      {"prometheus", {"prometheus/"}},
      {"asio", {"boost/asio", "boost/system/"}},
      {"beast", {"boost/beast"}},
      {"boost", {"boost/"}},
      {"eigen", {"Eigen/"}},
      {"cli", {"CLI/"}},
      {"zlib", {"zlib.h", "zconf.h"}},
      {"openssl", {"openssl/"}},
      {"cuda",
       {"cuda", "cublas", "nvrtc", "nvml", "nvtx3/", "cub/", "thrust/", "cooperative_groups", "mma.h", "driver_types.h",
        "vector_types.h"}},
      {"test", {"gtest/", "gmock/"}},
      {"benchmark", {"benchmark/"}},
  };
  return rows;
}

Findings check_include_arrows(std::span<const Source> sources, std::span<const std::string_view> other_files) {
  std::set<std::string_view> files(other_files.begin(), other_files.end());
  for (const Source& source : sources) files.insert(source.path());
  const auto hidden = private_headers(sources);
  Findings findings;
  for (const Source& source : sources) {
    const ArrowRule* const rule = rule_of(source.path());
    if (rule == nullptr) {
      findings.push_back({source.path(), 0, "its folder has no row in the table of tests/tidy/include_arrows.cpp"});
      continue;
    }
    for (const Include& include : includes_of(source)) {
      std::string wrong;
      if (include.of_package) {
        wrong = check_package(source, include.target, *rule);
      } else if (!files.contains(include.target)) {
        wrong = "\"" + include.target + "\" is no path from the root of the repository";
      } else if (hidden.contains(include.target) && rule_of(include.target) != rule && !source.is_below("tests")) {
        wrong = "wrong arrow to \"" + include.target + "\": it carries a package that only its own folder may see";
      } else {
        wrong = check_ours(source, include.target, *rule);
      }
      if (!wrong.empty()) findings.push_back({source.path(), include.line, wrong});
    }
  }
  return findings;
}

}  // namespace headrace::tidy
