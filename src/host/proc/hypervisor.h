// The hypervisor that the machine runs under. Numbers from a virtual machine include its host's noise, and the report
// must state this.
#pragma once
#include <string>
#include <string_view>

namespace fathom::host::proc {

// Converts the 12-byte signature of CPUID leaf 0x40000000 to a name ("KVMKVMKVM" -> "kvm"); an unknown one is
// unchanged.
std::string hypervisor_name(std::string_view signature);
// "": bare metal, or unknown. `cpuinfo` is the text of /proc/cpuinfo; `prefix` precedes /sys and /proc, for tests.
std::string find_hypervisor(std::string_view cpuinfo, const std::string& prefix = "");

}  // namespace fathom::host::proc
