// Choosing a policy.
#include "engine/userspace/nvme_policy.h"

#include "io/options/nvme.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace fathom::engine::userspace {
namespace {

// Fewer commands than this are waited for as soon as they are announced: what hides them from our own cache delays
// them.
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
  // A line of four is handled at once: there is nothing to look ahead to.
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

}  // namespace fathom::engine::userspace
