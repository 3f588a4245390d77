// The sheet that pmbench's graphing program exports for runs that differ in one parameter. It begins with two lines of
// parameters and the threads of each run. Two matrices follow, of read and of write latencies: low and high edge in ns,
// one column per run. Memory counters with their changes are last. The name of a run is in the place of the differing
// value, and `*` replaces that parameter. With --repeat, each repetition is a run. The runs of a breakdown differ in
// their swap and are named after it. An imported file is named after itself, as in that program. The heads are that
// program's own, even where they are misleading: its "Swap in/s" is a counter. Fields contain no commas (the decimal
// separator is a point), so nothing is quoted. A value that an imported file omits is empty.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "report/paging/paging_view.h"
#include "report/paging_formats.h"

namespace fathom::report::paging {
namespace {

using result::AccessDir;
using result::Paging;
using result::PagingMemoryItem;

struct Round {
  std::string name;
  const Paging* paging;
};

std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == '\n' || c == '\r' || c == '"'; }, ' ');
  return text;
}

// Prefers the run's own swap to one that existed before.
std::string swap_of(const result::PagingPressure& pressure) {
  if (!pressure.known) return "";
  const auto& swaps = pressure.swaps;
  if (swaps.empty()) return "none";
  const auto own = std::find_if(swaps.begin(), swaps.end(), [](const auto& s) { return s.kind != "current"; });
  const auto& swap = own == swaps.end() ? swaps.front() : *own;
  return plain(swap.name.empty() || swap.name == "current" ? swap.path : swap.name);
}

bool swaps_differ(const std::vector<Round>& rounds) {
  return std::any_of(rounds.begin(), rounds.end(), [&](const Round& round) {
    return swap_of(round.paging->pressure) != swap_of(rounds.front().paging->pressure);
  });
}

// "old/run1.xml" -> "run1"; empty for a run that was not imported.
std::string imported_name(const result::Run& run) {
  const auto& argv = run.program.argv;
  const auto at = std::find(argv.begin(), argv.end(), "--import");
  if (at == argv.end() || at + 1 == argv.end()) return "";
  return plain(std::filesystem::path(*(at + 1)).stem().string());
}

std::vector<Round> rounds_of(const result::Run& run) {
  std::vector<Round> rounds;
  for (const auto& repetition : run.repetitions)
    if (repetition.paging) rounds.push_back({"", &*repetition.paging});
  if (rounds.empty()) {
    if (auto name = imported_name(run); !name.empty()) return {{std::move(name), &*run.paging}};
    rounds.push_back({"", &*run.paging});
  }
  const bool by_swap = swaps_differ(rounds);
  std::map<std::string, int> seen;
  for (auto& round : rounds) {
    const auto of = by_swap ? swap_of(round.paging->pressure) : "Trial";
    round.name = fmt::format("{} {}", of, ++seen[of]);
  }
  return rounds;
}

