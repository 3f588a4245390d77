// Opens each controller once.
#include "engine/userspace/nvme_devices.h"

#include <map>
#include <mutex>

#include "engine/parts.h"
#include "io/options/nvme.h"
#include "nvme/log_page.h"
#include "nvme/open.h"
#include "nvme/soft/options.h"

namespace fathom::engine::userspace {
namespace {

std::mutex lock;
std::map<std::string, std::shared_ptr<NvmeDevice>>& devices() {
  static std::map<std::string, std::shared_ptr<NvmeDevice>> all;
  return all;
}

// Identify pads its texts with spaces.
template <std::size_t N>
std::string trimmed(const char (&text)[N]) {
  std::string out;
  for (const char c : text) out += c >= ' ' && c <= '~' ? c : ' ';
  const auto end = out.find_last_not_of(' ');
  return end == std::string::npos ? "" : out.substr(0, end + 1);
}

// With `ideal`, the emulated controller completes commands and moves no data.
bool keeps_data(const nvme::DeviceAddress& address) {
  if (address.kind != nvme::TransportKind::soft) return true;
  const auto options = nvme::soft::parse_options(address.where);
  return !options || options->media != nvme::soft::Media::ideal;
}

}  // namespace

base::Expected<std::shared_ptr<NvmeDevice>> nvme_device(const nvme::DeviceAddress& address,
                                                        const io::EngineOptions& options) {
  const std::lock_guard guard(lock);
  auto& found = devices()[address.controller()];
  // A controller that failed is opened again once it has no user: a server may have been restarted.
  if (found && found->failed.load() != 0 && found.use_count() == 1) found.reset();
  if (found) return found;
  auto transport = nvme::open_transport(address);
  if (!transport) return transport.error();
  nvme::ControllerOptions wanted;
  wanted.completion_entry_bytes = options.of<io::NvmeOptions>().wide_entries ? 64 : 16;
  auto controller = nvme::Controller::open(std::move(*transport), wanted);
  if (!controller) return controller.error();
  auto device = std::make_shared<NvmeDevice>();
  device->controller = std::move(*controller);
  return found = std::move(device);
}

void close_nvme_devices() {
  const std::lock_guard guard(lock);
  devices().clear();
}

namespace {

base::Expected<TargetFacts> look_at_device(const std::string& name, const io::EngineOptions& options) {
  auto address = nvme::parse_address(name);
  if (!address) return address.error();
  auto device = nvme_device(*address, options);
  if (!device) return device.error();
  auto& controller = *(*device)->controller;
  auto ns = controller.open_namespace(address->nsid);
  if (!ns) return ns.error();
  return TargetFacts{io::TargetKind::device, ns->bytes(), ns->block_bytes, controller.device().harmless,
                     keeps_data(*address)};
}

std::optional<DeviceText> describe(const std::string& name) {
  const auto address = nvme::parse_address(name);
  if (!address) return std::nullopt;
  const std::lock_guard guard(lock);
  const auto found = devices().find(address->controller());
  if (found == devices().end() || !found->second) return std::nullopt;
  const auto& id = found->second->controller->identify();
  return DeviceText{trimmed(id.mn), trimmed(id.sn), trimmed(id.fr), keeps_data(*address)};
}

// The file of an emulated controller.
std::string file_of_medium(const std::string& name) {
  const auto address = nvme::parse_address(name);
  if (!address || address->kind != nvme::TransportKind::soft) return "";
  const auto options = nvme::soft::parse_options(address->where);
  return options && options->media == nvme::soft::Media::file ? options->file : std::string();
}

}  // namespace

base::Expected<std::array<std::byte, 512>> nvme_health_log(const std::string& name) {
  const auto address = nvme::parse_address(name);
  if (!address) return address.error();
  const std::lock_guard guard(lock);
  const auto found = devices().find(address->controller());
  base::Error gone;
  gone.kind = base::ErrorKind::io;
  gone.what = name + " is not open";
  if (found == devices().end() || !found->second || found->second->failed.load() != 0) return gone;
  constexpr std::uint32_t kAllNamespaces = 0xffffffff;
  std::array<std::byte, 512> log{};
  static_assert(sizeof log == sizeof(nvme::SmartLog));
  auto& controller = *found->second->controller;
  if (auto ok = controller.log_page(static_cast<std::uint8_t>(nvme::LogPage::smart), kAllNamespaces, log); !ok)
    return ok.error();
  return log;
}

}  // namespace fathom::engine::userspace

namespace fathom::engine {

const Targets nvme_targets{nvme::split_addresses, userspace::look_at_device, userspace::describe,
                           userspace::file_of_medium};

}  // namespace fathom::engine
