// Programs on the tracepoints of the block layer, loaded by bpf(2) and attached by perf_event_open(2): one for each
// tracepoint, whatever the number of CPUs, for a program belongs to the tracepoint and runs wherever it is passed, even
// though the perf event that holds it is never enabled and makes no sample. All go when their file descriptors do, at
// the latest with the process. From Linux 5.8 on (the ring). Errors: EPERM without CAP_BPF and CAP_PERFMON (or
// CAP_SYS_ADMIN) or under lockdown, and what assemble() says.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "pmu/perf_call.h"
#include "pmu/trace/bpf/bpf_call.h"
#include "pmu/trace/event_source.h"

namespace fathom::pmu::trace::bpf {

base::Expected<std::unique_ptr<EventSource>> open_block_programs(const PointFormats& formats,
                                                                 std::span<const std::uint32_t> devices,
                                                                 bpf::Call bpf_call = bpf::kernel_call,
                                                                 const PerfCalls& perf_calls = kernel_calls());

}  // namespace fathom::pmu::trace::bpf
