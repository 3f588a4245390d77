// The kernel's switches that change how memory is paged: their paths, the format of their text, and the permitted
// values. Names are those of report, journal and command line. Sources:
// Documentation/admin-guide/sysctl/{vm,kernel}.rst, admin-guide/mm/{transhuge,zswap,multigen_lru}.rst,
// ABI/testing/sysfs-kernel-mm-{numa,swap}. Thread rule: as machine.h.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "paging/pressure/machine.h"

namespace fathom::paging::pressure::state {

enum class SwitchText : unsigned char {
  number,      // "60"
  choice,      // "always [madvise] never"
  word,        // "lzo"
  yes_no,      // "Y"
  true_false,  // "true"
  mask,        // "0x0007"
};

struct Switch {
  const char* name;
  const char* path;
  SwitchText text;
};

inline constexpr Switch kSwitches[] = {
    {"vm.page-cluster", "/proc/sys/vm/page-cluster", SwitchText::number},
    {"vm.swappiness", "/proc/sys/vm/swappiness", SwitchText::number},
    {"vm.watermark_scale_factor", "/proc/sys/vm/watermark_scale_factor", SwitchText::number},
    {"thp.enabled", "/sys/kernel/mm/transparent_hugepage/enabled", SwitchText::choice},
    {"thp.16kB.enabled", "/sys/kernel/mm/transparent_hugepage/hugepages-16kB/enabled", SwitchText::choice},
    {"thp.32kB.enabled", "/sys/kernel/mm/transparent_hugepage/hugepages-32kB/enabled", SwitchText::choice},
    {"thp.64kB.enabled", "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled", SwitchText::choice},
    {"thp.128kB.enabled", "/sys/kernel/mm/transparent_hugepage/hugepages-128kB/enabled", SwitchText::choice},
    {"thp.256kB.enabled", "/sys/kernel/mm/transparent_hugepage/hugepages-256kB/enabled", SwitchText::choice},
    {"thp.512kB.enabled", "/sys/kernel/mm/transparent_hugepage/hugepages-512kB/enabled", SwitchText::choice},
    {"thp.1024kB.enabled", "/sys/kernel/mm/transparent_hugepage/hugepages-1024kB/enabled", SwitchText::choice},
    {"thp.2048kB.enabled", "/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled", SwitchText::choice},
    {"thp.shmem_enabled", "/sys/kernel/mm/transparent_hugepage/shmem_enabled", SwitchText::choice},
    {"thp.defrag", "/sys/kernel/mm/transparent_hugepage/defrag", SwitchText::choice},
    {"zswap.enabled", "/sys/module/zswap/parameters/enabled", SwitchText::yes_no},
    {"zswap.compressor", "/sys/module/zswap/parameters/compressor", SwitchText::word},
    {"zswap.max_pool_percent", "/sys/module/zswap/parameters/max_pool_percent", SwitchText::number},
    {"kernel.numa_balancing", "/proc/sys/kernel/numa_balancing", SwitchText::number},
    {"numa.demotion_enabled", "/sys/kernel/mm/numa/demotion_enabled", SwitchText::true_false},
    {"lru_gen.enabled", "/sys/kernel/mm/lru_gen/enabled", SwitchText::mask},
    {"lru_gen.min_ttl_ms", "/sys/kernel/mm/lru_gen/min_ttl_ms", SwitchText::number},
    {"swap.vma_ra_enabled", "/sys/kernel/mm/swap/vma_ra_enabled", SwitchText::true_false},
};

const Switch* find_switch(std::string_view name);
bool is_switch_value(std::string_view text);  // letters, digits and _ . + - only: what a journal may restore

// The current value, in the kernel's own word; nullopt: this kernel does not have the switch (or hides it).
std::optional<std::string> read_switch(Machine& machine, const Switch& s);
// Turns the user's value into the kernel's word ("off" -> "N", "false", "0"). Errors: usage, with the permitted values.
base::Expected<std::string> switch_value(Machine& machine, const Switch& s, const std::string& written);
// Errors: unknown names (with the nearest), invalid values. Changes nothing.
base::Expected<void> check_settings(Machine& machine, const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace fathom::paging::pressure::state
