// Which hypervisor the machine runs under: numbers from a virtual machine carry its host's noise, and the report must
// say so.
#pragma once
#include <string>
#include <string_view>

namespace fathom::host::proc {

// The 12-byte signature of CPUID leaf 0x40000000 to a plain name ("KVMKVMKVM" -> "kvm"); an unknown one stays as it is.
std::string hypervisor_name(std::string_view signature);
// "" on bare metal and where nothing tells. `cpuinfo` is the text of /proc/cpuinfo; `prefix` stands before /sys and
// /proc, for tests.
std::string find_hypervisor(std::string_view cpuinfo, const std::string& prefix = "");

}  // namespace fathom::host::proc
