// VFIO's answers end in a chain of capabilities, each with its id and the offset of the next (linux/vfio.h,
// vfio_info_cap_header). The code copies everything out and checks it against the end of the answer. A wrong offset
// therefore ends the chain, and no read goes outside.
#pragma once
#include <linux/vfio.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace fathom::nvme::vfio {

template <class T>
bool read_at(std::span<const std::byte> bytes, std::size_t offset, T& value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return true;
}

// Calls visit(id, offset of its header) for each. first 0: no capabilities.
template <class Visit>
void for_each_capability(std::span<const std::byte> answer, std::size_t first, Visit&& visit) {
  vfio_info_cap_header header{};
  for (std::size_t at = first; at != 0 && read_at(answer, at, header); at = header.next) {
    visit(header.id, at);
    if (header.next <= at) return;
  }
}

}  // namespace fathom::nvme::vfio
