// libbpf reports its reasons through a print function: the last line is kept for the error.
#include "pmu/trace/programs/loaded_object.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/system/fd.h"
#include "host/proc/text_file.h"
#include "pmu/events/tracefs.h"
#include "pmu/perf_call.h"
#include "pmu/trace/programs/bpf_call.h"
#include "pmu/trace/programs/libbpf.h"

namespace fathom::pmu::trace::programs {
namespace {

// One per thread, since several threads may load and attach at once.
std::string& last_words() {
  static thread_local std::string words;
  return words;
}

int listen(enum libbpf_print_level level, const char* format, va_list arguments) {
  if (level != LIBBPF_WARN) return 0;
  char line[512];
  std::vsnprintf(line, sizeof line, format, arguments);
  last_words() = line;
  while (!last_words().empty() && last_words().back() == '\n') last_words().pop_back();
  return 0;
}

}  // namespace

base::Error LoadedObject::refused(const char* what, int err) const {
  auto e = base::system_error(what, err);
  if (err == EPERM || err == EACCES)
    e.cause = "BPF programs need CAP_BPF and CAP_PERFMON (or root), and no kernel lockdown";
  else if (needs_btf_ && ::access("/sys/kernel/btf/vmlinux", F_OK) != 0)
    e.cause = "this kernel has no BTF (/sys/kernel/btf/vmlinux)";
  else if (!last_words().empty())
    e.cause = last_words();
  return e;
}

Mapping::~Mapping() {
  if (at_ != nullptr) ::munmap(at_, bytes_);
}

int Mapping::map(int fd, std::size_t bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return errno;
  at_ = at;
  bytes_ = bytes;
  return 0;
}

base::Expected<std::unique_ptr<LoadedObject>> LoadedObject::open(std::span<const unsigned char> elf, bool needs_btf) {
  const auto bpf = libbpf();
  if (!bpf) return bpf.error();
  std::unique_ptr<LoadedObject> made(new LoadedObject(needs_btf));
  made->bpf_ = *bpf;
  last_words().clear();
  made->bpf_->set_print(listen);
  bpf_object_open_opts options{};
  options.sz = sizeof options;
  options.object_name = "fathom";
  made->object_ = made->bpf_->open(elf.data(), elf.size(), &options);
  if (made->object_ == nullptr) return made->refused("open BPF programs", errno);
  return made;
}

LoadedObject::~LoadedObject() {
  detach();
  if (object_ != nullptr) bpf_->close(object_);
}

void LoadedObject::set_entries(const char* map, std::uint32_t entries) {
  bpf_->set_max_entries(bpf_->find_map(object_, map), entries);
}

void LoadedObject::use_only(std::vector<const char*> programs) {
  programs_ = std::move(programs);
  for (auto* program = bpf_->next_program(object_, nullptr); program != nullptr;
       program = bpf_->next_program(object_, program)) {
    const std::string_view name = bpf_->program_name(program);
    if (std::find(programs_.begin(), programs_.end(), name) == programs_.end()) bpf_->set_autoload(program, false);
  }
}

base::Expected<void> LoadedObject::set_constants(const void* values, std::size_t bytes) {
  std::size_t there = 0;
  auto* const constants = bpf_->find_map(object_, ".rodata");
  void* const to = constants == nullptr ? nullptr : const_cast<void*>(bpf_->initial_value(constants, &there));
  if (to == nullptr || there < bytes) return refused("set up BPF programs", EINVAL);
  std::memcpy(to, values, bytes);
  return {};
}

base::Expected<void> LoadedObject::load() {
  last_words().clear();
  const int err = -bpf_->load(object_);
  if (err == 0) return {};
  auto error = refused("load BPF programs", err);
  if (err == EACCES) {  // a user without permission gets EPERM
    error.kind = base::ErrorKind::io;
    error.cause = "this kernel's verifier does not accept them";
  }
  return error;
}

int LoadedObject::map(const char* name, std::size_t bytes, Mapping& to) const {
  auto* const map = bpf_->find_map(object_, name);
  return map == nullptr ? ENOENT : to.map(bpf_->map_fd(map), bytes);
}

// A classic tracepoint is identified by a number in tracefs. libbpf looks for it where distributions mount tracefs, but
// it may not be mounted there. Null: errno has the reason.
bpf_link* LoadedObject::attached(bpf_program* program) const {
  constexpr std::string_view kClassic = "tp/";
  const std::string_view section = bpf_->section_name(program);
  if (!section.starts_with(kClassic)) return bpf_->attach(program);
  const auto root = events::tracefs_root();
  if (!root) return bpf_->attach(program);
  const auto id = host::proc::read_text(fmt::format("{}/events/{}/id", *root, section.substr(kClassic.size())));
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_TRACEPOINT;
  event.config = std::strtoull(id.c_str(), nullptr, 10);
  if (event.config == 0) return errno = ENOENT, nullptr;
  base::system::UniqueFd fd(kernel_calls().open(&event, -1, 0, -1, PERF_FLAG_FD_CLOEXEC));
  if (!fd) return errno = -fd.get(), nullptr;
  auto* const link = bpf_->attach_to_event(program, fd.get());
  if (link != nullptr) fd.release();  // the link closes it
  return link;
}

base::Expected<void> LoadedObject::attach() {
  last_words().clear();
  for (auto at = programs_.rbegin(); at != programs_.rend(); ++at) {
    auto* const link = attached(bpf_->find_program(object_, *at));
    if (link == nullptr) {
      const int err = errno;
      detach();
      return refused("attach a BPF program", err);
    }
    links_.push_back(link);
  }
  return {};
}

void LoadedObject::detach() {
  for (auto* link : links_) bpf_->detach(link);
  links_.clear();
}

RunTime LoadedObject::run_time() const {
  RunTime sum;
  for (const auto* program : programs_) {
    const auto one = run_time_of(bpf_->program_fd(bpf_->find_program(object_, program)));
    sum.ns += one.ns;
    sum.runs += one.runs;
  }
  return sum;
}

void let_go_of_links() {
  const std::string folder = "/proc/self/fd/";
  std::vector<int> links;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (std::filesystem::read_symlink(entry.path(), error).native().find("bpf_link") != std::string::npos)
      links.push_back(std::atoi(entry.path().filename().c_str()));
  for (const int fd : links) ::close(fd);
}

std::uint64_t LoadedObject::missed_runs() const {
  std::uint64_t runs = 0;
  for (const auto* program : programs_) runs += missed_runs_of(bpf_->program_fd(bpf_->find_program(object_, program)));
  return runs;
}

}  // namespace fathom::pmu::trace::programs
