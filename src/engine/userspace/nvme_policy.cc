// Chooses a policy.
#include "engine/userspace/nvme_policy.h"

#include <utility>

#include "io/options/nvme.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace fathom::engine::userspace {
namespace {

// With fewer commands, the engine waits for them as soon as they are announced. Stores that bypass this CPU's cache
// would delay them.
constexpr std::uint32_t kDeepFrom = 8;

#if defined(__x86_64__)
bool cpu_has_movdir64b() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c >> 28 & 1) != 0;
}
#endif

}  // namespace

bool cpu_can(nvme::SqCopy copy) {
#if defined(__x86_64__)
  if (copy == nvme::SqCopy::avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (copy == nvme::SqCopy::movdir64b) return cpu_has_movdir64b();
  return true;
#else
  return copy == nvme::SqCopy::words;
#endif
}

nvme::Policy choose_policy(const io::EngineOptions& options, std::uint32_t depth) {
  const auto& own = options.of<io::NvmeOptions>();
  const bool deep = depth >= kDeepFrom && cpu_can(nvme::SqCopy::nontemporal);
  nvme::Policy p = deep ? kDeepPolicy : kPlainPolicy;
  if (own.sq_copy >= 0) p.copy = static_cast<nvme::SqCopy>(own.sq_copy);
  p.sq_doorbell = static_cast<nvme::SqDoorbell>(own.sq_doorbell);
  p.cq_doorbell = static_cast<nvme::CqDoorbell>(own.cq_doorbell);
  // Reading a line of four entries handles all of them at once, so look-ahead needs single entries.
  if (own.lookahead >= 0) {
    p.lookahead = static_cast<nvme::Lookahead>(own.lookahead);
    p.cq_read = nvme::CqRead::entry;
  }
  if (own.cq_read >= 0) p.cq_read = static_cast<nvme::CqRead>(own.cq_read);
  p.context = static_cast<nvme::Context>(own.context);
  p.wide_entries = own.wide_entries;
  p.trackers_4k_apart = own.trackers_apart;
  p.divide = own.divide;
  return p;
}

std::string_view ablation_option(const io::EngineOptions& options) {
  const auto& own = options.of<io::NvmeOptions>();
  nvme::Policy p = choose_policy(options, 0);
  if (p.copy == nvme::SqCopy::nontemporal) p.copy = kPlainPolicy.copy;
  const std::pair<std::string_view, bool> changed[] = {
      {"nvme_sq_copy", p.copy != kPlainPolicy.copy},
      {"nvme_sq_doorbell", p.sq_doorbell != kPlainPolicy.sq_doorbell},
      {"nvme_cq_doorbell", p.cq_doorbell != kPlainPolicy.cq_doorbell},
      {"nvme_lookahead",
       own.lookahead >= 0 && (p.lookahead != kPlainPolicy.lookahead || p.cq_read != kPlainPolicy.cq_read)},
      {"nvme_cq_read", p.cq_read != kPlainPolicy.cq_read},
      {"nvme_context", p.context != kPlainPolicy.context},
      {"nvme_cqe_bytes", p.wide_entries},
      {"nvme_trackers", p.trackers_4k_apart},
      {"nvme_divide", p.divide},
  };
  for (const auto& [option, is_changed] : changed)
    if (is_changed) return option;
  return {};
}

}  // namespace fathom::engine::userspace
