// x86: CPUID leaf 1 shows whether there is a hypervisor (Linux: the flag "hypervisor"), and leaf 0x40000000 shows
// which. Elsewhere the device tree or the firmware's DMI strings show it. On x86, DMI alone is no proof: bare-metal
// cloud machines also have the cloud's name.
#include "host/proc/hypervisor.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <cstring>

#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"

namespace fathom::host::proc {
namespace {

struct Row {
  std::string_view text, name;
};
constexpr Row kSignatures[] = {{"KVMKVMKVM", "kvm"},       {"Linux KVM Hv", "kvm"},      {"Microsoft Hv", "hyper-v"},
                               {"VMwareVMware", "vmware"}, {"XenVMMXenVMM", "xen"},      {"TCGTCGTCGTCG", "qemu"},
                               {"bhyve bhyve ", "bhyve"},  {"ACRNACRNACRN", "acrn"},     {"VBoxVBoxVBox", "virtualbox"},
                               {"QNXQVMBSQG", "qnx"},      {" lrpepyh  vr", "parallels"}};
constexpr Row kVendors[] = {
    {"QEMU", "qemu"},           {"Amazon EC2", "amazon ec2"},   {"Google", "google compute engine"},
    {"VMware, Inc.", "vmware"}, {"innotek GmbH", "virtualbox"}, {"Apple Inc.", "apple virtualization"}};

std::string cpuid_signature([[maybe_unused]] unsigned leaf) {
#if defined(__x86_64__) || defined(__i386__)
  unsigned eax = 0, r[3] = {};
  __cpuid(leaf, eax, r[0], r[1], r[2]);
  char text[sizeof r + 1] = {};
  std::memcpy(text, r, sizeof r);
  return text;
#else
  return {};
#endif
}

// KVM and Xen move up by 0x100 when they also emulate Hyper-V for a Windows guest.
std::string cpuid_hypervisor() {
  const std::string second = cpuid_signature(0x40000100);
  const std::string name = hypervisor_name(second);
  return name != second ? name : hypervisor_name(cpuid_signature(0x40000000));
}

bool metal_instance(const std::string& product) {
  return product.ends_with(".metal") || product.find(".metal-") != std::string::npos;
}

}  // namespace

std::string hypervisor_name(std::string_view signature) {
  for (const Row& row : kSignatures) {
    if (row.text == signature) return std::string(row.name);
  }
  return std::string(signature);
}

std::string find_hypervisor(std::string_view cpuinfo, const std::string& prefix) {
  if (auto type = read_line(prefix + "/sys/hypervisor/type"); !type.empty()) return type;
  if (cpu_has_flag(cpuinfo, "hypervisor")) {
    const auto name = cpuid_hypervisor();
    return name.empty() ? "unknown" : name;
  }
  if (!cpuinfo_value(cpuinfo, "flags").empty()) return {};
  if (auto tree = read_line(prefix + "/proc/device-tree/hypervisor/compatible"); !tree.empty()) return tree.c_str();
  const std::string vendor = read_line(prefix + "/sys/class/dmi/id/sys_vendor");
  const std::string product = read_line(prefix + "/sys/class/dmi/id/product_name");
  for (const Row& row : kVendors) {
    if (vendor == row.text && !metal_instance(product)) return std::string(row.name);
  }
  return {};
}

}  // namespace fathom::host::proc
