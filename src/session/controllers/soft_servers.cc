// All controllers and sockets are created before the first is announced.
#include "session/controllers/soft_servers.h"

#include <memory>
#include <utility>

#include "nvme/soft/controller.h"
#include "nvme/vfio_user/serve.h"

namespace fathom::session::controllers {
namespace {

struct Device {
  std::unique_ptr<nvme::soft::Controller> controller;
  std::unique_ptr<nvme::vfio_user::Server> server;
};

base::Expected<std::vector<Device>> make_devices(const AskedServers& asked) {
  auto options = nvme::soft::parse_options(asked.soft);
  if (!options) return options.error();
  options->stepped = true;
  std::vector<Device> devices;
  for (const auto& path : asked.sockets) {
    Device device;
    options->id = static_cast<std::uint32_t>(devices.size()) + 1;
    auto controller = nvme::soft::Controller::make(*options);
    if (!controller) return controller.error();
    device.controller = std::move(*controller);
    auto server = nvme::vfio_user::Server::make(*device.controller, path);
    if (!server) return server.error();
    device.server = std::move(*server);
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace

base::Expected<void> serve_soft(const AskedServers& asked, const std::atomic<bool>& stop,
                                const std::function<void(const std::string& path)>& on_listening) {
  auto devices = make_devices(asked);
  if (!devices) return devices.error();
  std::vector<nvme::vfio_user::Served> served;
  for (const auto& device : *devices) {
    served.push_back({device.controller.get(), device.server.get()});
    on_listening(device.server->path());
  }
  return nvme::vfio_user::serve(served, stop, asked.cpu);
}

}  // namespace fathom::session::controllers
