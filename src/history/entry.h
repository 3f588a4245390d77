// What a history has of a run beside its result: the columns that list and check read. One entry per result; that of a
// result of --repeat has the medians of its repetitions. Pure.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/result.h"

namespace fathom::history {

// Columns of the environment. An empty text is unknown.
inline constexpr std::array<std::string_view, 12> kFacts = {"host",     "kernel", "machine",      "cpu",
                                                            "cpus",     "memory", "distribution", "hypervisor",
                                                            "governor", "disks",  "file_system",  "program"};
inline constexpr std::size_t kHostFact = 0, kProgramFact = kFacts.size() - 1;
using Environment = std::array<std::string, kFacts.size()>;

// nullopt: unknown. One order in all tables.
inline constexpr std::size_t kMetrics = 4;
using Numbers = std::array<std::optional<double>, kMetrics>;
struct Metric {
  std::string_view name;    // as on the command line
  std::string_view column;  // in the file
  std::string_view unit;
  bool more_is_better;
};
inline constexpr std::array<Metric, kMetrics> kMetricRows = {{{"bw", "bytes_per_s", "bytes/s", true},
                                                              {"iops", "iops", "1/s", true},
                                                              {"p99", "p99_ns", "ns", false},
                                                              {"cpu", "cpu_ns_per_io", "ns", false}}};

// One direction of one job; all of its clones together.
struct Part {
  std::string job, direction;  // "all": a number of the job, which has several directions
  Numbers numbers;
};

struct Entry {
  std::string run_id;  // made of the text if the result lacks it
  std::uint64_t time_epoch_ms = 0;
  std::string title, workload, command;
  std::string checks;
  std::string unfit;  // why its numbers are not compared with other runs; empty: they are
  Environment environment;
  Numbers whole;  // of the whole run
  std::vector<Part> parts;
};

// text: the result as it is stored.
Entry entry_of(const result::Run& run, std::string_view text);

}  // namespace fathom::history
