// Options of what is recorded, of the pressure on memory, and of the report.
#include "base/parse.h"
#include "cli/nvme_flags.h"
#include "cli/paging_rows.h"
#include "cli/paging_values.h"
#include "result/result.h"

namespace fathom::cli {
namespace {

using Outcome = base::Expected<void>;
using Row = PagingRow;

Outcome read_setting(PagingOptions& o, const std::string& value) {
  const auto equals = value.find('=');
  if (equals == std::string::npos || equals == 0)
    return usage_error(fmt::format("--setting={}: not NAME=VALUE", value), "", "`--setting=vm.swappiness=100`");
  o.pressure.settings.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  return {};
}

Outcome read_swaps(PagingOptions& o, const std::string& value) {
  for (const auto& part : split_swaps(value)) {
    auto swap = read_swap(part);
    if (!swap) return swap.error();
    o.swaps.push_back(std::move(*swap));
  }
  return {};
}

Outcome read_eta(PagingOptions& o, const std::string& value) {
  constexpr Named<job::Eta> kNames[] = {
      {"auto", job::Eta::automatic}, {"always", job::Eta::always}, {"never", job::Eta::never}};
  return read_named<job::Eta>("--eta", value, kNames, o.eta);
}

// A switch of the machine under a flag of its own. pressure/switches.h spells the value as the kernel's file wants it.
Outcome set_number(PagingOptions& o, const char* flag, const char* name, const std::string& value, int most) {
  int number = 0;
  if (auto ok = read_number(flag, value, 0, most, number); !ok) return ok;
  o.pressure.settings.emplace_back(name, std::to_string(number));
  return {};
}

Outcome set_onoff(PagingOptions& o, const char* flag, const char* name, const std::string& value) {
  constexpr Named<bool> kNames[] = {{"on", true}, {"off", false}};
  bool on = false;
  if (auto ok = read_named<bool>(flag, value, kNames, on); !ok) return ok;
  o.pressure.settings.emplace_back(name, value);
  return {};
}

constexpr Row kRows[] = {
    {"what is recorded",
     {"--stamps", "NAME", "fenced (default), rdtscp, rdtsc, clock_gettime"},
     [](PagingOptions& o, const std::string& v) {
       return o.stamps_given = true, read_stamps("--stamps", v, o.plan.touch.stamps);
     }},
    {"",
     {"--access", "HOW", "histogram (default), or touch: neither stamps nor latencies"},
     [](PagingOptions& o, const std::string& v) {
       constexpr Named<paging::AccessMode> kNames[] = {{"histogram", paging::AccessMode::histogram},
                                                       {"touch", paging::AccessMode::touch}};
       return read_named<paging::AccessMode>("--access", v, kNames, o.plan.touch.mode);
     }},
    {"",
     {"--no-classify", "", "do not ask the kernel which accesses faulted, as pmbench does not"},
     [](PagingOptions& o, const std::string&) { return o.plan.touch.classify = false, Outcome{}; }},
    {"",
     {"--slow-above", "TIME", "accesses from here on are looked up (measured on this machine before the run)"},
     [](PagingOptions& o, const std::string& v) { return read_ns("--slow-above", v, o.plan.touch.slow_above_ns); }},
    {"",
     {"--mark-above", "TIME", "slower accesses leave a line in the kernel's trace_marker"},
     [](PagingOptions& o, const std::string& v) { return read_ns("--mark-above", v, o.plan.touch.mark_above_ns); }},

    {"pressure",
     {"--limit", "SIZE", "memory of the measuring processes, by a memory cgroup"},
     [](PagingOptions& o, const std::string& v) { return read_pages("--limit", v, o.pressure.limit_bytes); }},
    {"", {"--swap", "WHERE", "zram:SIZE[:ALGORITHM], file:PATH:SIZE, dev:/dev/x, current (default), none"}, read_swaps},
    {"",
     {"--only", "", "turn other active swaps off for the run"},
     [](PagingOptions& o, const std::string&) { return o.pressure.only = true, Outcome{}; }},
    {"",
     {"--force", "", "run a set that does not fit into memory and swap"},
     [](PagingOptions& o, const std::string&) { return o.pressure.force = true, Outcome{}; }},
    {"",
     {"--allow-destructive", "DEV", "allow swap on a block device that is in use or holds data"},
     [](PagingOptions& o, const std::string& v) { return o.pressure.allow_destructive.push_back(v), Outcome{}; }},
    {"",
     {"--page-cluster", "N", "pages read at once from swap, as a power of two: vm.page-cluster"},
     [](PagingOptions& o, const std::string& v) { return set_number(o, "--page-cluster", "vm.page-cluster", v, 31); }},
    {"",
     {"--swappiness", "N", "vm.swappiness, 0 to 200"},
     [](PagingOptions& o, const std::string& v) { return set_number(o, "--swappiness", "vm.swappiness", v, 200); }},
    {"",
     {"--zswap", "on|off", "the compressed cache in front of swap"},
     [](PagingOptions& o, const std::string& v) { return set_onoff(o, "--zswap", "zswap.enabled", v); }},
    {"",
     {"--numa-balancing", "N", "kernel.numa_balancing: 0 off, 1 on, 2 memory tiering"},
     [](PagingOptions& o, const std::string& v) {
       return set_number(o, "--numa-balancing", "kernel.numa_balancing", v, 3);
     }},
    {"",
     {"--demotion", "on|off", "reclaim to a slower node instead of to swap"},
     [](PagingOptions& o, const std::string& v) { return set_onoff(o, "--demotion", "numa.demotion_enabled", v); }},
    {"",
     {"--lru-gen", "N", "the multi-generational LRU's switches, a sum of 1, 2 and 4"},
     [](PagingOptions& o, const std::string& v) { return set_number(o, "--lru-gen", "lru_gen.enabled", v, 7); }},
    {"", {"--setting", "NAME=VALUE", "any other switch that the report lists: thp.enabled=always"}, read_setting},

    {"report",
     {"--output-format", "LIST",
      "text, text-ascii, json, json+, xml (pmbench's, and more), csv (as pmbench's GUI exports), pmbench (lines of its "
      "text "
      "that scripts read)"},
     [](PagingOptions& o, const std::string& v) { return read_formats(v, o.formats); }},
    {"",
     {"--schema", "N", "of JSON: the schema before this one, by its number"},
     [](PagingOptions& o, const std::string& v) {
       return read_number("--schema", v, result::kOldestWritten, result::kSchemaVersion, o.schema);
     }},
    {"",
     {"--output", "FILE", "write the report there, not to standard output"},
     [](PagingOptions& o, const std::string& v) { return o.output = v, Outcome{}; }},
    {"",
     {"--import", "FILE", "measure nothing: print the XML report of pmbench, or ours, in another format"},
     [](PagingOptions& o, const std::string& v) { return o.import_file = v, Outcome{}; }},
    {"", {"--eta", "WHEN", "status line: auto (on a terminal), always, never"}, read_eta},
    {"",
     {"--audit", "auto|off", "hold the classes and the swap device's bytes against the kernel's counters (auto)"},
     [](PagingOptions& o, const std::string& v) {
       constexpr Named<bool> kNames[] = {{"auto", true}, {"off", false}};
       return read_named<bool>("--audit", v, kNames, o.audit);
     }},
};

}  // namespace

std::span<const PagingRow> paging_machine_rows() { return kRows; }

}  // namespace fathom::cli
