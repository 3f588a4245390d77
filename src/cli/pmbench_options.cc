// getopt_long(3) does the splitting, as argp_parse(3) does it in pmbench: options may stand after the duration, be run
// together (-ci), be cut short (--map=64) and be given again, where the last counts (but each -y is one set more).
#include "cli/pmbench_options.h"

#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/affinity.h"
#include "base/parse.h"
#include "cli/nvme_flags.h"
#include "cli/paging_values.h"
#include "paging/region.h"

namespace fathom::cli {
namespace {

using Outcome = base::Expected<void>;

constexpr double kShape = 1.00001;
constexpr long kMostMib = 1l << 27;
constexpr double kLeastInt = -2147483648.0, kMostInt = 2147483647.0;  // what pmbench keeps its numbers in

Outcome read_mib(const char* flag, const std::string& value, std::uint64_t& bytes) {
  std::uint64_t mib = 0;
  auto ok = read_number(flag, value, 1, kMostMib, mib);
  bytes = mib << 20;
  return ok;
}

Outcome read_access(PagingOptions& o, const std::string& value) {
  constexpr Named<paging::AccessMode> kNames[] = {{"histo", paging::AccessMode::histogram},
                                                  {"touch", paging::AccessMode::touch}};
  return read_named<paging::AccessMode>("-a", value, kNames, o.plan.touch.mode);
}

Outcome read_timestamp(PagingOptions& o, const std::string& value) {
  using paging::Stamps;
  constexpr Named<Stamps> kNames[] = {
      {"rdtscp", Stamps::rdtscp}, {"rdtsc", Stamps::rdtsc}, {"perfc", Stamps::clock_gettime}};
  return read_named<Stamps>("-t", value, kNames, o.plan.touch.stamps);
}

Outcome read_pattern(PagingOptions& o, const std::string& value) {
  constexpr std::string_view kNames[] = {"linear", "uniform", "normal", "normal_ih", "pareto", "zipf"};
  const std::string_view bare = value.starts_with("legacy:") ? std::string_view(value).substr(7) : value;
  if (std::find(std::begin(kNames), std::end(kNames), bare) == std::end(kNames))
    return unknown_name("-p", value, kNames, ", or legacy: and one of them");
  o.plan.pattern.name = value;
  return {};
}

std::vector<int> nodes_of(const std::vector<int>& cpus) {
  std::vector<int> nodes;
  for (const int node : paging::memory_nodes()) {
    const auto of_node = paging::node_cpus(node);
    const bool used = std::any_of(cpus.begin(), cpus.end(),
                                  [&](int c) { return std::find(of_node.begin(), of_node.end(), c) != of_node.end(); });
    if (used) nodes.push_back(node);
  }
  return nodes;
}

// As numa_parse_cpustring_all(3): "0,2-5", "all", and "!0-3" for all but these.
Outcome read_cpu_string(const std::string& value, std::vector<int>& cpus) {
  cpus = base::allowed_cpus();
  if (value == "all") return {};
  if (!value.starts_with('!')) return read_cpus("-y", value, cpus);
  std::vector<int> without;
  if (auto ok = read_list("-y", value.substr(1), without); !ok) return ok;
  std::erase_if(cpus, [&](int cpu) { return std::find(without.begin(), without.end(), cpu) != without.end(); });
  if (!cpus.empty()) return {};
  return usage_error(fmt::format("-y {}: no CPU is left", value), "", "`-y all`");
}

// "0-3:2": two threads on these CPUs, their memory on these CPUs' nodes. Without a number a thread for each CPU. Each
// set has a map of its own; here that is a process of its own.
Outcome read_affinity(PagingOptions& o, const std::string& value) {
  const auto colon = value.find(':');
  std::vector<int> cpus;
  if (auto ok = read_cpu_string(value.substr(0, colon), cpus); !ok) return ok;
  int threads = static_cast<int>(cpus.size());
  if (colon != std::string::npos)
    if (auto ok = read_number("-y", value.substr(colon + 1), 1, 4096, threads); !ok) return ok;
  auto& plan = o.plan;
  plan.process_threads.push_back(threads);
  plan.process_nodes.push_back(nodes_of(cpus));
  plan.processes = static_cast<int>(plan.process_nodes.size());
  plan.thread_cpus.insert(plan.thread_cpus.end(), static_cast<std::size_t>(threads), cpus);
  return {};
}

struct Row {
  char letter;
  const char* name;
  const char* value;  // "": none
  const char* help;
  Outcome (*read)(PagingOptions& o, const std::string& value);
};
constexpr Row kRows[] = {
    {'m', "mapsize", "MIB", "map (256)",
     [](PagingOptions& o, const std::string& v) { return read_mib("-m", v, o.plan.region.map_bytes); }},
    {'s', "setsize", "MIB", "its part that is touched (128)",
     [](PagingOptions& o, const std::string& v) { return read_mib("-s", v, o.plan.region.set_bytes); }},
    {'a', "access", "HOW", "histo (default) or touch", read_access},
    {'p', "pattern", "NAME",
     "linear, uniform (default), normal, normal_ih, pareto, zipf; legacy:NAME for pmbench's own", read_pattern},
    {'e', "shape", "X", "the pattern's parameter (1.00001)",
     [](PagingOptions& o, const std::string& v) {
       double shape = 0;
       auto ok = read_number("-e", v, -1e18, 1e18, shape);
       o.plan.pattern.shape = shape;
       return ok;
     }},
    {'d', "delay", "TICKS", "between accesses (0); 10 or fewer are none",
     [](PagingOptions& o, const std::string& v) {
       return read_number("-d", v, 0, kMostInt, o.plan.touch.delay_ticks);
     }},
    {'q', "quiet", "", "no status line",
     [](PagingOptions& o, const std::string&) {
       o.quiet = true;
       o.eta = job::Eta::never;
       return Outcome{};
     }},
    {'c', "cold", "", "no warm-up",
     [](PagingOptions& o, const std::string&) { return o.plan.warmup = false, Outcome{}; }},
    {'t', "timestamp", "NAME", "rdtscp (default), rdtsc, perfc (clock_gettime)", read_timestamp},
    {'r', "ratio", "PERCENT", "reads (50)",
     [](PagingOptions& o, const std::string& v) { return read_percent("-r", v, o.plan.pattern.read_percent); }},
    {'o', "offset", "N", "word of the page, 0 to 1023 (-1, or any below 0: random)",
     [](PagingOptions& o, const std::string& v) {
       auto ok = read_number("-o", v, kLeastInt, 1023, o.plan.pattern.offset_words);
       o.plan.pattern.offset_words = std::max<std::int64_t>(-1, o.plan.pattern.offset_words);
       return ok;
     }},
    {'i', "initialize", "", "fill the map with random bytes first",
     [](PagingOptions& o, const std::string&) {
       o.plan.region.fill = paging::Fill::random;
       o.plan.region.fill_map = true;
       return Outcome{};
     }},
    {'h', "threshold", "NS", "slower accesses leave a line in the kernel's trace_marker",
     [](PagingOptions& o, const std::string& v) {
       return read_number("-h", v, 0, kMostInt, o.plan.touch.mark_above_ns);
     }},
    {'z', "wrneedsrd", "", "what is written was read first",
     [](PagingOptions& o, const std::string&) { return o.plan.touch.load_before_store = true, Outcome{}; }},
    {'f', "file", "FILE", "write the XML report there",
     [](PagingOptions& o, const std::string& v) { return o.xml_file = v, Outcome{}; }},
    {'j', "jobs", "N", "threads (1)",
     [](PagingOptions& o, const std::string& v) { return read_number("-j", v, 1, 4096, o.plan.threads); }},
    {'y', "affinityset", "CPUS[:THREADS]",
     "threads on these CPUs (0,2-5, all, !0), memory on their nodes; several sets: a map and threads of its own for "
     "each; not with -j",
     read_affinity},
};
constexpr std::string_view kNotBuilt = "xX";
constexpr int kHelp = '?' + 256, kUsage = 'u' + 256;

const Row* row_of(int letter) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.letter == letter; });
  return row == std::end(kRows) ? nullptr : row;
}

