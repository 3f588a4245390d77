// What the processor or the hypervisor says of the counter's frequency: CPUID 0x15 (Intel; AMD leaves it empty), the
// hypervisor's timing leaf 0x40000010 (VMware's invention, also KVM's where the host sets it), CNTFRQ_EL0 on aarch64.
// Each is asked only where the highest leaf and the signature say that it exists: a leaf beyond the highest one returns
// another leaf's numbers. A claim is not yet believed: calibrate() holds it against the kernel's clock. Thread rule:
// pure.
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
  std::string method;                    // who says so
  std::optional<Conversion> conversion;  // where the claim is a conversion; else it follows from hz
};

struct CpuidRegisters {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};
using Cpuid = std::function<CpuidRegisters(std::uint32_t leaf)>;  // subleaf 0
// Of the machine that this runs on; zeros where it has no CPUID. A leaf above its range gives what the CPU gives.
CpuidRegisters this_cpu(std::uint32_t leaf);

// A CPU that does not tell of it may not have the instruction: SIGILL.
bool has_rdtscp(const Cpuid& cpuid);

// What a counter can plausibly run at; other claims are not claims.
inline constexpr double kLowestHz = 1e6;
inline constexpr double kHighestHz = 1e10;

std::optional<FrequencyClaim> crystal_leaf(const Cpuid& cpuid);     // 0x15
std::optional<FrequencyClaim> hypervisor_leaf(const Cpuid& cpuid);  // 0x40000010

// Of the machine that this runs on, the most trustworthy first.
std::vector<FrequencyClaim> frequency_claims();

}  // namespace fathom::clock::sources
