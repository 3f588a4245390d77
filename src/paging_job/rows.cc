// Rows of the load (what is touched, how, by whom, for how long), of what is recorded, of the pressure on memory and of
// the report.
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

// The part behind the colon of "compressible:50", "file-shared:/x".
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

// A switch of the machine under a flag of its own. paging/pressure/state/switches.h spells the value as the kernel's file wants it.
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
constexpr Choice kFills[] = {{"none", int(Fill::none), "first touch is part of it"},
                             {"zero", int(Fill::zero), ""},
                             {"random", int(Fill::random), ""},
                             {"legacy", int(Fill::legacy), "as pmbench -i"},
                             {"compressible:", int(Fill::compressible), "PERCENT"}};
constexpr Choice kThps[] = {
    {"system", int(Thp::system), ""}, {"always", int(Thp::always), ""}, {"never", int(Thp::never), ""}};
constexpr Choice kAccesses[] = {{"histogram", int(AccessMode::histogram), ""},
                                {"touch", int(AccessMode::touch), "neither stamps nor latencies"}};
constexpr Choice kAudits[] = {{"auto", true, ""}, {"off", false, ""}};

constexpr Row kTouched[] = {
    pages<&RegionPlan::map_bytes>(
        {"map=SIZE", "256M, or the set", "memory that is mapped; costs nothing until it is touched"}),
    pages<&RegionPlan::set_bytes>({"set=SIZE", "half of the map", "its first part, in which accesses fall"}),
    special<read_memory>({"memory=KIND", "anonymous", ""}, Type::choice, 0, 0, 0, false, kMemories),
    flag<&RegionPlan::overwrite_file>(
        {"overwrite-file", "", "file-shared: what a file that is there holds may be destroyed"}),
    special<read_fill>({"fill=HOW", "none", "before the run"}, Type::choice, 0, 0, 0, false, kFills),
    flag<&RegionPlan::fill_map>({"fill-map", "", "fill all of the map and not the set alone, as pmbench -i does"}),
    choice<&RegionPlan::thp>({"thp=WHEN", "system", "transparent huge pages of this memory"}, kThps),
    special<read_advice>({"madvise=LIST", "", "madvise(2)'s names in small letters: random, sequential, hugepage, ..."},
                         Type::list),
    numbers<&RegionPlan::memory_nodes>({"membind=NODES", "", "NUMA nodes of the memory: 0,2-3"}),
    count<&RegionPlan::initial_node>(
        {"initial-node=NODE", "", "place all pages there first, then let the kernel move them"}, 0, 1023),
};

constexpr Row kHow[] = {
    special<read_pattern>({"pattern=NAME", "uniform",
                           "uniform, linear, normal, normal_ih, pareto, zipf, hot, profile:FILE, trace:FILE, or "
                           "legacy:NAME: pmbench's own"},
                          Type::text),
    special<read_shape>(
        {"shape=X", "", "linear: stride in pages; normal: standard deviation in pages; pareto, zipf: exponent"},
        Type::real),
    flag<&PatternPlan::permute>({"permute", "", "scatter the pages, so that hot ones are no neighbours"}),
    flag<&PatternPlan::trace_loop>({"trace-loop", "", "a trace begins again at its end, until the time is over"}),
    percent<&PatternPlan::hot_access_percent>({"hot-access=PERCENT", "80", "pattern hot: so many accesses ..."}),
    percent<&PatternPlan::hot_set_percent>({"hot-set=PERCENT", "20", "... fall into so much of the set"}),
    time_in<&PatternPlan::hot_move_s>({"hot-move=TIME", "0", "the hot set takes another place this often; 0: it stays"},
                                      0, kLongest),
    percent<&PatternPlan::read_percent>({"read-ratio=PERCENT", "50", "how many accesses are reads"}),
    special<read_offset>({"offset=N", "random", "the 4-byte word of the page that is touched, 0 to 1023; -1: random"},
                         Type::count, 0, 1023),
    flag<&TouchPlan::load_before_store>(
        {"load-before-store", "", "what is written was read first, in the same timed pair"}),
    count<&TouchPlan::delay_ticks>({"delay=TICKS", "0", "clock ticks between two accesses, 11 or more"}, 0,
                                   1'000'000'000'000),
    count<&PatternPlan::seed>(
        {"seed=N", "1", "of pattern, offsets, reads and writes, fill; each repetition has the next"}, 0,
        1'000'000'000'000'000'000),
};

