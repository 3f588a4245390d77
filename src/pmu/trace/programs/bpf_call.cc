// Source: bpf(2).
#include "pmu/trace/programs/bpf_call.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fathom::pmu::trace::programs {
namespace {

template <class T>
__u64 address(T* pointer) {
  return reinterpret_cast<__u64>(pointer);
}

// The kernel refuses unknown bits, so all unused ones must be 0.
bpf_attr cleared() {
  bpf_attr attr;
  std::memset(&attr, 0, sizeof attr);
  return attr;
}

int call(bpf_cmd command, bpf_attr* attr) {
  const long result = ::syscall(SYS_bpf, command, attr, sizeof *attr);
  return result < 0 ? -errno : static_cast<int>(result);
}

bpf_prog_info info_of(int program_fd) {
  bpf_prog_info info{};
  auto attr = cleared();
  attr.info.bpf_fd = static_cast<__u32>(program_fd);
  attr.info.info_len = sizeof info;
  attr.info.info = address(&info);
  return call(BPF_OBJ_GET_INFO_BY_FD, &attr) < 0 ? bpf_prog_info{} : info;
}

}  // namespace

int measure_run_times() {
  auto attr = cleared();
  attr.enable_stats.type = BPF_STATS_RUN_TIME;
  return call(BPF_ENABLE_STATS, &attr);
}

RunTime run_time_of(int program_fd) {
  const auto info = info_of(program_fd);
  return {info.run_time_ns, info.run_cnt};
}

std::uint64_t missed_runs_of(int program_fd) { return info_of(program_fd).recursion_misses; }

}  // namespace fathom::pmu::trace::programs
