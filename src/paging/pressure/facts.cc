// zram's mm_stat: bytes stored, bytes they take compressed, memory used in all (admin-guide/blockdev/zram.rst).
#include "paging/pressure/facts.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <charconv>

#include "host/proc_text.h"
#include "paging/pressure/cgroup.h"
#include "paging/pressure/switches.h"
#include "paging/pressure/undo.h"

namespace fathom::paging {
namespace {

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The kernel's name of a block device number: DEVNAME of its uevent.
std::string disk_name(Machine& machine, std::uint64_t device) {
  const auto path = fmt::format("/sys/dev/block/{}:{}/uevent", gnu_dev_major(device), gnu_dev_minor(device));
  const std::string text = machine.read(path).value_or("");
  constexpr std::string_view kKey = "DEVNAME=";
  for (const auto line : host::split_lines(text)) {
    if (line.substr(0, kKey.size()) == kKey) return std::string(line.substr(kKey.size()));
  }
  return "";
}

void add_zram_facts(Machine& machine, result::PagingSwap& swap) {
  const std::string sysfs = "/sys/block/" + swap.disk;
  swap.compressor = host::chosen(read_value(machine, sysfs + "/comp_algorithm").value_or(""));
  const std::string stat = read_value(machine, sysfs + "/mm_stat").value_or("");
  const auto words = host::split_words(stat);
  if (words.size() < 2) return;
  swap.stored_bytes = number(words[0]);
  swap.compressed_bytes = number(words[1]);
}

result::PagingSwap swap_facts(Machine& machine, const ActiveSwap& active, const Made& made) {
  result::PagingSwap swap;
  const bool ours = active.path == made.swap_path;
  swap.kind = ours ? made.swap_kind : "current";
  swap.name = ours ? made.swap_name : active.path;
  swap.path = active.path;
  swap.size_bytes = active.size_bytes;
  swap.used_bytes = active.used_bytes;
  if (const auto id = machine.identify(active.path))
    swap.disk = disk_name(machine, S_ISBLK(id->mode) ? id->rdev : id->device);
  if (swap.disk.rfind("zram", 0) == 0) add_zram_facts(machine, swap);
  return swap;
}

std::uint64_t limit_now(Machine& machine, const PressurePlan& plan, const Made& made) {
  if (made.cgroup_path.empty() || plan.limit_bytes == 0) return 0;
  const char* file = made.controller == "cgroup v2" ? "/memory.max" : "/memory.limit_in_bytes";
  return number(read_value(machine, made.cgroup_path + file).value_or(""));
}

}  // namespace

result::PagingPressure pressure_facts(Machine& machine, const PressurePlan& plan, const Made& made) {
  result::PagingPressure facts;
  facts.limit_bytes = limit_now(machine, plan, made);
  facts.controller = made.controller;
  const EffectiveLimit ambient = ambient_limit(machine, find_memory_controller(machine));
  if (ambient.tightest_bytes() != kNoLimit) {
    facts.ambient_limit_bytes = ambient.tightest_bytes();
    facts.ambient_group = ambient.group;
  }
  if (!made.kept_from_swap)
    for (const ActiveSwap& active : active_swaps(machine)) facts.swaps.push_back(swap_facts(machine, active, made));
  if (facts.swaps.empty() && plan.swap.kind == SwapPlan::Kind::none) {
    result::PagingSwap none;
    none.kind = none.name = "none";
    facts.swaps.push_back(none);
  }
  for (const Switch& s : kSwitches) {
    if (const auto value = read_switch(machine, s)) facts.settings.emplace_back(s.name, *value);
  }
  facts.changed = made.changed;
  facts.not_possible = made.not_possible;
  return facts;
}

}  // namespace fathom::paging
