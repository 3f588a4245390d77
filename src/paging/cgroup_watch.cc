// One thread reads a small file. It also calls sysinfo(2), because a killed process returns its swap before a later
// look could see it.
#include "paging/cgroup_watch.h"

#include <fmt/format.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "host/proc/text_file.h"
#include "paging/kernel_counts.h"
#include "paging/series.h"

namespace fathom::paging {
namespace {

constexpr std::uint64_t kPagesPerSecond = 200'000;  // of one thread, measured on zram
constexpr std::uint64_t kPageBytes = 4096;
constexpr unsigned kMostMs = 50;
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;  // v1 shows about 2^63 without a limit

std::uint64_t count_of(const std::string& path, const std::string& name, bool& there) {
  const auto counts = parse_counts(host::proc::read_text(path));
  const auto found = counts.find(name);
  there = there || found != counts.end();
  return found == counts.end() ? 0 : found->second;
}

std::uint64_t limit_of(const std::string& cgroup_path) {
  for (const char* file : {"/memory.max", "/memory.limit_in_bytes"}) {
    const std::string text = host::proc::read_text(cgroup_path + file);
    const std::uint64_t bytes = std::strtoull(text.c_str(), nullptr, 10);
    if (bytes > 0 && bytes < kNoLimit) return bytes;
  }
  return 0;
}

struct SwapRoom {
  std::uint64_t all = 0, free = 0;
};
SwapRoom swap_room() {
  struct sysinfo info {};
  if (::sysinfo(&info) != 0) return {};
  return {std::uint64_t{info.totalswap} * info.mem_unit, std::uint64_t{info.freeswap} * info.mem_unit};
}

std::string mib(std::uint64_t bytes);

// "its cgroup (limit 64 MiB)", "the memory group /x that fathom was started in (limit 1024 MiB)".
std::string group_text(const KillFacts& facts) {
  const auto& outside = facts.outside;
  if (outside.path.empty()) return fmt::format("its cgroup (limit {})", mib(facts.limit_bytes));
  if (facts.limit_bytes == 0)
    return fmt::format("the memory group {} that fathom was started in (limit {})", outside.limited_by,
                       mib(outside.limit_bytes));
  return fmt::format("its cgroup (limit {}) or of the group {} above it (limit {})", mib(facts.limit_bytes),
                     outside.limited_by, mib(outside.limit_bytes));
}

std::string mib(std::uint64_t bytes) { return fmt::format("{} MiB", (bytes + (1 << 19)) >> 20); }

}  // namespace

unsigned refresh_interval_ms(std::uint64_t limit_bytes, unsigned threads) {
  const std::uint64_t quarter = limit_bytes / kPageBytes / 4;
  const std::uint64_t ms = quarter * 1000 / (kPagesPerSecond * std::max(threads, 1u));
  return static_cast<unsigned>(std::clamp<std::uint64_t>(ms, 1, kMostMs));
}

KillFacts read_kill_facts(const std::string& cgroup_path) {
  KillFacts facts;
  if (cgroup_path.empty()) return facts;
  for (const char* file : {"/memory.events", "/memory.oom_control"})
    facts.kills += count_of(cgroup_path + file, "oom_kill", facts.counted);
  facts.limit_bytes = limit_of(cgroup_path);
  return facts;
}

KillTexts kill_texts(const KillFacts& facts) {
  const std::string swap = facts.swap_bytes == 0 ? "no swap was active"
                                                 : fmt::format("at least {} of {} swap was free",
                                                               mib(facts.free_swap_bytes), mib(facts.swap_bytes));
  if (facts.counted && facts.kills == 0) {
    return {fmt::format("not by the OOM killer of its cgroup (its count is 0; {}): by another process, or by the "
                        "OOM killer of the machine or of a parent group",
                        swap),
            "look in `dmesg` for a message of the kernel's OOM killer"};
  }
  if (!facts.counted)
    return {"by the kernel's OOM killer or by another process; " + swap,
            "look in `dmesg` for a message of the kernel's OOM killer"};
  const std::string killer = fmt::format("by the OOM killer of {}: {}", group_text(facts), swap);
  const bool swap_left = facts.free_swap_bytes > facts.swap_bytes / 10 && facts.swap_bytes > 0;
  if (!swap_left) return {killer, "use a smaller set, a higher limit or more swap"};
  return {fmt::format("{}; {} threads requested pages faster than the kernel swapped pages out", killer, facts.threads),
          "use a higher limit or fewer threads; a second run may succeed"};
}

struct CgroupWatch::State {
  std::string cgroup_path;
  OutsideGroup outside;
  std::uint64_t killed_before = 0;  // in the outside group: kills before this run
  unsigned threads = 1;
  std::uint64_t swap_bytes = 0, least_free_bytes = std::numeric_limits<std::uint64_t>::max();
  bool ending = false;
  mutable std::mutex mutex;
  std::condition_variable wake;
  std::thread thread;

  const std::string& counting() const { return cgroup_path.empty() ? outside.path : cgroup_path; }
  void look(OpenText* stat) {
    if (stat != nullptr) stat->read();
    const SwapRoom room = swap_room();
    const std::lock_guard lock(mutex);
    swap_bytes = std::max(swap_bytes, room.all);
    least_free_bytes = std::min(least_free_bytes, room.free);
  }
  void run() {
    std::optional<OpenText> stat;
    if (!counting().empty()) stat.emplace(counting() + "/memory.stat");
    const std::uint64_t limit = cgroup_path.empty() ? outside.limit_bytes : limit_of(cgroup_path);
    const std::chrono::milliseconds interval(limit == 0 ? kMostMs : refresh_interval_ms(limit, threads));
    for (;;) {
      look(stat ? &*stat : nullptr);
      std::unique_lock lock(mutex);
      if (wake.wait_for(lock, interval, [this] { return ending; })) return;
    }
  }
};

CgroupWatch::CgroupWatch(std::string cgroup_path, unsigned threads, OutsideGroup outside)
    : state_(std::make_unique<State>()) {
  state_->cgroup_path = std::move(cgroup_path);
  state_->outside = std::move(outside);
  state_->threads = threads;
  if (state_->cgroup_path.empty()) state_->killed_before = read_kill_facts(state_->outside.path).kills;
}

CgroupWatch::~CgroupWatch() { stop(); }

void CgroupWatch::start() {
  if (state_->thread.joinable()) return;
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

void CgroupWatch::stop() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
  }
  state_->wake.notify_all();
  if (state_->thread.joinable()) state_->thread.join();
}

KillFacts CgroupWatch::kill_facts() const {
  KillFacts facts = read_kill_facts(state_->counting());
  facts.kills -= std::min(facts.kills, state_->killed_before);
  if (state_->cgroup_path.empty()) facts.limit_bytes = 0;
  facts.outside = state_->outside;
  const SwapRoom room = swap_room();
  const std::lock_guard lock(state_->mutex);
  facts.threads = state_->threads;
  facts.swap_bytes = std::max(state_->swap_bytes, room.all);
  facts.free_swap_bytes = std::min(state_->least_free_bytes, room.free);
  return facts;
}

}  // namespace fathom::paging
