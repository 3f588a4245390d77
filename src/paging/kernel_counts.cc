// Converts the kernel's counters from text to numbers, by name, from the whole text. /proc/vmstat exceeds 4 KiB on
// today's kernels, and a read returns at most one page of it. The order of lines in /proc/meminfo has changed before
// (3.14) and may change again.
#include "paging/kernel_counts.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"
#include "paging/series.h"

namespace fathom::paging {
namespace {

std::optional<std::uint64_t> number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, err] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (err != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// Calls f(name, value) for each "name value" line.
template <class F>
void each_count(std::string_view text, F&& f) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    const auto blank = line.find(' ');
    if (blank != std::string_view::npos) {
      if (const auto value = number(line.substr(blank + 1))) f(line.substr(0, blank), *value);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool belongs(const SeriesColumn& column, std::string_view name) {
  if (!column.sum) return name == column.name;
  return name.size() > column.name.size() && name.substr(0, column.name.size()) == column.name &&
         name[column.name.size()] == '_';
}

std::optional<std::uint64_t> stall_us(std::string_view text, std::string_view kind) {
  for (const auto line : host::proc::split_lines(text)) {
    const auto fields = host::proc::split_fields(line);
    if (fields.empty() || fields.front() != kind) continue;
    constexpr std::string_view kTotal = "total=";
    if (fields.back().substr(0, kTotal.size()) == kTotal) return number(fields.back().substr(kTotal.size()));
  }
  return std::nullopt;
}

}  // namespace

SeriesCounts pick_series(std::string_view vmstat) {
  SeriesCounts counts;
  each_count(vmstat, [&](std::string_view name, std::uint64_t value) {
    for (std::size_t i = 0; i < kSeriesColumnCount; ++i) {
      if (belongs(kSeriesColumns[i], name)) counts[i] = counts[i].value_or(0) + value;
    }
  });
  return counts;
}

Stalls parse_pressure(std::string_view text) { return {stall_us(text, "some"), stall_us(text, "full")}; }

OpenText::OpenText(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

std::string_view OpenText::read() {
  constexpr std::size_t kGrow_bytes = 16384;
  std::size_t have = 0;
  while (fd_) {
    if (text_.size() < have + kGrow_bytes / 2) text_.resize(have + kGrow_bytes);
    const ssize_t n = ::pread(fd_.get(), text_.data() + have, text_.size() - have, static_cast<off_t>(have));
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  return std::string_view(text_).substr(0, have);
}

std::map<std::string, std::uint64_t> parse_counts(const std::string& text) {
  std::map<std::string, std::uint64_t> counts;
  each_count(text, [&](std::string_view name, std::uint64_t value) { counts.emplace(name, value); });
  return counts;
}

std::map<std::string, std::uint64_t> read_vmstat(const std::string& prefix) {
  return parse_counts(host::proc::read_text(prefix + "/proc/vmstat"));
}

std::map<std::string, std::uint64_t> read_memory_stat(const std::string& cgroup_path) {
  auto counts = parse_counts(host::proc::read_text(cgroup_path + "/memory.stat"));
  const auto is_v1_sum = [](const std::string& name) {
    return name.rfind("total_", 0) == 0 || name.rfind("hierarchical_", 0) == 0;
  };
  for (auto i = counts.begin(); i != counts.end();) i = is_v1_sum(i->first) ? counts.erase(i) : std::next(i);
  return counts;
}

void refresh_vmstat(const std::string& prefix) { host::proc::read_text(prefix + "/proc/sys/vm/stat_refresh"); }

std::map<std::string, std::uint64_t> counts_between(const std::map<std::string, std::uint64_t>& begin,
                                                    const std::map<std::string, std::uint64_t>& end) {
  std::map<std::string, std::uint64_t> between;
  for (const auto& [name, value] : end) {
    const auto before = begin.find(name);
    if (before != begin.end() && value >= before->second) between[name] = value - before->second;
  }
  return between;
}

result::PagingMemoryItem read_memory_item(const std::string& name, const std::string& prefix) {
  const std::string meminfo = host::proc::read_text(prefix + "/proc/meminfo");
  const auto kib = [&](std::string_view key) { return host::proc::meminfo_bytes(meminfo, key) / 1024; };
  const auto vmstat = read_vmstat(prefix);
  const auto count = [&](const char* key) {
    const auto found = vmstat.find(key);
    return found == vmstat.end() ? 0 : found->second;
  };
  result::PagingMemoryItem item;
  item.name = name;
  item.free_kib = kib("MemFree");
  item.buffer_kib = kib("Buffers");
  item.cache_kib = kib("Cached");
  item.active_kib = kib("Active");
  item.inactive_kib = kib("Inactive");
  item.pgpgin = count("pgpgin");
  item.pgpgout = count("pgpgout");
  item.pswpin = count("pswpin");
  item.pswpout = count("pswpout");
  item.pgmajfault = count("pgmajfault");
  return item;
}

}  // namespace fathom::paging