struct Split {
  std::vector<std::pair<const Row*, std::string>> options;
  std::vector<std::string> words;
  bool help = false, usage = false, version = false;  // any of them ends the reading
};

base::Error not_built(char letter) {
  base::Error e = usage_error(fmt::format("-{}: an option of pmbench (xalloc), and not built", letter),
                              "pmbench's own build has it switched off", "leave it out");
  e.kind = base::ErrorKind::not_built;
  return e;
}

// The letter, where it stands among others; else the word as it was written.
std::string wrong_option(const std::string& word) {
  return optopt != 0 && row_of(optopt) == nullptr ? fmt::format("-{}", static_cast<char>(optopt)) : word;
}

base::Expected<Split> split_options(std::span<const std::string> args) {
  std::string letters = ":V";
  std::vector<option> longs;
  for (const auto& row : kRows) {
    const bool takes = row.value[0] != '\0';
    letters += std::string(1, row.letter) + (takes ? ":" : "");
    longs.push_back({row.name, takes ? required_argument : no_argument, nullptr, row.letter});
  }
  longs.push_back({"help", no_argument, nullptr, kHelp});
  longs.push_back({"usage", no_argument, nullptr, kUsage});
  longs.push_back({"version", no_argument, nullptr, 'V'});
  longs.push_back({nullptr, 0, nullptr, 0});
  std::vector<std::string> copies{"pmbench"};
  copies.insert(copies.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (auto& copy : copies) argv.push_back(copy.data());
  argv.push_back(nullptr);
  const int argc = static_cast<int>(copies.size());

  Split split;
  opterr = 0;
  optind = 0;
  for (int c; (c = ::getopt_long(argc, argv.data(), letters.c_str(), longs.data(), nullptr)) != -1;) {
    const std::string word = argv[static_cast<std::size_t>(optind - 1)];
    if (c == kHelp || (c == '?' && (optopt == '?' || word == "-?"))) return split.help = true, split;
    if (c == kUsage) return split.usage = true, split;
    if (c == 'V') return split.version = true, split;
    if (c == ':') return usage_error(fmt::format("{}: a value is missing", word), "", "`pmbench --help` lists them");
    if (c == '?' && optopt != 0 && kNotBuilt.find(static_cast<char>(optopt)) != kNotBuilt.npos)
      return not_built(static_cast<char>(optopt));
    const Row* row = row_of(c);
    if (c == '?' || row == nullptr)
      return usage_error(fmt::format("{}: no such option of pmbench", wrong_option(word)), "",
                         "`pmbench --help` lists them");
    split.options.emplace_back(row, optarg != nullptr ? optarg : "");
  }
  for (int i = optind; i < argc; ++i) split.words.emplace_back(argv[static_cast<std::size_t>(i)]);
  return split;
}

void settle_threads(paging::Plan& plan) {
  auto& of_sets = plan.process_threads;
  if (of_sets.empty()) return;
  plan.threads = *std::max_element(of_sets.begin(), of_sets.end());
  if (std::all_of(of_sets.begin(), of_sets.end(), [&](int n) { return n == plan.threads; })) of_sets.clear();
}

void settle_delay(PagingOptions& o) {
  auto& ticks = o.plan.touch.delay_ticks;
  if (ticks == 0 || ticks > paging::kNoDelay_ticks) return;
  o.findings.push_back({"paging.no_delay", result::Severity::note, "",
                        fmt::format("-d {}: no delay was made, as pmbench makes none of {} ticks or fewer", ticks,
                                    paging::kNoDelay_ticks),
                        "-d 11 or more"});
  ticks = 0;
}

// The report has the shape as written. pmbench takes whole pages where it is of pages, and ignores it elsewhere.
Outcome settle_shape(PagingOptions& o, const Split& split) {
  auto& pattern = o.plan.pattern;
  o.shown_shape = pattern.shape;
  if (pattern.name == "uniform" || pattern.name == "normal_ih") pattern.shape.reset();
  if (pattern.name != "linear" && pattern.name != "normal") return {};
  pattern.shape = std::trunc(*pattern.shape);
  const std::uint64_t pages = o.plan.region.set_bytes >> 12;
  if (*pattern.shape >= 1 && *pattern.shape <= static_cast<double>(pages)) return {};
  std::string value;
  for (const auto& [row, v] : split.options)
    if (row->letter == 'e') value = v;
  return usage_error(fmt::format("-e {}: not from 1 to {}, the pages of the set", value, pages),
                     fmt::format("pmbench takes whole pages of it: {:.0f}, as the {}", *pattern.shape,
                                 pattern.name == "linear" ? "stride" : "standard deviation"),
                     "");
}

Outcome check(PagingOptions& o, const Split& split) {
  const auto given = [&](char letter) {
    return std::any_of(split.options.begin(), split.options.end(),
                       [&](const auto& p) { return p.first->letter == letter; });
  };
  if (given('y') && given('j'))
    return usage_error("-y: it excludes -j", "", "threads stand behind a colon: `-y 0-3:2`");
  if (o.plan.touch.mode == paging::AccessMode::touch && o.plan.touch.mark_above_ns > 0)
    return usage_error("-h: there are no latencies with -a touch", "", "leave one of them out");
  auto& region = o.plan.region;
  if (region.set_bytes > region.map_bytes)
    return usage_error(
        fmt::format("-s {}: larger than the map of {} MiB", region.set_bytes >> 20, region.map_bytes >> 20), "",
        "write a smaller -s or a larger -m");
  settle_threads(o.plan);
  settle_delay(o);
  return settle_shape(o, split);
}

}  // namespace

