// For most processes, this reads only one small file. It looks up the name, the parent and the open files only if there
// was I/O. The kernel charges discards to no process. If a disk of the run gets discards, this searches all descriptors
// for processes with that disk open.
#include "host/foreign_io_witness.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <map>
#include <optional>

#include "base/time.h"
#include "host/disk/block_tree.h"
#include "host/disk_stats.h"
#include "host/proc/descriptors.h"
#include "host/proc/hidden_proc.h"
#include "host/proc/proc_text.h"
#include "host/proc/task_stat.h"
#include "host/proc/text_file.h"

namespace fathom::host {
namespace {

using Clock = std::chrono::steady_clock;

struct Bytes {
  double read = 0, write = 0;
  double sum() const { return read + write; }
};

struct Process {
  std::string who;  // its command; empty: not looked up
  pid_t parent = 0;
  std::uint64_t start_ticks = 0;  // 0: not looked up. A reused number with another time is another process.
  Bytes first, last;
  bool alive = true;
  bool looked_at = false;   // `first` has its counts at the first look
  bool of_the_run = false;  // it began during the run: all of its I/O counts
  bool unreadable = false;
  bool moved = false;                // since the previous look
  bool looked_into = false;          // its descriptors were read, after it had moved data
  Clock::time_point next_into{};     // when they are read again
  std::map<std::string, bool> open;  // disks of the run: open, or with an open file; true: the disk, for writing
  std::vector<std::string> mounted;  // disks of the run with a mount point that it has open
};

enum class Look { begin, between, end };

constexpr std::string_view kKernelThreads = "kernel threads";

std::optional<pid_t> number(std::string_view text) {
  pid_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Bytes> parse_io(std::string_view text) {
  Bytes bytes;
  int found = 0;
  for (const auto line : proc::split_lines(text)) {
    const auto fields = proc::split_fields(line);
    if (fields.size() != 2) continue;
    double* to = fields[0] == "read_bytes:" ? &bytes.read : fields[0] == "write_bytes:" ? &bytes.write : nullptr;
    if (to == nullptr) continue;
    std::uint64_t value = 0;
    std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), value);
    *to = static_cast<double>(value);
    ++found;
  }
  return found == 2 ? std::optional(bytes) : std::nullopt;
}

// The unit is that of starttime in /proc/PID/stat.
std::uint64_t ticks_now() {
  const std::uint64_t ns = base::clock_ns(CLOCK_BOOTTIME);
  const auto per_s = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
  return ns / 1'000'000'000 * per_s + ns % 1'000'000'000 * per_s / 1'000'000'000;
}

double cpu_s() { return static_cast<double>(base::thread_cpu_ns()) * 1e-9; }

class ForeignIoWitness : public result::Witness {
 public:
  explicit ForeignIoWitness(ForeignIoOptions options) : options_(std::move(options)), tree_(options_.prefix) {
    if (options_.own == 0) options_.own = ::getpid();
  }

  std::string name() const override { return "other processes"; }

  base::Expected<void> begin() override {
    began_ = Clock::now();
    began_ticks_ = ticks_now();
    discarded_sectors_ = discarded();
    if (auto ok = scan(Look::begin); !ok) return ok;
    return {};
  }

  void tick() override {
    if (Clock::now() >= next_)
      (void)scan(Look::between);
    else if (Clock::now() >= next_quick_)
      quick_look();
    if (Clock::now() >= next_search_) search_discarders();
  }

  result::WitnessReport end() override {
    (void)scan(Look::end);
    give_back_inherited();
    return report();
  }

 private:
  base::Expected<void> scan(Look when) {
    const double cpu_begin = cpu_s();
    auto pids = listed();
    if (pids.empty() || pids.size() > options_.most_processes)
      return base::Error{
          base::ErrorKind::privilege,
          pids.empty() ? "/proc shows no processes" : std::to_string(pids.size()) + " processes are too many to scan",
          "",
          {},
          {},
          0};
    for (const auto pid : in_order(pids, when))
      if (pid != options_.own && (when == Look::between || cpu_s() - cpu_begin < options_.most_s)) look(pid, when);
    // The first look after the begin is immediate: a process omitted at the begin is not accounted until then.
    if (when != Look::begin) next_ = after(cpu_s() - cpu_begin, options_.cpu_share);
    return {};
  }

