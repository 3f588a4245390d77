// Options of the load: what is touched, how, by whom, for how long.
#include "base/parse.h"
#include "cli/nvme_flags.h"
#include "cli/paging_rows.h"
#include "cli/paging_values.h"

namespace fathom::cli {
namespace {

using Outcome = base::Expected<void>;
using Row = PagingRow;
using paging::Fill, paging::Memory, paging::Thp;

constexpr double kLongest_s = 30.0 * 86400;

Outcome read_pattern(PagingOptions& o, const std::string& value) {
  auto& pattern = o.plan.pattern;
  pattern.name = value;
  for (const std::string kind : {"profile", "trace"}) {
    if (value != kind && !value.starts_with(kind + ":")) continue;
    pattern.name = kind;
    pattern.file = value.size() > kind.size() + 1 ? value.substr(kind.size() + 1) : "";
    if (pattern.file.empty())
      return usage_error(fmt::format("--pattern={}: no file", value), "", fmt::format("`--pattern={}:FILE`", kind));
  }
  return {};
}

Outcome read_fill(PagingOptions& o, const std::string& value) {
  const std::string kCompressible = "compressible:";
  if (value.starts_with(kCompressible)) {
    o.plan.region.fill = Fill::compressible;
    return read_percent("--fill", value.substr(kCompressible.size()), o.plan.region.fill_percent);
  }
  constexpr Named<Fill> kNames[] = {
      {"none", Fill::none}, {"zero", Fill::zero}, {"random", Fill::random}, {"legacy", Fill::legacy}};
  return read_named<Fill>("--fill", value, kNames, o.plan.region.fill, ", compressible:PERCENT");
}

Outcome read_memory(PagingOptions& o, const std::string& value) {
  constexpr Named<Memory> kKinds[] = {{"anonymous", Memory::anonymous},
                                      {"file-private", Memory::file_private},
                                      {"file-shared", Memory::file_shared},
                                      {"memfd", Memory::memfd},
                                      {"hugetlb", Memory::hugetlb}};
  const auto colon = value.find(':');
  auto& region = o.plan.region;
  if (auto ok = read_named<Memory>("--memory", value.substr(0, colon), kKinds, region.memory); !ok) return ok;
  region.file = colon == std::string::npos ? "" : value.substr(colon + 1);
  const bool of_file = region.memory == Memory::file_private || region.memory == Memory::file_shared;
  if (of_file == region.file.empty())
    return usage_error(fmt::format("--memory={}: {}", value, of_file ? "no file" : "it has no file"), "",
                       of_file ? fmt::format("`--memory={}:PATH`", value.substr(0, colon))
                               : "`:PATH` belongs to file-private and file-shared");
  return {};
}

Outcome read_offset(PagingOptions& o, const std::string& value) {
  if (value == "random") return o.plan.pattern.offset_words = -1, Outcome{};
  return read_number("--offset", value, -1, 1023, o.plan.pattern.offset_words);
}

constexpr Row kRows[] = {
    {"what is touched",
     {"--map", "SIZE", "memory that is mapped (256M, or the set); costs nothing until it is touched"},
     [](PagingOptions& o, const std::string& v) {
       return o.map_given = true, read_pages("--map", v, o.plan.region.map_bytes);
     }},
    {"",
     {"--set", "SIZE", "its first part, in which accesses fall (half of the map)"},
     [](PagingOptions& o, const std::string& v) {
       return o.set_given = true, read_pages("--set", v, o.plan.region.set_bytes);
     }},
    {"",
     {"--memory", "KIND",
      "anonymous, file-private:PATH, file-shared:PATH, memfd, hugetlb (reserve pages first: sysctl vm.nr_hugepages=N)"},
     read_memory},
    {"",
     {"--overwrite-file", "", "file-shared: what a file that is there holds may be destroyed"},
     [](PagingOptions& o, const std::string&) { return o.plan.region.overwrite_file = true, Outcome{}; }},
    {"",
     {"--fill", "HOW",
      "before the run: none (first touch is part of it), zero, random, compressible:PERCENT, legacy (as pmbench -i)"},
     read_fill},
    {"",
     {"--fill-map", "", "fill all of the map and not the set alone, as pmbench -i does"},
     [](PagingOptions& o, const std::string&) { return o.plan.region.fill_map = true, Outcome{}; }},
    {"",
     {"--thp", "WHEN", "transparent huge pages of this memory: system, always, never"},
     [](PagingOptions& o, const std::string& v) {
       constexpr Named<Thp> kNames[] = {{"system", Thp::system}, {"always", Thp::always}, {"never", Thp::never}};
       return read_named<Thp>("--thp", v, kNames, o.plan.region.thp);
     }},
    {"",
     {"--madvise", "LIST", "madvise(2)'s names in small letters: random, sequential, hugepage, ..."},
     [](PagingOptions& o, const std::string& v) {
       for (auto& advice : split(v, ',')) o.plan.region.advice.push_back(std::move(advice));
       return Outcome{};
     }},
    {"",
     {"--membind", "NODES", "NUMA nodes of the memory: 0,2-3"},
     [](PagingOptions& o, const std::string& v) { return read_list("--membind", v, o.plan.region.memory_nodes); }},
    {"",
     {"--initial-node", "NODE", "place all pages there first, then let the kernel move them"},
     [](PagingOptions& o, const std::string& v) {
       return read_number("--initial-node", v, 0, 1023, o.plan.region.initial_node);
     }},

    {"how",
     {"--pattern", "NAME",
      "uniform, linear, normal, normal_ih, pareto, zipf, hot, profile:FILE, trace:FILE, or legacy:NAME: pmbench's own"},
     read_pattern},
    {"",
     {"--shape", "X", "linear: stride in pages; normal: standard deviation in pages; pareto, zipf: exponent"},
     [](PagingOptions& o, const std::string& v) {
       double shape = 0;
       auto ok = read_number("--shape", v, -1e18, 1e18, shape);
       if (ok) o.plan.pattern.shape = shape;
       return ok;
     }},
    {"",
     {"--permute", "", "scatter the pages, so that hot ones are no neighbours"},
     [](PagingOptions& o, const std::string&) { return o.plan.pattern.permute = true, Outcome{}; }},
    {"",
     {"--trace-loop", "", "a trace begins again at its end, until the time is over"},
     [](PagingOptions& o, const std::string&) { return o.plan.pattern.trace_loop = true, Outcome{}; }},
    {"",
     {"--hot-access", "PERCENT", "pattern hot: so many accesses ... (80)"},
     [](PagingOptions& o, const std::string& v) {
       return read_percent("--hot-access", v, o.plan.pattern.hot_access_percent);
     }},
    {"",
     {"--hot-set", "PERCENT", "... fall into so much of the set (20)"},
     [](PagingOptions& o, const std::string& v) {
       return read_percent("--hot-set", v, o.plan.pattern.hot_set_percent);
     }},
    {"",
     {"--hot-move", "TIME", "the hot set takes another place this often (0: it stays)"},
     [](PagingOptions& o, const std::string& v) {
       return read_seconds("--hot-move", v, 0, kLongest_s, o.plan.pattern.hot_move_s);
     }},
    {"",
     {"--read-ratio", "PERCENT", "how many accesses are reads (50)"},
     [](PagingOptions& o, const std::string& v) {
       o.plan.pattern.read_percent_given = true;
       return read_percent("--read-ratio", v, o.plan.pattern.read_percent);
     }},
    {"",
     {"--offset", "N", "the 4-byte word of the page that is touched, 0 to 1023; -1 or random (default)"},
     read_offset},
    {"",
     {"--load-before-store", "", "what is written was read first, in the same timed pair"},
     [](PagingOptions& o, const std::string&) { return o.plan.touch.load_before_store = true, Outcome{}; }},
    {"",
     {"--delay", "TICKS", "clock ticks between two accesses (0), 11 or more"},
     [](PagingOptions& o, const std::string& v) {
       return read_number("--delay", v, 0, 1'000'000'000'000, o.plan.touch.delay_ticks);
     }},
    {"",
     {"--seed", "N", "of pattern, offsets, reads and writes, fill (1); each repetition has the next"},
     [](PagingOptions& o, const std::string& v) {
       auto ok = read_number("--seed", v, 0, 1'000'000'000'000'000'000, o.plan.pattern.seed);
       o.plan.region.seed = o.plan.pattern.seed;
       return ok;
     }},

    {"who and how long",
     {"--threads", "N", "threads of each process (1)"},
     [](PagingOptions& o, const std::string& v) { return read_number("--threads", v, 1, 4096, o.plan.threads); }},
    {"",
     {"--processes", "N", "processes, each with a map of its own (1)"},
     [](PagingOptions& o, const std::string& v) { return read_number("--processes", v, 1, 1024, o.plan.processes); }},
    {"",
     {"--cpus", "LISTS", "CPUs of the threads: 0-3 for all, 0:1:2,3 for the first, second and third in turn"},
     [](PagingOptions& o, const std::string& v) { return read_cpu_lists(v, o.plan.thread_cpus); }},
    {"",
     {"--cpunode", "NODES", "CPUs of these NUMA nodes: 0 for all, 0:1 in turn"},
     [](PagingOptions& o, const std::string& v) { return read_node_lists(v, o.plan.thread_cpus); }},
    {"",
     {"--duration", "TIME", "of the measured window (10s)"},
     [](PagingOptions& o, const std::string& v) {
       return read_seconds("--duration", v, 0.001, kLongest_s, o.plan.duration_s);
     }},
    {"",
     {"--accesses", "N", "a thread ends after so many (0: when the time is over)"},
     [](PagingOptions& o, const std::string& v) {
       return read_number("--accesses", v, 0, 1e18, o.plan.touch.max_accesses);
     }},
    {"",
     {"--cold", "", "no warm-up before the window"},
     [](PagingOptions& o, const std::string&) { return o.plan.warmup = false, Outcome{}; }},
    {"",
     {"--warmup", "", "a warm-up of pmbench's length (default)"},
     [](PagingOptions& o, const std::string&) { return o.plan.warmup = true, Outcome{}; }},
    {"",
     {"--repeat", "N", "measure N times; all are kept, the median is shown, the score has an interval"},
     [](PagingOptions& o, const std::string& v) { return read_number("--repeat", v, 1, 10'000, o.repeat); }},
    {"",
     {"--settle", "", "before each repetition wait until the machine and the swap device are idle"},
     [](PagingOptions& o, const std::string&) { return o.settle = true, Outcome{}; }},
    {"",
     {"--no-settle", "", "do not (breakdown does unless told so)"},
     [](PagingOptions& o, const std::string&) { return o.settle = false, Outcome{}; }},
};

}  // namespace

std::span<const PagingRow> paging_load_rows() { return kRows; }

}  // namespace fathom::cli
