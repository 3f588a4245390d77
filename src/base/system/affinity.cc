// A mask is a row of words; bit n of the row is CPU n. The kernel accepts a mask of any length. To return one, it needs
// space for all its CPUs.
#include "base/system/affinity.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>

namespace fathom::base::system {
namespace {

using Word = unsigned long;
constexpr std::size_t kWordBits = 8 * sizeof(Word);
constexpr std::size_t kMostBits = std::size_t{1} << 20;

std::vector<int> cpus_of(const std::vector<Word>& mask) {
  std::vector<int> cpus;
  for (std::size_t cpu = 0; cpu < mask.size() * kWordBits; ++cpu)
    if ((mask[cpu / kWordBits] >> cpu % kWordBits & 1) != 0) cpus.push_back(static_cast<int>(cpu));
  return cpus;
}

const cpu_set_t* as_set(const std::vector<Word>& mask) { return reinterpret_cast<const cpu_set_t*>(mask.data()); }

}  // namespace

std::vector<Word> affinity_mask(std::span<const int> cpus) {
  const int last = cpus.empty() ? 0 : *std::max_element(cpus.begin(), cpus.end());
  std::vector<Word> mask(static_cast<std::size_t>(std::max(last, 0)) / kWordBits + 1);
  for (const int cpu : cpus) {
    const auto n = static_cast<std::size_t>(cpu);
    if (cpu >= 0) mask[n / kWordBits] |= Word{1} << n % kWordBits;
  }
  return mask;
}

std::vector<int> allowed_cpus() {
  for (std::size_t bits = 1024; bits <= kMostBits; bits *= 2) {
    std::vector<Word> mask(bits / kWordBits);
    if (::sched_getaffinity(0, bits / 8, reinterpret_cast<cpu_set_t*>(mask.data())) == 0) return cpus_of(mask);
    if (errno != EINVAL) break;  // EINVAL: this machine may have more CPUs than the mask
  }
  return {};
}

int run_on(std::span<const int> cpus) {
  const auto mask = affinity_mask(cpus);
  return ::sched_setaffinity(0, mask.size() * sizeof(Word), as_set(mask)) == 0 ? 0 : errno;
}

int run_on(std::span<const int> cpus, pthread_t thread) {
  const auto mask = affinity_mask(cpus);
  return ::pthread_setaffinity_np(thread, mask.size() * sizeof(Word), as_set(mask));
}

StayOnThisCpu::StayOnThisCpu() {
  const int cpu = ::sched_getcpu();
  if (cpu < 0) return;
  before_ = allowed_cpus();
  if (!before_.empty() && run_on(cpu) != 0) before_.clear();
}

StayOnThisCpu::~StayOnThisCpu() {
  if (!before_.empty()) run_on(before_);
}

}  // namespace fathom::base::system
