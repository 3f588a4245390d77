// The name of a device, as a user writes it:
//   soft[:key=value,...][/ns=N]     the emulated controller (keys: nvme/soft/options.h); `soft:id=2` is a second one
//   [dddd:]bb:dd.f[/[ns=]N]         a PCI address and a namespace (default: 1)
//   vfio-user:SOCKET[/ns=N]         a vfio-user server
// In filename=, colons join several names, as fio does with files. `\:` is a colon that does not separate.
// Thread rule: plain data and pure functions; any thread.
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
  // soft: the text of its options; vfio: "0000:01:00.0"; vfio_user: the socket path
  std::string where;
  std::uint32_t nsid = 1;  // 1 to FFFFFFFEh
  // "soft:OPTIONS", "0000:01:00.0" or "vfio-user:PATH". Equal for all namespaces of a controller.
  std::string controller() const;
  // With the namespace (omitted if it is 1), as --allow-destructive expects it.
  std::string text() const;
};

// One name. ErrorKind::usage with cause and help: the text is empty, has no such form, or has an invalid namespace.
base::Expected<DeviceAddress> parse_address(std::string_view text);
// "soft:soft:size=1g:0000:01:00.0/2" becomes three names.
// ErrorKind::usage: the text is empty, or does not begin with a device name. Check each name with parse_address().
base::Expected<std::vector<std::string>> split_addresses(std::string_view joined);

}  // namespace fathom::nvme