constexpr Row kWho[] = {
    count<&Plan::threads>({"threads=N", "1", "threads of each process"}, 1, 4096),
    count<&Plan::processes>({"processes=N", "1", "processes, each with a map of its own"}, 1, 1024),
    special<read_cpu_lists>(
        {"cpus=LISTS", "", "CPUs of the threads: 0-3 for all, 0:1:2,3 for the first, second and third in turn"},
        Type::list),
    special<read_node_lists>({"cpunode=NODES", "", "CPUs of these NUMA nodes: 0 for all, 0:1 in turn"}, Type::list),
    time_in<&Plan::duration_s>({"duration=TIME", "10s", "of the measured window"}, kMillisecond, kLongest),
    count<&TouchPlan::max_accesses>({"accesses=N", "0", "a thread ends after so many; 0: when the time is over"}, 0,
                                    1'000'000'000'000'000'000),
    flag<&Plan::warmup, true>({"cold", "", "no warm-up before the window"}),
    flag<&Plan::warmup>({"warmup", "default", "a warm-up of pmbench's length"}),
    count<&Request::repeat>(
        {"repeat=N", "1", "measure N times; all are kept, the median is shown, the score has an interval"}, 1, 10'000),
    flag<&Request::settle>(
        {"settle", "", "before each repetition wait until the machine and the swap device are idle"}),
    flag<&Request::settle, true>({"no-settle", "", "do not (breakdown does unless told so)"}),
};

constexpr Row kRecorded[] = {
    choice<&TouchPlan::stamps>({"stamps=NAME", "fenced", ""}, kStampChoices),
    choice<&TouchPlan::mode>({"access=HOW", "histogram", ""}, kAccesses),
    flag<&TouchPlan::classify, true>(
        {"no-classify", "", "do not ask the kernel which accesses faulted, as pmbench does not"}),
    duration<&TouchPlan::slow_above_ns>(
        {"slow-above=TIME", "", "accesses from here on are looked up (measured on this machine before the run)"}, 1, 1,
        kMaxU64),
    duration<&TouchPlan::mark_above_ns>(
        {"mark-above=TIME", "", "slower accesses leave a line in the kernel's trace_marker"}, 1, 1, kMaxU64),
};

constexpr Row kPressure[] = {
    pages<&PressurePlan::limit_bytes>({"limit=SIZE", "", "memory of the measuring processes, by a memory cgroup"}),
    special<read_swaps>(
        {"swap=WHERE", "", "zram:SIZE[:ALGORITHM], file:PATH:SIZE, dev:/dev/x, current (default), none"}, Type::list),
    flag<&PressurePlan::only>({"only", "", "turn other active swaps off for the run"}),
    flag<&PressurePlan::force>(
        {"force", "", "run a set that does not fit into memory and swap; overwrite a file that fathom did not write"}),
    append<&PressurePlan::allow_destructive>(
        {"allow-destructive=DEV", "", "allow swap on a block device that is in use or holds data"}),
    kernel_switch<kPageCluster>(
        {"page-cluster=N", "", "pages read at once from swap, as a power of two: vm.page-cluster"}, 31),
    kernel_switch<kSwappiness>({"swappiness=N", "", "vm.swappiness, 0 to 200"}, 200),
    kernel_switch<kZswap>({"zswap=WHEN", "", "the compressed cache in front of swap"}),
    kernel_switch<kNumaBalancing>({"numa-balancing=N", "", "kernel.numa_balancing: 0 off, 1 on, 2 memory tiering"}, 3),
    kernel_switch<kDemotion>({"demotion=WHEN", "", "reclaim to a slower node instead of to swap"}),
    kernel_switch<kLruGen>({"lru-gen=N", "", "the multi-generational LRU's switches, a sum of 1, 2 and 4"}, 7),
    special<read_setting>({"setting=NAME=VALUE", "", "any other switch that the report lists: thp.enabled=always"},
                          Type::text),
};

const std::string kFormatText = report::described(report::paging_formats());
const Row kReport[] = {
    special<read_formats>({"output-format=LIST", "text", kFormatText}, Type::list),
    gone("schema=N", job::kSchemaIsGone),
    text<&ReportOptions::output>({"output=FILE", "", "write the report there, not to standard output"}),
    text<&ReportOptions::page_file>({"report=FILE", "", "write the result as a page of HTML to FILE too"}),
    special<read_live<&ReportOptions::live>>({"live=WHAT", "", kLiveHelp}, Type::text),
    text<&ReportOptions::import_file>(
        {"import=FILE", "", "measure nothing: print the XML report of pmbench, or ours, in another format"}),
    flag<&ReportOptions::strict>({"strict", "", "exit with status 1 when the checks of the run failed"}),
    choice<&ReportOptions::eta>({"eta=WHEN", "auto", "status line"}, job::kEtas),
    choice<&Request::audit>(
        {"audit=WHEN", "auto", "hold the classes and the swap device's bytes against the kernel's counters"}, kAudits),
    special<read_cost>({"cost=[TIME]", "",
                        "touch the memory for 10 s, or so long, before: what does each of those who watch cost the "
                        "accesses?"},
                       Type::duration, job::kLeastCost_ns, kMaxU64, kSecond),
};

constexpr Group kGroups[] = {{"what is touched", kTouched},   {"how", kHow},           {"who and how long", kWho},
                             {"what is recorded", kRecorded}, {"pressure", kPressure}, {"report", kReport}};

// What a breakdown chooses otherwise than a run; breakdown_defaults() and check_breakdown() do so.
struct Other {
  std::string_view name, fallback, help;  // no help: the row's own
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
    {"no-settle", "", "do not"},
    {"limit", "512M", ""},
    {"swap", "", "one or more, by commas: zram:SIZE[:ALGORITHM], file:PATH:SIZE, dev:/dev/x, current, none"},
    {"page-cluster", "0", ""},
    {"output-format", "", "text, text-ascii, json, json+, csv (as pmbench's GUI exports)"},
};
// Taken, and refused with the reason (conflicts.cc).
constexpr std::string_view kOnlyOfARun = "access no-classify import cost";

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
