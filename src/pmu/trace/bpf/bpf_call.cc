// None of the helpers used is for GPL programs only (kernel/bpf/helpers.c), so the license is that of this program.
#include "pmu/trace/bpf/bpf_call.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fathom::pmu::trace::bpf {
namespace {

template <class T>
__u64 address(T* pointer) {
  return reinterpret_cast<__u64>(pointer);
}

// The kernel refuses unknown bits, so what is not asked for has to be 0.
bpf_attr cleared() {
  bpf_attr attr;
  std::memset(&attr, 0, sizeof attr);
  return attr;
}

int make_map(bpf_map_type type, std::uint32_t key_bytes, std::uint32_t value_bytes, std::uint32_t entries,
             std::uint32_t flags, Call call) {
  auto attr = cleared();
  attr.map_type = type;
  attr.key_size = key_bytes;
  attr.value_size = value_bytes;
  attr.max_entries = entries;
  attr.map_flags = flags;
  return call(BPF_MAP_CREATE, &attr);
}

bpf_prog_info info_of(int program_fd, Call call) {
  bpf_prog_info info{};
  auto attr = cleared();
  attr.info.bpf_fd = static_cast<__u32>(program_fd);
  attr.info.info_len = sizeof info;
  attr.info.info = address(&info);
  return call(BPF_OBJ_GET_INFO_BY_FD, &attr) < 0 ? bpf_prog_info{} : info;
}

}  // namespace

int kernel_call(bpf_cmd command, bpf_attr* attr) {
  const long result = ::syscall(SYS_bpf, command, attr, sizeof *attr);
  return result < 0 ? -errno : static_cast<int>(result);
}

int make_ring(std::uint32_t bytes, Call call) { return make_map(BPF_MAP_TYPE_RINGBUF, 0, 0, bytes, 0, call); }

int make_shared_value(std::uint32_t bytes, Call call) {
  return make_map(BPF_MAP_TYPE_ARRAY, sizeof(std::uint32_t), bytes, 1, BPF_F_MMAPABLE, call);
}

int load_tracepoint_program(std::span<const bpf_insn> code, Call call) {
  static constexpr char kLicense[] = "Apache-2.0", kName[] = "fathom_split";
  auto attr = cleared();
  attr.prog_type = BPF_PROG_TYPE_TRACEPOINT;
  attr.insns = address(code.data());
  attr.insn_cnt = static_cast<__u32>(code.size());
  attr.license = address(kLicense);
  std::memcpy(attr.prog_name, kName, sizeof kName);
  return call(BPF_PROG_LOAD, &attr);
}

int measure_run_times(Call call) {
  auto attr = cleared();
  attr.enable_stats.type = BPF_STATS_RUN_TIME;
  return call(BPF_ENABLE_STATS, &attr);
}

RunTime run_time(int program_fd, Call call) {
  const auto info = info_of(program_fd, call);
  return {info.run_time_ns, info.run_cnt};
}

std::uint64_t missed_runs(int program_fd, Call call) { return info_of(program_fd, call).recursion_misses; }

}  // namespace fathom::pmu::trace::bpf
