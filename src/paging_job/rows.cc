// The options of the load (pages, accesses, threads, duration), of the recorded data, of memory pressure and of the
// report.
#include "paging_job/rows.h"

#include <algorithm>
#include <deque>

#include "job/switches.h"
#include "options/live_row.h"
#include "options/rows.h"
#include "paging_job/swap.h"
#include "paging_job/values.h"
#include "report/paging_formats.h"
#include "result/result.h"

namespace fathom::paging_job {
namespace {

using namespace options;
using paging::Fill, paging::Memory, paging::Thp, paging::AccessMode;
using paging::PatternPlan, paging::Plan, paging::PressurePlan, paging::RegionPlan, paging::TouchPlan;

constexpr std::uint64_t kSecond = 1'000'000'000, kMillisecond = 1'000'000;
constexpr std::uint64_t kLongest = kSecond * 30 * 86400;

Outcome read_pattern(PatternPlan& pattern, const Value& value) {
  const auto colon = value.text.find(':');
  const auto kind = value.text.substr(0, colon);
  const bool of_file = kind == "profile" || kind == "trace";
  pattern.name = of_file ? kind : value.text;
  if (!of_file) return {};
  pattern.file = colon == std::string_view::npos ? "" : value.text.substr(colon + 1);
  if (!pattern.file.empty()) return {};
  return wrong("no file", "", fmt::format("`{}:FILE`", value.with(kind)), value.text);
}

// The part after the colon of "compressible:50", "file-shared:/x".
std::string_view behind_colon(std::string_view text) {
  const auto colon = text.find(':');
  return colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
}

Outcome read_fill(RegionPlan& region, const Value& value) {
  int kind = 0;
  if (auto problem = read_choice(value, kind)) return problem;
  region.fill = static_cast<Fill>(kind);
  if (region.fill != Fill::compressible) return {};
  return apply::percent<&RegionPlan::fill_percent>(Targets(region), value.part(behind_colon(value.text)));
}

Outcome read_memory(RegionPlan& region, const Value& value) {
  int kind = 0;
  if (auto problem = read_choice(value, kind)) return problem;
  region.memory = static_cast<Memory>(kind);
  region.file = behind_colon(value.text);
  return {};
}

Outcome read_offset(PatternPlan& pattern, const Value& value) {
  if (value.text == "random" || value.text == "-1") return pattern.offset_words = -1, Outcome();
  std::uint64_t words = 0;
  auto problem = read_number(value, words);
  if (!problem) pattern.offset_words = static_cast<std::int64_t>(words);
  return problem;
}

Outcome read_advice(RegionPlan& region, const Value& value) {
  for (const auto part : options::split(value.text, ',')) region.advice.emplace_back(part);
  return {};
}

Outcome read_setting(PressurePlan& pressure, const Value& value) {
  const auto equals = value.text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return wrong("not NAME=VALUE", "", fmt::format("`{}`", value.with("vm.swappiness=100")), value.text);
  pressure.settings.emplace_back(value.text.substr(0, equals), value.text.substr(equals + 1));
  return {};
}

Outcome read_swaps(Request& o, const Value& value) {
  for (const auto& part : split_swaps(std::string(value.text))) {
    auto swap = read_swap(part);
    if (!swap) return wrong(swap.error().what, "", swap.error().help, value.text);
    o.swaps.push_back(std::move(*swap));
  }
  return {};
}

template <auto Member>
constexpr Row pages(Texts texts) {
  return {texts,
          Type::bytes,
          kPage_bytes,
          kMostMap_bytes,
          0,
          false,
          {},
          [](const Targets& targets, const Value& value) {
            return read_pages(value, member<Member>(targets)); }};
}

Outcome read_cost(Request& o, const Value& value) {
  o.cost_ns = job::kUsualCost_ns;
  return value.text.empty() ? Outcome() : read_number(value, o.cost_ns);
}

// An option for a kernel switch. paging/pressure/state/switches.h converts the value to the format of the kernel's
// file.
template <const char* Name>
Outcome set_switch(PressurePlan& pressure, const Value& value) {
  int chosen = 0;
  std::uint64_t number = 0;
  const bool named = !value.row.choices.empty();
  if (auto problem = named ? read_choice(value, chosen) : read_number(value, number)) return problem;
  pressure.settings.emplace_back(Name, named ? std::string(value.text) : std::to_string(number));
  return {};
}
template <const char* Name>
constexpr Row kernel_switch(Texts texts, std::uint64_t most) {
  return special<set_switch<Name>>(texts, Type::count, 0, most);
}
constexpr Choice kOnOff[] = {{"on", 1, ""}, {"off", 0, ""}};
template <const char* Name>
constexpr Row kernel_switch(Texts texts) {
  return special<set_switch<Name>>(texts, Type::choice, 0, 0, 0, false, kOnOff);
}
constexpr char kPageCluster[] = "vm.page-cluster", kSwappiness[] = "vm.swappiness", kZswap[] = "zswap.enabled",
               kNumaBalancing[] = "kernel.numa_balancing", kDemotion[] = "numa.demotion_enabled",
               kLruGen[] = "lru_gen.enabled";

constexpr Choice kMemories[] = {{"anonymous", int(Memory::anonymous), ""},
                                {"file-private:", int(Memory::file_private), "PATH"},
                                {"file-shared:", int(Memory::file_shared), "PATH"},
                                {"memfd", int(Memory::memfd), ""},
                                {"hugetlb", int(Memory::hugetlb), "reserve pages first: sysctl vm.nr_hugepages=N"}};
constexpr Choice kFills[] = {{"none", int(Fill::none), "accesses include the first touch"},
                             {"zero", int(Fill::zero), ""},
                             {"random", int(Fill::random), ""},
                             {"legacy", int(Fill::legacy), "as pmbench -i"},
                             {"compressible:", int(Fill::compressible), "PERCENT"}};
constexpr Choice kThps[] = {
    {"system", int(Thp::system), ""}, {"always", int(Thp::always), ""}, {"never", int(Thp::never), ""}};
constexpr Choice kAccesses[] = {{"histogram", int(AccessMode::histogram), ""},
                                {"touch", int(AccessMode::touch), "no timestamps and no latencies"}};
constexpr Choice kAudits[] = {{"auto", true, ""}, {"off", false, ""}};

constexpr Row kTouched[] = {
    pages<&RegionPlan::map_bytes>(
        {"map=SIZE", "256M, or the set", "size of the mapped memory; untouched pages take no memory"}),
    pages<&RegionPlan::set_bytes>(
        {"set=SIZE", "half of the map", "size of the working set: the part that is accessed"}),
    special<read_memory>({"memory=KIND", "anonymous", ""}, Type::choice, 0, 0, 0, false, kMemories),
    flag<&RegionPlan::overwrite_file>({"overwrite-file", "", "file-shared: overwrite an existing file"}),
    special<read_fill>({"fill=HOW", "none", "fill the memory before the run"}, Type::choice, 0, 0, 0, false, kFills),
    flag<&RegionPlan::fill_map>({"fill-map", "", "fill the whole map, not only the set, as pmbench -i does"}),
    choice<&RegionPlan::thp>({"thp=WHEN", "system", "transparent huge pages for this memory"}, kThps),
    special<read_advice>({"madvise=LIST", "", "call madvise(2) with these: random, sequential, hugepage, ..."},
                         Type::list),
    numbers<&RegionPlan::memory_nodes>({"membind=NODES", "", "place the memory on these NUMA nodes: 0,2-3"}),
    count<&RegionPlan::initial_node>(
        {"initial-node=NODE", "", "place all pages on NODE first, then let the kernel move them"}, 0, 1023),
};

constexpr Row kHow[] = {
    special<read_pattern>({"pattern=NAME", "uniform",
                           "uniform, linear, normal, normal_ih, pareto, zipf, hot, profile:FILE, trace:FILE, or "
                           "legacy:NAME: pmbench's own"},
                          Type::text),
    special<read_shape>(
        {"shape=X", "", "linear: stride in pages; normal: standard deviation in pages; pareto, zipf: exponent"},
        Type::real),
    flag<&PatternPlan::permute>({"permute", "", "scatter the pages, so that hot pages are not adjacent"}),
    flag<&PatternPlan::trace_loop>({"trace-loop", "", "repeat the trace until the time is over"}),
    percent<&PatternPlan::hot_access_percent>({"hot-access=PERCENT", "80", "pattern hot: share of accesses ..."}),
    percent<&PatternPlan::hot_set_percent>({"hot-set=PERCENT", "20", "... to this share of the set"}),
    time_in<&PatternPlan::hot_move_s>({"hot-move=TIME", "0", "move the hot set every TIME; 0: never"}, 0, kLongest),
    percent<&PatternPlan::read_percent>({"read-ratio=PERCENT", "50", "share of reads"}),
    special<read_offset>({"offset=N", "random", "touch this 4-byte word of the page, 0 to 1023; -1: random"},
                         Type::count, 0, 1023),
    flag<&TouchPlan::load_before_store>({"load-before-store", "", "read before each write, within the timed access"}),
    count<&TouchPlan::delay_ticks>({"delay=TICKS", "0", "wait TICKS clock ticks between two accesses, 11 or more"}, 0,
                                   1'000'000'000'000),
    count<&PatternPlan::seed>(
        {"seed=N", "1", "seed of pattern, offsets, reads and writes, fill; each repetition uses the next"}, 0,
        1'000'000'000'000'000'000),
};

constexpr Row kWho[] = {
    count<&Plan::threads>({"threads=N", "1", "threads of each process"}, 1, 4096),
    count<&Plan::processes>({"processes=N", "1", "processes, each with its own map"}, 1, 1024),
    special<read_cpu_lists>(
        {"cpus=LISTS", "", "run the threads on these CPUs: 0-3 for all, 0:1:2,3 for the first, second, third in turn"},
        Type::list),
    special<read_node_lists>(
        {"cpunode=NODES", "", "run the threads on the CPUs of these NUMA nodes: 0 for all, 0:1 in turn"}, Type::list),
    time_in<&Plan::duration_s>({"duration=TIME", "10s", "length of the measurement"}, kMillisecond, kLongest),
    count<&TouchPlan::max_accesses>({"accesses=N", "0", "stop a thread after N accesses; 0: when the time is over"}, 0,
                                    1'000'000'000'000'000'000),
    flag<&Plan::warmup, true>({"cold", "", "no warm-up before the measurement"}),
    flag<&Plan::warmup>({"warmup", "default", "warm up as long as pmbench does"}),
    count<&Request::repeat>(
        {"repeat=N", "1", "measure N times; keep all, show the median, print an interval for accesses per second"}, 1,
        10'000),
    flag<&Request::settle>(
        {"settle", "", "wait before each repetition until the machine and the swap device are idle"}),
    flag<&Request::settle, true>({"no-settle", "", "do not wait (default of run; breakdown waits)"}),
};

constexpr Row kRecorded[] = {
    choice<&TouchPlan::stamps>({"stamps=NAME", "fenced", ""}, kStampChoices),
    choice<&TouchPlan::mode>({"access=HOW", "histogram", ""}, kAccesses),
    flag<&TouchPlan::classify, true>(
        {"no-classify", "", "do not classify accesses by the kernel's fault counters, as pmbench"}),
    duration<&TouchPlan::slow_above_ns>(
        {"slow-above=TIME", "", "classify accesses of TIME or longer (default: measured on this machine)"}, 1, 1,
        kMaxU64),
    duration<&TouchPlan::mark_above_ns>(
        {"mark-above=TIME", "", "write a line to the kernel's trace_marker for slower accesses"}, 1, 1, kMaxU64),
};

constexpr Row kPressure[] = {
    pages<&PressurePlan::limit_bytes>(
        {"limit=SIZE", "", "limit the memory of the measuring processes with a memory cgroup"}),
    special<read_swaps>(
        {"swap=WHERE", "", "zram:SIZE[:ALGORITHM], file:PATH:SIZE, dev:/dev/x, current (default), none"}, Type::list),
    flag<&PressurePlan::only>({"only", "", "disable other active swap devices for the run"}),
    flag<&PressurePlan::force>(
        {"force", "",
         "run although the set does not fit into memory and swap; overwrite a file that fathom did not write"}),
    append<&PressurePlan::allow_destructive>(
        {"allow-destructive=DEV", "", "allow swap on a block device that holds data (one in use is refused)"}),
    kernel_switch<kPageCluster>({"page-cluster=N", "", "vm.page-cluster: read 2^N pages from swap at once"}, 31),
    kernel_switch<kSwappiness>({"swappiness=N", "", "vm.swappiness, 0 to 200"}, 200),
    kernel_switch<kZswap>({"zswap=WHEN", "", "enable or disable the compressed cache in front of swap"}),
    kernel_switch<kNumaBalancing>({"numa-balancing=N", "", "kernel.numa_balancing: 0 off, 1 on, 2 memory tiering"}, 3),
    kernel_switch<kDemotion>({"demotion=WHEN", "", "reclaim to a slower NUMA node instead of to swap"}),
    kernel_switch<kLruGen>({"lru-gen=N", "", "multi-generational LRU: 0 (off), or a sum of the bits 1, 2 and 4"}, 7),
    special<read_setting>(
        {"setting=NAME=VALUE", "", "set another kernel setting that the report lists: thp.enabled=always (repeatable)"},
        Type::text),
};

const std::string kFormatText = report::described(report::paging_formats());
const Row kReport[] = {
    special<read_formats>({"output-format=LIST", "text", kFormatText}, Type::list),
    gone("schema=N", job::kSchemaIsGone),
    text<&ReportOptions::output>({"output o=FILE", "",
                                  "write to FILE instead of standard output; FILE.html: an HTML page, without "
                                  "--output-format"}),
    text<&ReportOptions::page_file>({"report=FILE", "", "also write an HTML report to FILE"}),
    special<read_live<&ReportOptions::live>>({"live=WHAT", "", kLiveHelp}, Type::text),
    text<&ReportOptions::import_file>(
        {"import=FILE", "", "measure nothing; print an XML report of pmbench or fathom in another format"}),
    flag<&ReportOptions::strict>({"strict", "", "exit with status 1 when the checks fail"}),
    flag<&ReportOptions::keep>({"keep", "", "after the report, store the run in the history (fathom history)"}),
    text<&ReportOptions::history>(
        {"history=FILE", "", "with --keep: file of the history (default: $XDG_DATA_HOME/fathom/history.db)"}),
    choice<&ReportOptions::eta>({"eta=WHEN", "auto", "status line"}, job::kEtas),
    choice<&Request::audit>(
        {"audit=WHEN", "auto", "compare classes and bytes of the swap device with the kernel's counters"}, kAudits),
    special<read_cost>({"cost=[TIME]", "",
                        "touch the memory for TIME before the measurement, to measure probe overhead (default: 10s)"},
                       Type::duration, job::kLeastCost_ns, kMaxU64, kSecond),
};

constexpr Group kGroups[] = {{"memory", kTouched},     {"accesses", kHow},      {"threads and time", kWho},
                             {"recording", kRecorded}, {"pressure", kPressure}, {"report", kReport}};

// Defaults and help that differ between a breakdown and a run. breakdown_defaults() and check_breakdown() apply them.
struct Other {
  std::string_view name, fallback, help;  // no help: that of the row
};
constexpr Other kOthers[] = {
    {"map", "the set, or 2 x limit", ""},
    {"set", "the map", ""},
    {"fill", "random", ""},
    {"threads", "2", ""},
    {"duration", "20s", ""},
    {"cold", "default", ""},
    {"warmup", "", ""},
    {"repeat", "3", "measure each swap N times, in turns"},
    {"settle", "default", ""},
    {"no-settle", "", "do not wait (default: wait)"},
    {"limit", "512M", ""},
    {"swap", "", "a comma list of zram:SIZE[:ALGORITHM], file:PATH:SIZE, dev:/dev/x, current, none"},
    {"page-cluster", "0", ""},
    {"output-format", "", "text, text-ascii, html, json, json+, csv (as pmbench's GUI exports)"},
};
// Parsed, then refused with the reason (conflicts.cc).
constexpr std::string_view kOnlyOfARun = "access no-classify import cost keep history";

}  // namespace

std::span<const Group> run_rows() { return kGroups; }

std::span<const Group> breakdown_rows() {
  static std::deque<std::vector<Row>> rows;
  static const std::vector<Group> groups = [] {
    std::vector<Group> all;
    for (const auto& group : kGroups) {
      auto& own = rows.emplace_back(group.rows.begin(), group.rows.end());
      for (auto& row : own) {
        if (has_item(kOnlyOfARun, row.name())) row.texts.status = Status::hidden;
        for (const auto& other : kOthers)
          if (other.name == row.name()) {
            row.texts.fallback = other.fallback;
            if (!other.help.empty()) row.texts.help = other.help;
          }
      }
      all.push_back({group.title, own});
    }
    return all;
  }();
  return groups;
}

Targets targets_of(Command& command) {
  auto& [request, report, help] = command;
  auto& plan = request.plan;
  return Targets(request, report, plan, plan.region, plan.pattern, plan.touch, request.pressure);
}

}  // namespace fathom::paging_job
