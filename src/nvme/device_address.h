// How a user names a device:
//   soft[:key=value,...][/ns=N]     the in-process controller (keys: nvme/soft/options.h); `soft:id=2` is another one
//   [dddd:]bb:dd.f[/ns]             a PCI address and a namespace (1 unless named)
//   vfio-user:SOCKET[/ns=N]         a vfio-user server
// In filename= several of them are joined by colons, as fio does with files; `\:` is a colon that does not separate.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::nvme {

enum class TransportKind { soft, vfio, vfio_user };

struct DeviceAddress {
  TransportKind kind = TransportKind::soft;
  std::string where;  // soft: its options' text; vfio: "0000:01:00.0"; vfio_user: the socket's path
  std::uint32_t nsid = 1;
  std::string controller() const;  // "soft:OPTIONS", "0000:01:00.0", "vfio-user:PATH": one a controller
  std::string text() const;        // with the namespace, as --allow-destructive wants it
};

// ErrorKind::usage with cause and help.
base::Expected<DeviceAddress> parse_address(std::string_view text);
// "soft:soft:size=1g:0000:01:00.0/2" -> three names.
base::Expected<std::vector<std::string>> split_addresses(std::string_view joined);

}  // namespace fathom::nvme
