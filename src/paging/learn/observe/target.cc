// See target.h. pidfd_open(2) shows the end of a process even before its parent has waited for it. An open directory of
// /proc becomes invalid with its process and never belongs to another one.
#include "paging/learn/observe/target.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/proc/text_file.h"

namespace fathom::paging::learn::observe {
namespace {

base::Error refused(const std::string& what, const std::string& cause, const std::string& help = {}) {
  base::Error error;
  error.help = help;
  error.kind = base::ErrorKind::usage;
  error.what = what;
  error.cause = cause;
  return error;
}

base::Error no_permission(pid_t pid, const char* file) {
  base::Error error = base::system_error("/proc/" + std::to_string(pid) + "/" + file, EACCES);
  error.kind = base::ErrorKind::privilege;
  error.cause = "observing a process of another user, or a process that changed its user, needs CAP_SYS_PTRACE";
  error.help = "run as that user or as root";
  return error;
}

base::Expected<void> check(pid_t pid) {
  const std::string name = "process " + std::to_string(pid);
  const ProcessFacts facts = parse_stat(host::proc::read_text("/proc/" + std::to_string(pid) + "/stat"));
  if (pid <= 0 || !facts.there) return refused(name + ": no such process", "no /proc/" + std::to_string(pid));
  if (facts.kernel_thread) return refused(name + ": cannot be observed", "a kernel thread has no user memory");
  if (facts.state == 'Z')
    return refused(name + ": cannot be observed", "the process has already ended (a zombie)",
                   "observe a process that runs for some seconds");
  if (pid == getpid()) return refused(name + ": cannot be observed", "fathom cannot observe itself");
  return {};
}

}  // namespace

base::Expected<Target> Target::open(pid_t pid) {
  if (auto good = check(pid); !good) return good.error();
  Target out;
  out.pid_ = pid;
  out.pidfd_.reset(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  out.folder_.reset(::open(("/proc/" + std::to_string(pid)).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!out.folder_)
    return refused("process " + std::to_string(pid) + ": no such process", "the process has just ended");
  if (auto good = out.open_files(); !good) return good.error();
  return out;
}

base::Expected<void> Target::open_files() {
  struct Row {
    const char* name;
    int flags;
    base::system::UniqueFd* fd;
  };
  for (const Row& row : {Row{"pagemap", O_RDONLY, &pagemap_}, Row{"clear_refs", O_WRONLY, &clear_refs_}}) {
    row.fd->reset(openat(folder_.get(), row.name, row.flags | O_CLOEXEC));
    if (*row.fd) continue;
    if (errno == EACCES || errno == EPERM) return no_permission(pid_, row.name);
    if (errno == ESRCH || errno == ENOENT)
      return refused("process " + std::to_string(pid_) + ": cannot be observed", "the process has just ended",
                     "observe a process that runs for some seconds");
    return base::system_error("/proc/" + std::to_string(pid_) + "/" + row.name, errno);
  }
  return {};
}

bool Target::reopen() { return open_files().ok(); }

bool Target::ended() const {
  if (!pidfd_) return parse_stat(text("stat")).state == 'Z' || !parse_stat(text("stat")).there;
  pollfd one{pidfd_.get(), POLLIN, 0};
  return poll(&one, 1, 0) > 0;
}

std::string Target::text(const char* name) const {
  const base::system::UniqueFd fd(openat(folder_.get(), name, O_RDONLY | O_CLOEXEC));
  std::string out;
  char buffer[64 << 10];
  for (ssize_t n; fd && (n = read(fd.get(), buffer, sizeof buffer)) > 0;)
    out.append(buffer, static_cast<std::size_t>(n));
  return out;
}

double Target::cpu_s() const {
  static const auto ticks_a_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  return static_cast<double>(parse_stat(text("stat")).cpu_ticks) / ticks_a_second;
}

std::string Target::command() const { return one_line(text("cmdline")); }

std::vector<Mapping> Target::mappings(bool with_use) const {
  return watched(parse_mappings(text(with_use ? "smaps" : "maps")));
}

std::uint64_t Target::referenced_bytes() const {
  std::uint64_t sum = 0;
  for (const Mapping& mapping : mappings(true)) sum += mapping.referenced;
  return sum;
}

bool Target::clear(Marks marks) const {
  const char word = static_cast<char>(marks);
  return pwrite(clear_refs_.get(), &word, 1, 0) == 1;
}

void Target::read_pagemap(std::uint64_t page, std::span<std::uint64_t> words) const {
  std::size_t done = 0;
  while (done < words.size()) {
    const ssize_t n = pread(pagemap_.get(), words.data() + done, (words.size() - done) * sizeof words[0],
                            static_cast<off_t>((page + done) * sizeof words[0]));
    if (n <= 0) break;
    done += static_cast<std::size_t>(n) / sizeof words[0];
  }
  std::fill(words.begin() + static_cast<std::ptrdiff_t>(done), words.end(), 0);
}

namespace {

// A page of this process, mapped for one trial.
class TrialPage {
 public:
  TrialPage() {
    void* p = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) data_ = static_cast<volatile char*>(p);
    if (data_ != nullptr) *data_ = 1;
  }
  TrialPage(const TrialPage&) = delete;
  TrialPage& operator=(const TrialPage&) = delete;
  ~TrialPage() {
    if (data_ != nullptr) munmap(const_cast<char*>(data_), kPageBytes);
  }
  void write() const { *data_ = 2; }
  bool there() const { return data_ != nullptr; }
  std::uint64_t word() const {
    const base::system::UniqueFd pagemap(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    std::uint64_t out = 0;
    const auto at = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(data_) / kPageBytes * sizeof out);
    return pagemap && pread(pagemap.get(), &out, sizeof out, at) == sizeof out ? out : 0;
  }

 private:
  volatile char* data_ = nullptr;
};

}  // namespace

bool kernel_has_soft_dirty() {
  const TrialPage page;
  const base::system::UniqueFd clear_refs(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
  if (!page.there() || !clear_refs || write(clear_refs.get(), "4", 1) != 1) return false;
  const bool cleared = (page.word() & kSoftDirty) == 0;
  page.write();
  return cleared && (page.word() & kSoftDirty) != 0;
}

bool frames_are_shown() {
  const TrialPage page;
  return page.there() && frame(page.word()) != 0;
}

}  // namespace fathom::paging::learn::observe
