// First reserves an address range with a hole on either side, then puts the memory into it. So the map begins at the
// border of a huge page, regardless of the kernel's choice. No neighbor merges with it, and an access outside of it is
// a crash, not a measurement. Touches nothing: page tables come with the pages (mmap(2), MAP_NORESERVE;
// Documentation/mm/overcommit-accounting.rst).
#include "paging/memory/region.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "host/machine/huge_pages.h"
#include "host/proc/text_file.h"
#include "paging/memory/numa.h"
#include "paging/memory/region_backing.h"
#include "paging/plan.h"
#include "result/finding.h"
#include "result/findings/rows.h"

namespace fathom::paging::memory {
namespace {

// The names of madvise(2), and when each advice is given. Some concern the address range, others concern pages that
// must exist first. Help texts print the names of this table. Thread-safe.

// map: the whole map, before any page exists. set: only the set, before the fill (the map may be a tebibyte). filled:
// the set, after the fill.
enum class AdviceTime : std::uint8_t { map, set, filled };

// Errors: usage, an unknown name with the nearest known one.
base::Expected<void> check_advice(const std::vector<std::string>& names);
// Gives the advice of `names` that belongs to `when`. If the kernel refuses one, this adds a finding.
void give_advice(std::byte* data, std::uint64_t bytes, const std::vector<std::string>& names, AdviceTime when,
                 std::vector<result::Finding>& findings);
// Sets THP to always or never for the range, as far as the kernel's switches permit.
void advise_thp(std::byte* data, std::uint64_t bytes, const RegionPlan& plan, std::vector<result::Finding>& findings);
// "normal, random, ...": every name.
std::string advice_names();

struct Advice {
  std::string_view name;
  int number;
  AdviceTime when;
};
constexpr Advice kAdvice[] = {
    {"normal", MADV_NORMAL, AdviceTime::map},
    {"random", MADV_RANDOM, AdviceTime::map},
    {"sequential", MADV_SEQUENTIAL, AdviceTime::map},
    {"hugepage", MADV_HUGEPAGE, AdviceTime::map},
    {"nohugepage", MADV_NOHUGEPAGE, AdviceTime::map},
    {"mergeable", MADV_MERGEABLE, AdviceTime::map},
    {"unmergeable", MADV_UNMERGEABLE, AdviceTime::map},
    {"dontdump", MADV_DONTDUMP, AdviceTime::map},
    {"dodump", MADV_DODUMP, AdviceTime::map},
    {"willneed", MADV_WILLNEED, AdviceTime::set},
    {"populate_read", 22, AdviceTime::set},
    {"populate_write", 23, AdviceTime::set},
    {"dontneed", MADV_DONTNEED, AdviceTime::filled},
    {"free", MADV_FREE, AdviceTime::filled},
    {"cold", 20, AdviceTime::filled},
    {"pageout", 21, AdviceTime::filled},
    {"collapse", 25, AdviceTime::filled},
};

const Advice* find(std::string_view name) {
  const auto* const row =
      std::find_if(std::begin(kAdvice), std::end(kAdvice), [&](const Advice& a) { return a.name == name; });
  return row == std::end(kAdvice) ? nullptr : row;
}

std::string nearest(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& row : kAdvice) known.emplace_back(row.name);
  const std::string hint = base::did_you_mean(name, known, "");
  return hint.empty() ? hint : hint + " ";
}

// The kernel's switch for huge pages, and the settings that forbid them in spite of the advice.
struct ThpSwitch {
  const char* file;
  std::string_view forbids[2];
};
constexpr ThpSwitch kAnonymousSwitch{"enabled", {"never", ""}};
constexpr ThpSwitch kShmemSwitch{"shmem_enabled", {"never", "deny"}};

void check_thp_switch(const RegionPlan& plan, std::vector<result::Finding>& findings) {
  const ThpSwitch& where = plan.memory == Memory::memfd ? kShmemSwitch : kAnonymousSwitch;
  const std::string path = std::string(host::machine::kThpFolder) + where.file;
  const std::string now = host::machine::thp_setting(where.file);
  if (std::find(std::begin(where.forbids), std::end(where.forbids), now) == std::end(where.forbids)) return;
  findings.push_back(result::findings::found(
      "paging.thp_off", {.values = {{"path", path}, {"setting", now.empty() ? "does not exist" : "says " + now}}}));
}

base::Expected<void> check_advice(const std::vector<std::string>& names) {
  for (const auto& name : names) {
    if (find(name)) continue;
    return base::Error{base::ErrorKind::usage,
                       "advice \"" + name + "\" is not known",
                       "",
                       nearest(name) + "There are: " + advice_names(),
                       {},
                       0};
  }
  return {};
}

void give_advice(std::byte* data, std::uint64_t bytes, const std::vector<std::string>& names, AdviceTime when,
                 std::vector<result::Finding>& findings) {
  for (const auto& name : names) {
    const Advice* const row = find(name);
    if (!row || row->when != when || ::madvise(data, bytes, row->number) == 0) continue;
    const char* const cause = std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
    findings.push_back(
        result::findings::found("paging.advice_refused", {.values = {{"advice", name}, {"cause", cause}}}));
  }
}

void advise_thp(std::byte* data, std::uint64_t bytes, const RegionPlan& plan, std::vector<result::Finding>& findings) {
  if (plan.thp == Thp::system || plan.memory == Memory::hugetlb) return;
  const bool always = plan.thp == Thp::always;
  if (always) check_thp_switch(plan, findings);
  if (::madvise(data, bytes, always ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0 || !always) return;
  const std::string cause = std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
  findings.push_back(result::findings::found("paging.thp_refused", {.values = {{"cause", cause}}}));
}

std::string advice_names() {
  std::string names;
  for (const auto& row : kAdvice) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

using base::Error;
using base::ErrorKind;

constexpr std::uint64_t kAlignment_bytes = 2ull << 20;   // a huge page of x86-64 and of most arm64 kernels
constexpr std::uint64_t kFillUnit_bytes = 4096;          // written by one fill_page()
constexpr std::uint64_t kFillStep_bytes = 256ull << 10;  // between two checks of `stop`
constexpr int kAccess = PROT_READ | PROT_WRITE;

constexpr std::uint64_t rounded_up(std::uint64_t n, std::uint64_t unit) { return (n + unit - 1) / unit * unit; }

Error usage(std::string what, std::string cause = "", std::string help = "") {
  return {ErrorKind::usage, std::move(what), std::move(cause), std::move(help), {}, 0};
}

base::Expected<std::uint64_t> page_bytes_of(const RegionPlan& plan) {
  if (plan.memory != Memory::hugetlb) return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t huge = huge_page_bytes();
  if (huge == 0)
    return usage("this kernel does not support huge pages (hugetlb)", "", "--memory=anonymous --thp=always");
  return huge;
}

base::Expected<void> check_sizes(const RegionPlan& plan) {
  if (plan.set_bytes == 0) return usage("the set has no bytes");
  if (plan.set_bytes <= plan.map_bytes) return {};
  return usage("the set is larger than the map",
               std::to_string(plan.set_bytes) + " bytes of " + std::to_string(plan.map_bytes), "use a larger --map");
}

// A missing node is the user's mistake; a kernel without NUMA is not.
base::Expected<void> check_nodes(const RegionPlan& plan, std::vector<result::Finding>& findings) {
  std::vector<int> asked = plan.memory_nodes;
  if (plan.initial_node >= 0) asked.push_back(plan.initial_node);
  if (asked.empty()) return {};
  const auto there = memory_nodes();
  if (there.empty()) {
    findings.push_back(result::findings::found("paging.no_numa", {}));
    return {};
  }
  for (const int node : asked) {
    if (std::find(there.begin(), there.end(), node) != there.end()) continue;
    return usage("node " + std::to_string(node) + " has no memory",
                 "nodes with memory: " + fmt::format("{}", fmt::join(there, ",")));
  }
  return {};
}

Error map_error(const std::string& what, int err) {
  Error e = base::system_error(what, err);
  if (err == ENOMEM && host::proc::read_line("/proc/sys/vm/overcommit_memory") == "2") {
    e.cause = "vm.overcommit_memory=2 counts every mapped byte, touched or not";
    e.help = "use a smaller --map, or sysctl vm.overcommit_memory=0";
  } else if (err == ENOMEM) {
    e.help = "use a smaller --map; see also ulimit -v";
  }
  return e;
}

bool map_at(std::byte* at, std::uint64_t bytes, int flags, int fd) {
  return bytes == 0 || ::mmap(at, bytes, kAccess, flags | MAP_FIXED, fd, 0) != MAP_FAILED;
}

// The kernel reserves the set's huge pages when it maps them. The rest of the map may lack huge pages.
base::Expected<void> map_huge(std::byte* at, std::uint64_t map_bytes, std::uint64_t set_bytes,
                              std::uint64_t page_bytes) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB;
  if (map_at(at, set_bytes, kFlags, -1) && map_at(at + set_bytes, map_bytes - set_bytes, kFlags | MAP_NORESERVE, -1)) {
    return {};
  }
  return huge_pages_missing(set_bytes, page_bytes, errno);
}

base::Expected<void> map_memory(const RegionPlan& plan, std::byte* at, std::uint64_t map_bytes, std::uint64_t set_bytes,
                                std::uint64_t page_bytes) {
  if (plan.memory == Memory::hugetlb) return map_huge(at, map_bytes, set_bytes, page_bytes);
  auto backing = open_backing(plan, map_bytes, set_bytes);
  if (!backing) return backing.error();
  const bool shared = plan.memory == Memory::file_shared || plan.memory == Memory::memfd;
  const int flags = MAP_NORESERVE | (shared ? MAP_SHARED : MAP_PRIVATE) | (*backing ? 0 : MAP_ANONYMOUS);
  if (map_at(at, map_bytes, flags, backing->get())) return {};
  return map_error("map " + std::to_string(map_bytes) + " bytes", errno);
}

base::Expected<void> bind_memory(std::byte* data, std::uint64_t bytes, const RegionPlan& plan,
                                 std::vector<result::Finding>& findings) {
  const int err = plan.memory_nodes.empty() ? 0 : place(data, bytes, Placement::bind, plan.memory_nodes);
  if (err == 0 || err == ENOSYS) return {};  // no NUMA: check_nodes has reported it
  const std::string what = "bind memory to node " + fmt::format("{}", fmt::join(plan.memory_nodes, ","));
  if (err == EINVAL)
    return usage(what + " is not allowed",
                 "the cpuset of this process excludes it (see Mems_allowed in /proc/self/status)");
  findings.push_back(
      result::findings::found("paging.bind_refused", {.values = {{"cause", base::system_error(what, err).what}}}));
  return {};
}

void touch(std::byte* page) {
  volatile std::byte* const first = page;
  *first = *first;
}

void fill_step(std::byte* data, std::uint64_t begin, std::uint64_t end, const RegionPlan& plan) {
  for (std::uint64_t at = begin; at < end; at += kFillUnit_bytes) {
    if (plan.fill == Fill::none) {
      touch(data + at);
    } else {
      fill_page(data + at, kFillUnit_bytes, plan.fill, plan.fill_percent, at / kFillUnit_bytes, plan.seed);
    }
  }
}

}  // namespace

base::Expected<Region> Region::map(const RegionPlan& plan, std::vector<result::Finding>& findings) {
  for (auto checked : {check_sizes(plan), check_advice(plan.advice), check_nodes(plan, findings)}) {
    if (!checked) return checked.error();
  }
  auto page = page_bytes_of(plan);
  if (!page) return page.error();
  Region r;
  r.page_bytes_ = *page;
  r.map_bytes_ = rounded_up(plan.map_bytes, *page);
  r.set_bytes_ = rounded_up(plan.set_bytes, *page);
  const std::uint64_t border = std::max(kAlignment_bytes, *page);
  r.reserved_bytes_ = r.map_bytes_ + 3 * border;
  void* const range = ::mmap(nullptr, r.reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return map_error("reserve " + std::to_string(r.map_bytes_) + " bytes of addresses", errno);
  r.reserved_ = static_cast<std::byte*>(range);
  const auto address = reinterpret_cast<std::uintptr_t>(range);
  r.data_ = r.reserved_ + (rounded_up(address + border, border) - address);
  auto mapped = map_memory(plan, r.data_, r.map_bytes_, r.set_bytes_, *page);
  if (!mapped) return mapped.error();
  auto bound = bind_memory(r.data_, r.map_bytes_, plan, findings);
  if (!bound) return bound.error();
  advise_thp(r.data_, r.map_bytes_, plan, findings);
  give_advice(r.data_, r.map_bytes_, plan.advice, AdviceTime::map, findings);
  return r;
}

Region::Region(Region&& o) noexcept { *this = std::move(o); }

Region& Region::operator=(Region&& o) noexcept {
  std::swap(reserved_, o.reserved_);
  std::swap(reserved_bytes_, o.reserved_bytes_);
  std::swap(data_, o.data_);
  std::swap(map_bytes_, o.map_bytes_);
  std::swap(set_bytes_, o.set_bytes_);
  std::swap(page_bytes_, o.page_bytes_);
  return *this;
}

void Region::unmap() {
  if (reserved_) ::munmap(reserved_, reserved_bytes_);
  reserved_ = data_ = nullptr;
}

std::vector<result::Finding> Region::fill(const RegionPlan& plan, const std::function<bool()>& stop,
                                          std::atomic<std::uint64_t>* filled_bytes) {
  const bool initial = plan.initial_node >= 0;
  std::vector<result::Finding> refused;
  give_advice(data_, set_bytes_, plan.advice, AdviceTime::set, refused);
  if (initial) place(data_, set_bytes_, Placement::prefer, {plan.initial_node});
  const std::uint64_t touched = plan.fill_map && plan.fill != Fill::none ? map_bytes_ : set_bytes_;
  const std::uint64_t end = plan.fill == Fill::none && !initial ? 0 : touched;
  for (std::uint64_t at = 0; at < end && !stop(); at += kFillStep_bytes) {
    const std::uint64_t until = std::min(at + kFillStep_bytes, end);
    fill_step(data_, at, until, plan);
    if (filled_bytes) filled_bytes->store(until, std::memory_order_relaxed);
  }
  if (initial) {
    place(data_, set_bytes_, plan.memory_nodes.empty() ? Placement::lift : Placement::bind, plan.memory_nodes);
  }
  give_advice(data_, set_bytes_, plan.advice, AdviceTime::filled, refused);
  return refused;
}

}  // namespace fathom::paging::memory
