// The counter's frequency as reported by the processor or the hypervisor: CPUID 0x15 (Intel; empty on AMD), the
// hypervisor's timing leaf 0x40000010 (from VMware, also KVM's if the host sets it), CNTFRQ_EL0 on aarch64.
// Each is read only if the highest leaf and the signature show that it exists: a leaf above the highest one returns
// another leaf's numbers. A claim is not trusted yet: calibrate() compares it with the kernel's clock.
// Thread rule: pure.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clock/sources/source.h"

namespace fathom::clock::sources {

struct FrequencyClaim {
  double hz = 0;
  std::string method;                    // source of the claim
  std::optional<Conversion> conversion;  // if the claim is a conversion; empty: computed from hz
};

struct CpuidRegisters {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};
using Cpuid = std::function<CpuidRegisters(std::uint32_t leaf)>;  // subleaf 0
// CPUID of this machine; zeros if it has no CPUID. A leaf above its range returns what the CPU returns.
CpuidRegisters this_cpu(std::uint32_t leaf);

// Without this flag, a CPU may lack the instruction: SIGILL.
bool has_rdtscp(const Cpuid& cpuid);

// Plausible range of a counter's rate. Claims outside it are ignored.
inline constexpr double kLowestHz = 1e6;
inline constexpr double kHighestHz = 1e10;

std::optional<FrequencyClaim> crystal_leaf(const Cpuid& cpuid);     // 0x15
std::optional<FrequencyClaim> hypervisor_leaf(const Cpuid& cpuid);  // 0x40000010

// The claims of this machine, the most trustworthy first.
std::vector<FrequencyClaim> frequency_claims();

}  // namespace fathom::clock::sources
