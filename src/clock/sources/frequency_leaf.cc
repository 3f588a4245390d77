// Reads the frequency leaves of CPUID.
#include "clock/sources/frequency_leaf.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <iterator>
#include <string_view>

namespace fathom::clock::sources {
namespace {

constexpr std::uint32_t kVendorLeaf = 0, kFeatureLeaf = 1, kCrystalLeaf = 0x15;
constexpr std::uint32_t kHypervisorLeaf = 0x40000000, kTimingLeaf = 0x40000010;
constexpr std::uint32_t kHypervisorPresent = 1u << 31;  // in ecx of kFeatureLeaf

// Hypervisors that give the counter's kHz in eax of 0x40000010.
constexpr std::string_view kHypervisorsWithTiming[] = {std::string_view("VMwareVMware", 12),
                                                       std::string_view("KVMKVMKVM\0\0\0", 12),
                                                       std::string_view("ACRNACRNACRN", 12)};

std::string text_of(std::initializer_list<std::uint32_t> registers) {
  std::string text;
  for (const auto r : registers)
    for (unsigned shift = 0; shift < 32; shift += 8) text += static_cast<char>(r >> shift & 0xff);
  return text;
}

std::optional<FrequencyClaim> plausible(double hz, std::string method) {
  if (!(hz >= kLowestHz && hz <= kHighestHz)) return std::nullopt;
  return FrequencyClaim{hz, std::move(method), std::nullopt};
}

}  // namespace

CpuidRegisters this_cpu([[maybe_unused]] std::uint32_t leaf) {
  CpuidRegisters r;
#if defined(__x86_64__)
  __cpuid_count(leaf, 0, r.eax, r.ebx, r.ecx, r.edx);
#endif
  return r;
}

std::optional<FrequencyClaim> crystal_leaf(const Cpuid& cpuid) {
  const auto vendor = cpuid(kVendorLeaf);
  if (vendor.eax < kCrystalLeaf || text_of({vendor.ebx, vendor.edx, vendor.ecx}) != "GenuineIntel") return std::nullopt;
  const auto leaf = cpuid(kCrystalLeaf);  // counter / crystal = ebx / eax, crystal in Hz in ecx
  if (leaf.eax == 0 || leaf.ebx == 0 || leaf.ecx == 0) return std::nullopt;
  return plausible(static_cast<double>(leaf.ecx) * leaf.ebx / leaf.eax, "CPUID 0x15");
}

std::optional<FrequencyClaim> hypervisor_leaf(const Cpuid& cpuid) {
  if ((cpuid(kFeatureLeaf).ecx & kHypervisorPresent) == 0) return std::nullopt;
  const auto hypervisor = cpuid(kHypervisorLeaf);
  if (hypervisor.eax < kTimingLeaf) return std::nullopt;
  const auto signature = text_of({hypervisor.ebx, hypervisor.ecx, hypervisor.edx});
  const auto known = std::find(std::begin(kHypervisorsWithTiming), std::end(kHypervisorsWithTiming), signature);
  if (known == std::end(kHypervisorsWithTiming)) return std::nullopt;
  return plausible(cpuid(kTimingLeaf).eax * 1e3, "hypervisor leaf 0x40000010");
}

bool has_rdtscp(const Cpuid& cpuid) {
  constexpr std::uint32_t kLeaf = 0x80000001, kHighest = 0x80000000, kBit = 1u << 27;
  return cpuid(kHighest).eax >= kLeaf && (cpuid(kLeaf).edx & kBit) != 0;
}

std::vector<FrequencyClaim> frequency_claims() {
  std::vector<FrequencyClaim> claims;
#if defined(__x86_64__)
  if (auto claim = crystal_leaf(this_cpu)) claims.push_back(*claim);
  if (auto claim = hypervisor_leaf(this_cpu)) claims.push_back(*claim);
#elif defined(__aarch64__)
  std::uint64_t hz;
  asm("mrs %0, cntfrq_el0" : "=r"(hz));
  if (auto claim = plausible(static_cast<double>(hz), "CNTFRQ_EL0")) claims.push_back(*claim);
#endif
  return claims;
}

}  // namespace fathom::clock::sources