  // The earliest time for the next look, after one of this cost.
  static Clock::time_point after(double cost_s, double share) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(cost_s / share));
  }

  // With very many processes, a full look is rare. In between, this looks at processes that are new or moved data
  // lately.
  void quick_look() {
    const double cpu_begin = cpu_s();
    auto pids = listed();
    for (const auto pid : in_order(pids, Look::between)) {
      const auto& process = processes_[pid];
      if (pid != options_.own && (process.moved || (process.of_the_run && !process.looked_at)))
        look(pid, Look::between);
    }
    next_quick_ = after(cpu_s() - cpu_begin, options_.quick_share);
  }

  std::vector<pid_t> listed() const {
    std::vector<pid_t> pids;
    for (const auto& entry : proc::list_names(options_.prefix + "/proc"))
      if (const auto pid = number(entry)) pids.push_back(*pid);
    return pids;
  }

  double discarded() const {
    double sectors = 0;
    for (const auto& disk : options_.disks)
      if (const auto counters = read_block_counters(disk, options_.prefix))
        sectors += static_cast<double>((*counters)[disk::BlockColumn::discard_sectors]);
    return sectors;
  }

  // The newest process comes first. If the time runs out, the next search continues, even without further discards.
  void search_discarders() {
    const double now = discarded(), cpu_begin = cpu_s();
    if (now == discarded_sectors_ && !search_before_) return;
    discarded_sectors_ = now;
    auto pids = listed();
    in_order(pids, Look::between);
    std::size_t looked = 0;
    std::optional<pid_t> stopped;
    for (const auto pid : pids) {
      if (search_before_ && pid >= *search_before_) continue;
      if (looked++ > 0 && cpu_s() - cpu_begin > options_.search_most_s) {
        stopped = pid + 1;
        break;
      }
      if (pid == options_.own) continue;
      const auto folder = folder_of(pid);
      auto& process = processes_[pid];
      look_into_descriptors(folder, process);
      if (process.who.empty() && !(process.open.empty() && process.mounted.empty())) look_up(folder, pid, process);
    }
    search_before_ = stopped;
    next_search_ = after(cpu_s() - cpu_begin, options_.search_share);
  }

  std::string folder_of(pid_t pid) const { return options_.prefix + "/proc/" + std::to_string(pid); }

  // A process that discards the free blocks of a file system (fstrim) has the directory of the mount point open.
  bool look_into_descriptors(const std::string& folder, Process& process) {
    constexpr std::size_t kMost = 512;
    return proc::each_descriptor(folder, kMost, [&](const proc::Descriptor& one) {
      if (!one.is_device() && !S_ISREG(one.type) && !one.mount_root) return;
      const auto& disk = disk_of(one.device);
      if (std::find(options_.disks.begin(), options_.disks.end(), disk) == options_.disks.end()) return;
      const auto flags = one.flags();
      if (!flags) return;
      auto& mounted = process.mounted;
      if (!one.mount_root)
        process.open[disk] |= one.is_device() && (*flags & O_ACCMODE) != O_RDONLY;
      else if (std::find(mounted.begin(), mounted.end(), disk) == mounted.end())
        mounted.push_back(disk);
    });
  }

  const std::string& disk_of(dev_t device) {
    const auto [at, is_new] = disk_names_.try_emplace(device);
    if (is_new) at->second = tree_.whole_disk(tree_.name_of(device));
    return at->second;
  }

  // Enters all processes and returns the order in which to look at them. The newest come first: they are likelier to do
  // I/O than those from before the run. At the end, processes that are new or have moved data come first.
  std::vector<pid_t> in_order(std::vector<pid_t>& pids, Look when) {
    for (auto& [pid, process] : processes_) process.alive = false;
    for (const auto pid : pids) {
      auto [at, is_new] = processes_.try_emplace(pid);
      at->second.alive = true;
      if (is_new) at->second.of_the_run = when != Look::begin;
    }
    std::sort(pids.begin(), pids.end(), std::greater<>());
    if (when == Look::end)
      std::stable_partition(pids.begin(), pids.end(), [&](pid_t pid) {
        const auto& process = processes_[pid];
        return process.of_the_run || process.last.sum() > process.first.sum();
      });
    return pids;
  }

  // A process that ended since the listing is not unreadable: its parent has its account.
  void look(pid_t pid, Look when) {
    const auto folder = folder_of(pid);
    const auto bytes = parse_io(proc::read_text(folder + "/io", 1024));
    auto& process = processes_[pid];
    process.unreadable = !bytes && proc::read_text(folder + "/stat", 1).size() == 1;
    if (!bytes) return;
    // The process may have become another program (exec), or its number may have been reused. The inheritance of
    // accounts is determined in looks during the run, when there is time.
    if (bytes->sum() != process.last.sum() || (when == Look::between && process.who.empty()))
      look_up(folder, pid, process);
    process.moved = bytes->sum() > process.last.sum();
    process.last = *bytes;
    if (!process.looked_at && !process.of_the_run) process.first = *bytes;
    process.looked_at = true;
    constexpr double kWorthALook = 64 << 10;
    constexpr std::chrono::seconds kAgain{2};
    if (when == Look::begin || options_.disks.empty() || !process.open.empty() ||
        process.last.sum() - process.first.sum() < kWorthALook || Clock::now() < process.next_into)
      return;
    process.looked_into |= look_into_descriptors(folder, process);
    process.next_into = Clock::now() + kAgain;
  }

  // The name of a kernel thread is put in brackets, as in the output of ps.
  void look_up(const std::string& folder, pid_t pid, Process& process) {
    const auto stat = proc::parse_task_stat(proc::read_text(folder + "/stat", 1024));
    if (!stat) return;
    const bool another = process.start_ticks != 0 && process.start_ticks != stat->start_ticks;
    // It began during the run: the process seen earlier with this number ended before it was looked up.
    const bool began_since = process.start_ticks == 0 && !process.of_the_run && stat->start_ticks > began_ticks_;
    if (another || began_since) {
      process.alive = false;
      if (another) ended_.emplace_back(pid, process);
      process = {};
      process.of_the_run = true;
    }
    process.who = stat->kernel_thread ? "[" + stat->name + "]" : stat->name;
    process.parent = stat->parent;
    process.start_ticks = stat->start_ticks;
  }

  void each(const std::function<void(pid_t, const Process&)>& take) const {
    for (const auto& [pid, process] : processes_) take(pid, process);
    for (const auto& [pid, process] : ended_) take(pid, process);
  }

  // Excludes I/O from before the run that an ended process passed on to its parent during the run.
  void give_back_inherited() {
    each([&](pid_t, const Process& process) {
      if (process.alive) return;
      auto* const heir = living_ancestor(process);
      if (heir == nullptr) return;
      Bytes& last = heir->last;
      const Bytes& from = heir->first;
      // The heir's counts include all I/O of the ended process. The ended process is reported too, so its I/O is
      // subtracted here.
      last.read = std::max(from.read, last.read - process.last.read);
      last.write = std::max(from.write, last.write - process.last.write);
    });
  }

  // The process that inherited the account of an ended process. Its parent may have ended too.
  Process* living_ancestor(const Process& process) {
    constexpr int kMostGenerations = 16;
    const Process* at = &process;
    for (int i = 0; i < kMostGenerations; ++i) {
      const auto parent = processes_.find(at->parent);
      if (parent == processes_.end()) return nullptr;
      if (parent->second.alive) return &parent->second;
      at = &parent->second;
    }
    return nullptr;
  }

  // The workers are children of this process and end before it does.
  bool counts(const Process& process) const { return process.parent != options_.own; }

  result::WitnessReport report() const {
    struct Row {
      std::string who;
      Bytes moved;
      const Process* process;
    };
    std::vector<Row> rows;
    Bytes all, kernel;
    each([&](pid_t pid, const Process& p) {
      if (!counts(p)) return;
      const Bytes moved{p.last.read - p.first.read, p.last.write - p.first.write};
      all.read += moved.read;
      all.write += moved.write;
      if (p.who.starts_with('[')) {
        kernel.read += moved.read;
        kernel.write += moved.write;
      }
      if (moved.sum() > 0) rows.push_back({std::to_string(pid) + " " + p.who, moved, &p});
    });
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.moved.sum() > b.moved.sum(); });
    if (rows.size() > options_.most_named) rows.resize(options_.most_named);
    result::WitnessReport report;
    const auto add = [&](const std::string& who, const Bytes& bytes) {
      report.counts.push_back(count(who, "read_bytes", "read", bytes.read, "bytes"));
      report.counts.push_back(count(who, "write_bytes", "write", bytes.write, "bytes"));
    };
    for (const auto& row : rows) {
      add(row.who, row.moved);
      // Kernel threads have no descriptors, wherever they do I/O.
      if (!row.process->looked_into || row.process->who.starts_with('[')) continue;
      report.counts.push_back(count(row.who, "looked", "", 1, "count"));
      report.counts.back().source = "descriptors";
    }
    add("all", all);
    add(std::string(kKernelThreads), kernel);
    add_open(report);
    double unread = 0, looked_at = 0;
    for (const auto& [pid, p] : processes_) {
      unread += p.alive && p.unreadable ? 1 : 0;
      looked_at += p.alive && p.looked_at ? 1 : 0;
    }
    report.counts.push_back(count("unreadable", "processes", "", unread, "count"));
    report.counts.push_back(count("looked at", "processes", "", looked_at, "count"));
    if (const auto by = proc::processes_hidden_by(options_.prefix); !by.empty())
      report.counts.push_back(count("hidden", by.c_str(), "", 1, "count"));
    return report;
  }

  void add_open(result::WitnessReport& report) const {
    each([&](pid_t pid, const Process& p) {
      if (!counts(p)) return;
      const auto who = std::to_string(pid) + " " + p.who;
      const auto add = [&](const char* source, const std::string& disk, bool writable) {
        report.counts.push_back(count(who, disk.c_str(), writable ? "write" : "", 1, "count"));
        report.counts.back().source = source;
      };
      for (const auto& [disk, writable] : p.open) add("open", disk, writable);
      for (const auto& disk : p.mounted) add("mount_point", disk, false);
    });
  }

  result::Count count(const std::string& subject, const char* name, const char* direction, double value,
                      const char* unit) const {
    result::Count c;
    c.source = "others";
    c.subject = subject;
    c.name = name;
    c.direction = direction;
    c.value = c.low = c.high = c.raw = value;
    c.unit = unit;
    c.window_s = std::chrono::duration<double>(Clock::now() - began_).count();
    return c;
  }

  ForeignIoOptions options_;
  std::map<pid_t, Process> processes_;
  disk::BlockTree tree_;
  std::map<dev_t, std::string> disk_names_;
  double discarded_sectors_ = 0;
  std::vector<std::pair<pid_t, Process>> ended_;  // their numbers have been reused
  std::optional<pid_t> search_before_;            // a search for discarding processes continues below this number
  std::uint64_t began_ticks_ = 0;
  Clock::time_point began_{}, next_{}, next_quick_{}, next_search_{};
};

}  // namespace

std::unique_ptr<result::Witness> make_foreign_io_witness(ForeignIoOptions options) {
  return std::make_unique<ForeignIoWitness>(std::move(options));
}

}  // namespace fathom::host
