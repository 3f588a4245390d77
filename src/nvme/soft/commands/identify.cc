// Identify (NVM Express Base Specification 2.0c, section 5.17): describes the controller and its namespaces, from the
// options. Version 1.4 requires CNS 0 to 3. Any other CNS is an invalid field.
#include "nvme/identify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "nvme/soft/state.h"

namespace fathom::nvme::soft {
namespace {

template <std::size_t kSize>
void put_text(char (&field)[kSize], const std::string& text) {
  std::memset(field, ' ', kSize);
  std::memcpy(field, text.data(), std::min(kSize, text.size()));
}

template <class T>
void put(State& state, const T& value) {
  state.page.resize(sizeof value);
  std::memcpy(state.page.data(), &value, sizeof value);
}

void put_controller(State& state) {
  IdentifyController id{};
  id.vid = id.ssvid = kVendorId;
  put_text(id.sn, fmt::format("SOFT{:08}", state.options.id));
  put_text(id.mn, "fathom soft controller");
  put_text(id.fr, "1.0");
  id.mdts = state.options.mdts;
  id.ver = kVersion;
  id.oaes = memory::kNamespaceNotices;
  id.cntrltype = 1;  // I/O controller
  id.acl = 3;
  id.aerl = memory::Events::kRequestsMax - 1;
  id.frmw = 0x03;  // one slot, read only
  id.lpa = 0x04;   // Get Log Page supports an offset and long lengths
  id.elpe = commands::ErrorLog::kEntries - 1;
  id.wctemp = commands::kWarningTemperature_kelvin;
  id.cctemp = 353;
  id.sqes = 0x66;
  id.cqes = static_cast<std::uint8_t>(state.options.cqes << 4 | 4);
  id.nn = state.options.namespaces;
  id.oncs = 1 << 0 | 1 << 2 | 1 << 3;  // compare, dataset management, write zeroes
  id.vwc = 0x07;                       // present, and a flush may apply to all namespaces
  const std::string name =
      fmt::format("nqn.2014-08.org.nvmexpress:uuid:fa700000-0000-4000-8000-{:012x}", state.options.id);
  std::memcpy(id.subnqn, name.data(), name.size());
  put(state, id);
}

// A unique EUI-64 for each namespace of each controller, with the bit for locally assigned values.
std::uint64_t eui64(const State& state, std::uint32_t nsid) {
  return 0x02fa700000000000ull | std::uint64_t{state.options.id & 0xffffff} << 16 | (nsid & 0xffff);
}

void put_eui64(std::uint8_t* field, std::uint64_t value) {
  for (int i = 7; i >= 0; --i, value >>= 8) field[i] = static_cast<std::uint8_t>(value);
}

Status put_namespace(State& state, std::uint32_t nsid) {
  if (nsid == 0 || nsid > state.options.namespaces) return kInvalidNamespace;
  IdentifyNamespace id{};
  if (state.namespace_is_active(nsid)) {
    id.nsze = id.ncap = id.nuse = state.shape.blocks;
    id.dlfeat = 0x09;  // a deallocated block reads as zeroes, and write zeroes may deallocate
    id.lbaf[0].lbads = static_cast<std::uint8_t>(state.shape.block_shift);
    put_eui64(id.eui64, eui64(state, nsid));
  }
  put(state, id);
  return kSuccess;
}

Status put_active_list(State& state, std::uint32_t above) {
  if (above >= 0xfffffffe) return kInvalidNamespace;
  constexpr std::size_t kMost = 1024;
  std::array<std::uint32_t, kMost> ids{};
  std::size_t count = 0;
  for (std::uint32_t nsid = above + 1; nsid <= state.options.namespaces && count < kMost; ++nsid)
    if (state.namespace_is_active(nsid)) ids[count++] = nsid;
  put(state, ids);
  return kSuccess;
}

Status put_descriptors(State& state, std::uint32_t nsid) {
  if (!state.namespace_is_active(nsid)) return kInvalidNamespace;
  std::uint8_t list[4 + 8] = {0x01, 8};  // type EUI-64, its length; a zero ends the list
  put_eui64(list + 4, eui64(state, nsid));
  put(state, list);
  return kSuccess;
}

}  // namespace

Outcome identify(State& state, const Command& command) {
  Status status = kSuccess;
  switch (static_cast<Cns>(command.cdw10 & 0xff)) {
    case Cns::identify_namespace:
      status = put_namespace(state, command.nsid);
      break;
    case Cns::identify_controller:
      put_controller(state);
      break;
    case Cns::active_namespaces:
      status = put_active_list(state, command.nsid);
      break;
    case Cns::namespace_descriptors:
      status = put_descriptors(state, command.nsid);
      break;
    default:
      return {kInvalidField};
  }
  return {status != kSuccess ? status : give(state, command, 4096)};
}

}  // namespace fathom::nvme::soft