// The shortest digits of a number rounded to four decimals, as in pmbench's XML.
std::string four_decimals(double value) {
  auto text = fmt::format("{:.4f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string parameters(const result::Run& run, const std::vector<Round>& rounds) {
  const auto& p = *run.paging;
  const auto memory_mib = (p.pressure.limit_bytes ? p.pressure.limit_bytes : run.host.memory_bytes) >> 20;
  const auto system = (p.imported ? p.imported->os_name : std::string("Linux")) + " " + run.host.kernel;
  return fmt::format(
      "OS/kernel,Swap device,Phys. memory,Map size,Jobs,Delay,Read/write ratio,Niceness\n"
      "{},{},{},{}MiB,{},{},{},\n\n",
      plain(system), swaps_differ(rounds) ? "*" : swap_of(rounds.front().paging->pressure),
      memory_mib == 0 ? "" : fmt::format("{}MiB", memory_mib), p.map_bytes >> 20, result::jobs(p), p.delay_ticks,
      result::whole_read_percent(p));
}

std::string threads(const std::vector<Round>& rounds) {
  std::string out;
  for (const auto& round : rounds) {
    out += round.name +
           ",Thread #,Net avg. (us),Net avg. (clk),Latency (us),Latency (clk),Samples,Overhead (us),Overhead (clk)\n";
    for (std::size_t i = 0; i < round.paging->workers.size(); ++i) {
      const auto t = result::pmbench_thread(*round.paging, round.paging->workers[i]);
      out += fmt::format(" ,{},{},{},{},{},{},{},{}\n", i + 1, four_decimals(t.net_us), t.net_clk,
                         four_decimals(t.latency_us), t.latency_clk, t.samples, four_decimals(t.overhead_us),
                         t.overhead_clk);
    }
  }
  return out + "\n";
}

std::string matrix(const std::vector<Round>& rounds, AccessDir dir) {
  std::string head = dir == AccessDir::read ? "Read latencies,," : "Write latencies,,";
  std::vector<std::vector<stats::PmbenchPeak>> columns;
  for (const auto& round : rounds) {
    head += (columns.empty() ? "" : ",") + round.name;
    auto& column = columns.emplace_back();
    stats::for_each_pmbench_bin(stats::pmbench_view(result::of_dir(round.paging->latency, dir).histogram_ns),
                                [&](const stats::PmbenchPeak& bin) { column.push_back(bin); });
  }
  std::string out = head + "\n";
  for (std::size_t row = 0; row < columns[0].size(); ++row) {
    out += fmt::format("{},{}", columns[0][row].begin_ns, columns[0][row].end_ns);
    for (const auto& column : columns) out += fmt::format(",{}", column[row].count);
    out += "\n";
  }
  return out + "\n";
}

struct Column {
  const char* title;
  std::uint64_t PagingMemoryItem::*member;
};
constexpr Column kColumns[] = {
    {"Free KiB", &PagingMemoryItem::free_kib},         {"Buffer KiB", &PagingMemoryItem::buffer_kib},
    {"Cache KiB", &PagingMemoryItem::cache_kib},       {"Active KiB", &PagingMemoryItem::active_kib},
    {"Inactive KiB", &PagingMemoryItem::inactive_kib}, {"Page in/s", &PagingMemoryItem::pgpgin},
    {"Page out/s", &PagingMemoryItem::pgpgout},        {"Swap in/s", &PagingMemoryItem::pswpin},
    {"Swap out/s", &PagingMemoryItem::pswpout},        {"Major faults", &PagingMemoryItem::pgmajfault}};
constexpr const char* kWindowsColumns[] = {"AvailPhys", "dwMemoryLoad", "TotalPageFile", "AvailPageFile",
                                           "AvailVirtual"};

// The numbers of one line; with `from`, the changes since that item.
std::string memory_numbers(const PagingMemoryItem& item, const PagingMemoryItem* from) {
  std::string out;
  const auto number = [&](std::uint64_t now, std::uint64_t before) {
    out += fmt::format(",{}", static_cast<std::int64_t>(now - before));
  };
  if (item.windows.empty()) {
    for (const auto& column : kColumns) number(item.*column.member, from ? from->*column.member : 0);
    return out + "\n";
  }
  const auto value = [](const PagingMemoryItem& of, const char* name) {
    const auto found = of.windows.find(name);
    return found == of.windows.end() ? 0 : static_cast<std::uint64_t>(found->second);
  };
  for (const auto* name : kWindowsColumns) number(value(item, name), from ? value(*from, name) : 0);
  return out + "\n";
}

std::string memory(const Round& round) {
  const auto& items = round.paging->memory_items;
  if (items.empty()) return "";
  std::string out = round.name;
  if (items.front().windows.empty())
    for (const auto& column : kColumns) out += std::string(",") + column.title;
  else
    for (const auto* name : kWindowsColumns) out += std::string(",") + name;
  out += "\n";
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto name = items[i].name;
    if (!name.empty() && name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
    out += plain(name) + memory_numbers(items[i], nullptr);
    if (i + 1 < items.size()) out += "Delta" + memory_numbers(items[i + 1], &items[i]);
  }
  return out;
}

}  // namespace

}  // namespace fathom::report::paging

namespace fathom::report {

using namespace paging;

std::string pmbench_csv(const result::Run& run) {
  if (!run.paging) return "";
  const auto rounds = rounds_of(run);
  std::string out = parameters(run, rounds) + threads(rounds);
  for (const auto dir : {AccessDir::read, AccessDir::write})
    if (run.paging->access == "histogram" && result::asked_for(*run.paging, dir)) out += matrix(rounds, dir);
  for (const auto& round : rounds) out += memory(round);
  return out;
}

}  // namespace fathom::report
