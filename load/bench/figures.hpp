#pragma once
// What was measured, row by row; shown as a table and as JSON. Pure.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headrace::bench {

struct Figure {
  std::string name;  // ends in its unit: "p50_us", "gbps_each_way", "batches_per_second"
  double value = 0;
};

struct Row {
  std::string bench;    // "ingest"
  std::string what;     // the case: "64x1KiB"
  std::string way;      // how rows were told to travel: "automatic", "in_place", "copy_engines"
  std::vector<Figure> figures;
  std::string note;     // why there are no figures, or what else to know
};

struct Figures {
  std::string device;   // "cuda:0 NVIDIA H200"
  bool quick = false;
  std::vector<Row> rows;

  std::string text() const;
  std::string json() const;
};

/// "64 KiB" without the blank: 64KiB, 4MiB, 100B.
std::string bytes_text(std::size_t bytes);

/// The least value which that share of them does not exceed; 0 of none. Sorts them.
double quantile(std::vector<double>& values, double share);
double median(std::vector<double> values);

}  // namespace headrace::bench