base::Expected<PmbenchOptions> read_pmbench_options(std::span<const std::string> args) {
  PmbenchOptions o;
  o.plan.pattern.shape = kShape;
  o.plan.touch.stamps = paging::Stamps::rdtscp;
  o.stamps_given = o.map_given = o.set_given = true;
  const auto split = split_options(args);
  if (!split) return split.error();
  o.help = split->help;
  o.usage = split->usage;
  o.version = split->version;
  if (o.help || o.usage || o.version) return o;
  for (const auto& [row, value] : split->options)
    if (auto ok = row->read(o, value); !ok) return ok.error();
  if (split->words.size() != 1)
    return usage_error(
        split->words.empty() ? "the duration is missing" : fmt::format("`{}` is one word too many", split->words[1]),
        "", "pmbench [options] SECONDS: `pmbench -m 256 -s 128 10`");
  std::uint64_t seconds = 0;
  if (auto ok = read_number("duration", split->words[0], 1, 30 * 86400, seconds); !ok) return ok.error();
  o.plan.duration_s = static_cast<double>(seconds);
  if (auto ok = check(o, *split); !ok) return ok.error();
  return o;
}

std::string pmbench_help() {
  std::string out =
      "usage: pmbench [options] SECONDS\n\n"
      "pmbench's command line, measured by fathom; `fathom paging --help` has more.\n\n";
  for (const auto& row : kRows)
    out +=
        fmt::format("  -{}, --{:<29}{}\n", row.letter,
                    row.value[0] == '\0' ? std::string(row.name) : fmt::format("{}={}", row.name, row.value), row.help);
  return out + "  -?, --help\n      --usage\n  -V, --version\n";
}

std::string pmbench_usage() {
  std::string alone, with_value;
  for (const auto& row : kRows) {
    if (row.value[0] == '\0')
      alone += row.letter;
    else
      with_value += fmt::format(" [-{} {}]", row.letter, row.value);
  }
  return fmt::format("usage: pmbench [-{}?V]{} SECONDS\n", alone, with_value);
}

}  // namespace fathom::cli
