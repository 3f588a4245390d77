// The table of admin opcodes that are reserved for the driver.
#include "nvme/detail/passthrough.h"

#include <fmt/core.h>

#include "nvme/not_built.h"
#include "nvme/status.h"

namespace fathom::nvme::detail {
namespace {

struct OwnRow {
  AdminOpcode opcode;
  const char *cause, *help;
};

constexpr OwnRow kOwn[] = {
    {AdminOpcode::async_event_request, "the driver keeps these requests outstanding itself",
     "listen with Controller::on_event"},
    {AdminOpcode::create_io_sq, "the driver would not track the queue", "use Controller::open_queue"},
    {AdminOpcode::create_io_cq, "the driver would not track the queue", "use Controller::open_queue"},
    {AdminOpcode::delete_io_sq, "the driver would not detect the deletion", "use Controller::close_queue"},
    {AdminOpcode::delete_io_cq, "the driver would not detect the deletion", "use Controller::close_queue"},
};

struct NotBuiltRow {
  std::uint8_t opcode;
  NotBuilt what;
};

constexpr NotBuiltRow kNotBuilt[] = {
    {0x7c, NotBuilt::shadow_doorbells},
    {0x7f, NotBuilt::fabrics},
};

base::Error refused(const std::string& what, std::string cause, std::string help) {
  base::Error e;
  e.kind = base::ErrorKind::usage;
  e.what = what;
  e.cause = std::move(cause);
  e.help = std::move(help);
  return e;
}

}  // namespace

std::optional<base::Error> refuse_admin(const Command& command, std::size_t data_bytes, std::size_t transfer_bytes_max,
                                        const std::string& device) {
  const std::string name = device + ": " + admin_opcode_name(command.opcode);
  for (const auto& row : kOwn)
    if (static_cast<std::uint8_t>(row.opcode) == command.opcode)
      return refused(name + ": reserved for the driver", row.cause, row.help);
  for (const auto& row : kNotBuilt)
    if (row.opcode == command.opcode) return not_built(row.what, device);
  if ((command.flags & 0xc0) != 0) return not_built(NotBuilt::sgl, name);
  if (command.mptr != 0) return not_built(NotBuilt::metadata, name);
  if (data_bytes > transfer_bytes_max)
    return refused(fmt::format("{}: {} bytes of data", name, data_bytes),
                   fmt::format("the controller moves at most {} bytes per command (MDTS)", transfer_bytes_max),
                   "split the request");
  return std::nullopt;
}

}  // namespace fathom::nvme::detail
