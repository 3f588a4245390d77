// One row an advice. Left out are those that destroy (remove, hwpoison, soft_offline) or are about fork and exec only.
// The numbers are Linux's ABI: the C library's header may be older than the kernel.
#include "paging/region_advice.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/nearest.h"
#include "host/proc_text.h"
#include "host/text_file.h"

namespace fathom::paging {
namespace {

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

// Where the kernel's switch has its last word, and what it must say for huge pages to come by advice.
struct ThpSwitch {
  const char* file;
  std::string_view forbids[2];
};
constexpr const char* kThpFolder = "/sys/kernel/mm/transparent_hugepage/";
constexpr ThpSwitch kAnonymousSwitch{"enabled", {"never", ""}};
constexpr ThpSwitch kShmemSwitch{"shmem_enabled", {"never", "deny"}};

void check_thp_switch(const RegionPlan& plan, std::vector<result::Finding>& findings) {
  const ThpSwitch& where = plan.memory == Memory::memfd ? kShmemSwitch : kAnonymousSwitch;
  const std::string path = std::string(kThpFolder) + where.file;
  const std::string now = host::chosen(host::read_line(path));
  if (std::find(std::begin(where.forbids), std::end(where.forbids), now) == std::end(where.forbids)) return;
  findings.push_back(
      {"paging.thp_off", result::Severity::warning, "",
       "transparent huge pages were asked for, and " + path + (now.empty() ? " does not exist" : " says " + now),
       "write madvise or advise to it, or leave --thp out"});
}

}  // namespace

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
    findings.push_back({"paging.advice_refused", result::Severity::warning, "",
                        "madvise " + name + ": " + std::strerror(errno),  // NOLINT(concurrency-mt-unsafe)
                        "this kernel or this kind of memory does not take it: leave it out"});
  }
}

void advise_thp(std::byte* data, std::uint64_t bytes, const RegionPlan& plan, std::vector<result::Finding>& findings) {
  if (plan.thp == Thp::system || plan.memory == Memory::hugetlb) return;
  const bool always = plan.thp == Thp::always;
  if (always) check_thp_switch(plan, findings);
  if (::madvise(data, bytes, always ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0 || !always) return;
  findings.push_back({"paging.thp_refused", result::Severity::warning, "",
                      std::string("madvise hugepage: ") + std::strerror(errno),  // NOLINT(concurrency-mt-unsafe)
                      "this kernel has no transparent huge pages for this memory: leave --thp out"});
}

std::string advice_names() {
  std::string names;
  for (const auto& row : kAdvice) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

}  // namespace fathom::paging
