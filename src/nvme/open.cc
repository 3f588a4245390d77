// The table of transports. No other place names all of them.
#include "nvme/open.h"

namespace fathom::nvme {
namespace {

struct TransportRow {
  TransportKind kind;
  base::Expected<std::unique_ptr<Transport>> (*open)(const DeviceAddress& address);
};

constexpr TransportRow kTransports[] = {
    {TransportKind::soft, soft::open_transport},
    {TransportKind::vfio, vfio::open_transport},
    {TransportKind::vfio_user, vfio_user::open_transport},
};

}  // namespace

base::Expected<std::unique_ptr<Transport>> open_transport(const DeviceAddress& address) {
  for (const auto& row : kTransports)
    if (row.kind == address.kind) return row.open(address);
  return base::Error{.what = address.text() + ": unknown transport", .cause = "", .help = "", .place = {}};
}

}  // namespace fathom::nvme
