// Manages a controller from opening to closing: which part does what, in which order. The parts: registers
// (bring_up.h), commands (admin_commands.h), checks of the device's answers (identify_check.h).
#include "nvme/controller.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <mutex>

#include "nvme/detail/admin_commands.h"
#include "nvme/detail/admin_queue.h"
#include "nvme/detail/bring_up.h"
#include "nvme/detail/device_error.h"
#include "nvme/detail/identify_check.h"
#include "nvme/detail/passthrough.h"
#include "nvme/not_built.h"
#include "nvme/quirks.h"
#include "nvme/status.h"

namespace fathom::nvme {
namespace {

constexpr std::uint32_t kAdminEntriesMin = 8, kAdminEntriesMax = 4096;
constexpr std::uint32_t kQueuesMax = 65535;
constexpr std::uint8_t kCsiNvm = 0, kCsiKeyValue = 1, kCsiZoned = 2;
constexpr std::size_t kNamed = 16;  // namespaces that an error lists

std::uint32_t log2_of(std::uint32_t power) { return static_cast<std::uint32_t>(std::countr_zero(power)); }

base::Error state_error(const std::string& device, const char* what, const char* help) {
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.what = device + ": " + what;
  e.help = help;
  e.sys_errno = ENODEV;
  return e;
}

std::string listed(const std::vector<std::uint32_t>& ids) {
  if (ids.empty()) return "the controller has no active namespace";
  const std::vector<std::uint32_t> first(ids.begin(), ids.begin() + static_cast<long>(std::min(ids.size(), kNamed)));
  return fmt::format("active are {}{}", fmt::join(first, ", "), ids.size() > kNamed ? ", ..." : "");
}

}  // namespace

struct Controller::Impl {
  std::unique_ptr<Transport> transport;  // first: all members below use its memory
  ControllerOptions options;
  detail::Basics basics;
  IdentifyController id{};
  std::unique_ptr<detail::AdminQueue> admin;
  std::uint32_t transfer_bytes_max = 4096;
  std::uint32_t io_queues = 0;
  std::vector<QueueCore*> queues;
  std::function<void(std::uint32_t)> callback;
  bool shut = false, dead = false, resetting = false;
  mutable std::recursive_mutex lock;

  const std::string& name() const { return transport->identity().name; }
  base::Expected<void> usable() const;
  base::Expected<void> start();
  base::Expected<void> power_up(std::uint32_t entry_bytes);
  base::Expected<void> negotiate();
  base::Expected<void> bring_back();
  void abort_queues(std::uint16_t status);
  void stop();
  void give_up();
  base::Expected<void> check_entries_of(const QueueOptions& queue) const;
  std::uint16_t free_qid() const;
  QueueLimits limits() const;
  base::Expected<void> check_command_set(std::uint32_t nsid);
  base::Expected<IdentifyNamespace> identify_namespace(std::uint32_t nsid);
};

base::Expected<void> Controller::Impl::usable() const {
  if (shut) return state_error(name(), "the controller has been shut down", "open the controller again");
  if (transport->gone()) return detail::gone_error(name());
  if (resetting) return state_error(name(), "the controller is being reset", "wait until reset() has returned");
  if (dead) return state_error(name(), "the controller has failed", "reset the controller, or open it again");
  return {};
}

base::Expected<void> Controller::Impl::start() {
  auto looked = detail::look(*transport);
  if (!looked) return looked.error();
  basics = *looked;
  // Disables the controller first. Otherwise it could write to the queues of an earlier owner in the meantime.
  if (auto done = detail::disable(*transport, basics, options.now_ns); !done) return done;
  auto queue = std::make_unique<detail::AdminQueue>(*transport, options.admin_timeout_ms, options.now_ns);
  const std::uint32_t entries = std::bit_ceil(std::clamp(options.admin_entries, kAdminEntriesMin, kAdminEntriesMax));
  if (auto done = queue->make(entries, basics.cap.doorbell_stride_bytes()); !done) return done;
  admin = std::move(queue);
  if (auto done = power_up(16); !done) return done;
  if (options.completion_entry_bytes != 16) {
    // CC.IOCQES must be set before enabling, but the choices are known only afterwards. The controller is therefore
    // enabled a second time.
    if (auto done = detail::check_entry_bytes(id, options.completion_entry_bytes, name()); !done) return done;
    if (auto done = power_up(options.completion_entry_bytes); !done) return done;
  }
  return negotiate();
}

// Brings the controller from any state to an identified controller with an empty admin queue.
base::Expected<void> Controller::Impl::power_up(std::uint32_t entry_bytes) {
  if (auto done = detail::disable(*transport, basics, options.now_ns); !done) return done;
  admin->restart();
  if (auto done = detail::enable(*transport, basics, admin->rings(), log2_of(entry_bytes), options.now_ns); !done)
    return done;
  auto done = detail::identify(*admin, Cns::identify_controller, 0, std::as_writable_bytes(std::span(&id, 1)));
  if (!done) return done;
  return detail::check_controller(id, name());
}

base::Expected<void> Controller::Impl::negotiate() {
  transfer_bytes_max = detail::transfer_bytes(id.mdts, basics.cap.page_bytes_min());
  const std::uint32_t wanted = std::min({std::max(options.io_queues, 1u), basics.doorbell_queues_max - 1, kQueuesMax});
  const auto granted = detail::set_queue_count(*admin, wanted);
  if (!granted) return granted.error();
  io_queues = *granted;
  if (auto done = detail::configure_events(*admin, id.oaes); !done) return done;
  admin->arm_events(id.aerl + 1u);
  return {};
}

// The second half of a reset. By then all commands have ended, and the queues are known and empty.
base::Expected<void> Controller::Impl::bring_back() {
  if (auto done = power_up(options.completion_entry_bytes); !done) return done;
  if (auto done = negotiate(); !done) return done;
  for (QueueCore* queue : queues) {
    queue->rewind();
    if (auto done = detail::create_queue_pair(*admin, *queue, (basics.quirks & kMediumPriority) != 0); !done)
      return done;
  }
  for (QueueCore* queue : queues) queue->revive();
  return {};
}

// A callback may close this queue or another one.
void Controller::Impl::abort_queues(std::uint16_t status) {
  const auto all = queues;
  for (QueueCore* queue : all)
    if (std::find(queues.begin(), queues.end(), queue) != queues.end()) queue->abort_all(status);
}

// Afterwards the device writes to no memory of this process, if it can still be disabled.
void Controller::Impl::stop() {
  if (admin == nullptr) return;
  if (transport->gone() || detail::disable(*transport, basics, options.now_ns)) admin->restart();
}

// A command that determines where the device may write got no answer. The device must not access this process's memory
// again, whatever it did.
void Controller::Impl::give_up() {
  dead = true;
  stop();
}

base::Expected<void> Controller::Impl::check_entries_of(const QueueOptions& queue) const {
  if (queue.completion_entry_bytes == options.completion_entry_bytes) return {};
  base::Error e;
  e.kind = base::ErrorKind::usage;
  e.what = fmt::format("{}: a queue with completion entries of {} bytes was requested", name(),
                       queue.completion_entry_bytes);
  e.cause =
      fmt::format("the controller was opened with completion entries of {} bytes", options.completion_entry_bytes);
  e.help = "use entries of the same size in all jobs on one controller";
  return e;
}

std::uint16_t Controller::Impl::free_qid() const {
  for (std::uint32_t qid = 1; qid <= io_queues; ++qid) {
    const auto has = [qid](const QueueCore* q) { return q->qid() == qid; };
    if (std::none_of(queues.begin(), queues.end(), has)) return static_cast<std::uint16_t>(qid);
  }
  return 0;
}

QueueLimits Controller::Impl::limits() const {
  QueueLimits l;
  l.doorbell_stride_bytes = basics.cap.doorbell_stride_bytes();
  l.transfer_bytes_max = transfer_bytes_max;
  l.completion_entry_bytes = options.completion_entry_bytes;
  return l;
}

base::Expected<IdentifyNamespace> Controller::Impl::identify_namespace(std::uint32_t nsid) {
  IdentifyNamespace ns{};
  Command c;
  c.opcode = static_cast<std::uint8_t>(AdminOpcode::identify);
  c.nsid = nsid;
  c.cdw10 = static_cast<std::uint32_t>(Cns::identify_namespace);
  const auto done = admin->run(c, std::as_writable_bytes(std::span(&ns, 1)), detail::Direction::from_device);
  if (!done) return done.error();
  const std::uint16_t status = status_of(*done);
  if (status_kind(status) == kInvalidNamespace)
    return detail::no_namespace(nsid, name(), "the controller says: " + status_text(status));
  if (status_kind(status) == kInvalidCommandSet)
    return not_built(NotBuilt::other_command_set, fmt::format("{}: namespace {}", name(), nsid));
  if (status != 0) return status_error(name(), fmt::format("identify namespace {}", nsid), status);
  return ns;
}

// If the controller supports several command sets, the namespace's list of descriptors names its command set.
base::Expected<void> Controller::Impl::check_command_set(std::uint32_t nsid) {
  if (!basics.many_command_sets) return {};
  std::byte list[4096];
  if (!detail::identify(*admin, Cns::namespace_descriptors, nsid, list)) return {};
  const std::string subject = fmt::format("{}: namespace {}", name(), nsid);
  switch (detail::command_set_of(list)) {
    case kCsiNvm:
      return {};
    case kCsiKeyValue:
      return not_built(NotBuilt::key_value, subject);
    case kCsiZoned:
      return not_built(NotBuilt::zoned_namespaces, subject);
    default:
      return not_built(NotBuilt::other_command_set, subject);
  }
}

Controller::Controller(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Controller::~Controller() { shutdown(); }

base::Expected<std::unique_ptr<Controller>> Controller::open(std::unique_ptr<Transport> transport,
                                                             const ControllerOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->transport = std::move(transport);
  impl->options = options;
  if (auto done = impl->start(); !done) {
    impl->stop();
    return done.error();
  }
  return std::unique_ptr<Controller>(new Controller(std::move(impl)));
}

const DeviceIdentity& Controller::device() const { return impl_->transport->identity(); }
Transport& Controller::transport() { return *impl_->transport; }
Cap Controller::cap() const { return impl_->basics.cap; }
std::uint32_t Controller::version() const { return impl_->basics.version; }
const IdentifyController& Controller::identify() const { return impl_->id; }
std::uint32_t Controller::transfer_bytes_max() const { return impl_->transfer_bytes_max; }
std::uint32_t Controller::io_queues_max() const { return impl_->io_queues; }

std::vector<std::uint32_t> Controller::namespaces() {
  const std::lock_guard hold(impl_->lock);
  if (!impl_->usable()) return {};
  const bool has_list =
      impl_->basics.version >= detail::version_number(1, 1) && (impl_->basics.quirks & kNoNamespaceLists) == 0;
  auto list = detail::active_namespaces(*impl_->admin, impl_->id.nn, has_list);
  return list ? *list : std::vector<std::uint32_t>{};
}

base::Expected<IdentifyNamespace> Controller::identify_namespace(std::uint32_t nsid) {
  const std::lock_guard hold(impl_->lock);
  if (auto ok = impl_->usable(); !ok) return ok.error();
  return impl_->identify_namespace(nsid);
}

base::Expected<Namespace> Controller::open_namespace(std::uint32_t nsid) {
  const std::lock_guard hold(impl_->lock);
  if (auto ok = impl_->usable(); !ok) return ok.error();
  if (nsid == 0 || nsid > impl_->id.nn) return detail::no_namespace(nsid, impl_->name(), listed(namespaces()));
  if (auto ok = impl_->check_command_set(nsid); !ok) return ok.error();
  const auto ns = impl_->identify_namespace(nsid);
  if (!ns) return ns.error();
  if (ns->nsze == 0) return detail::no_namespace(nsid, impl_->name(), listed(namespaces()));
  return detail::describe_namespace(nsid, *ns, impl_->id, impl_->basics.quirks, impl_->transfer_bytes_max,
                                    impl_->name());
}

base::Expected<void> Controller::open_queue(QueueCore& queue, const QueueOptions& options) {
  const std::lock_guard hold(impl_->lock);
  if (auto ok = impl_->usable(); !ok) return ok;
  if (auto ok = impl_->check_entries_of(options); !ok) return ok;
  const std::uint16_t qid = impl_->free_qid();
  if (qid == 0) {
    base::Error e;
    e.kind = base::ErrorKind::usage;
    e.what = impl_->name() + ": no I/O queue left";
    e.cause = fmt::format("the controller granted {}, and all are open", impl_->io_queues);
    e.help = "run fewer jobs on this controller";
    return e;
  }
  QueueOptions fitting = options;
  fitting.entries = std::bit_ceil(std::clamp(options.entries, 2u, impl_->basics.queue_entries_max));
  if (auto made = queue.make(*impl_->transport, qid, fitting, impl_->limits()); !made) return made;
  queue.revive();
  const bool medium = (impl_->basics.quirks & kMediumPriority) != 0;
  if (auto created = detail::create_queue_pair(*impl_->admin, queue, medium); !created) {
    queue.kill();
    if (created.error().sys_errno == ETIMEDOUT) impl_->give_up();
    queue.release();
    return created;
  }
  impl_->queues.push_back(&queue);
  return {};
}

void Controller::close_queue(QueueCore& queue) {
  const std::lock_guard hold(impl_->lock);
  const auto at = std::find(impl_->queues.begin(), impl_->queues.end(), &queue);
  if (at == impl_->queues.end()) return;
  impl_->queues.erase(at);
  if (impl_->usable() && !detail::delete_queue_pair(*impl_->admin, queue.qid())) impl_->give_up();
  queue.kill();
  queue.abort_all(kStatusQueueDeleted);
  queue.release();
}

base::Expected<std::uint64_t> Controller::map_memory(const HostMemory& memory) {
  const std::lock_guard hold(impl_->lock);
  return impl_->transport->map(memory);
}

void Controller::unmap_memory(const HostMemory& memory) {
  const std::lock_guard hold(impl_->lock);
  impl_->transport->unmap(memory);
}

base::Expected<Completion> Controller::admin(const Command& command, std::span<std::byte> data, Transfer transfer) {
  const std::lock_guard hold(impl_->lock);
  if (auto ok = impl_->usable(); !ok) return ok.error();
  if (transfer == Transfer::none) data = {};
  if (auto error = detail::refuse_admin(command, data.size(), impl_->transfer_bytes_max, impl_->name())) return *error;
  return impl_->admin->run(
      command, data, transfer == Transfer::to_device ? detail::Direction::to_device : detail::Direction::from_device);
}

base::Expected<void> Controller::log_page(std::uint8_t lid, std::uint32_t nsid, std::span<std::byte> data) {
  const std::lock_guard hold(impl_->lock);
  if (auto ok = impl_->usable(); !ok) return ok;
  return detail::read_log(*impl_->admin, {impl_->basics.version, impl_->id.lpa, impl_->transfer_bytes_max}, lid, nsid,
                          data);
}

base::Expected<bool> Controller::abort(const QueueCore& queue, std::uint16_t cid) {
  const std::lock_guard hold(impl_->lock);
  if (auto ok = impl_->usable(); !ok) return ok.error();
  Command c;
  c.opcode = static_cast<std::uint8_t>(AdminOpcode::abort);
  c.cdw10 = static_cast<std::uint32_t>(cid) << 16 | queue.qid();
  const auto done = impl_->admin->run_well(c);
  if (!done) return done.error();
  return (done->result & 1) == 0;
}

void Controller::poll_admin() {
  std::vector<std::uint32_t> events;
  std::function<void(std::uint32_t)> callback;
  {
    const std::lock_guard hold(impl_->lock);
    if (!impl_->usable()) return;
    impl_->admin->poll();
    if (impl_->callback) {
      events = impl_->admin->take_events();
      callback = impl_->callback;
    }
  }
  for (const std::uint32_t event : events) callback(event);
}

void Controller::on_event(std::function<void(std::uint32_t)> callback) {
  const std::lock_guard hold(impl_->lock);
  impl_->callback = std::move(callback);
}

bool Controller::failed() {
  const std::lock_guard hold(impl_->lock);
  return impl_->shut || impl_->dead || detail::lost(*impl_->transport).has_value();
}

base::Expected<void> Controller::reset() {
  const std::lock_guard hold(impl_->lock);
  if (impl_->shut || impl_->resetting)
    return state_error(impl_->name(), impl_->shut ? "the controller has been shut down" : "a reset is in progress",
                       impl_->shut ? "open the controller again" : "do not reset from a callback of the reset");
  impl_->resetting = true;
  for (QueueCore* queue : impl_->queues) queue->kill();
  auto done = detail::disable(*impl_->transport, impl_->basics, impl_->options.now_ns);
  impl_->abort_queues(kStatusAborted);
  if (done) done = impl_->bring_back();
  impl_->dead = !done;
  impl_->resetting = false;
  return done;
}

void Controller::fail_all() {
  const std::lock_guard hold(impl_->lock);
  if (impl_->shut || impl_->resetting) return;
  impl_->dead = true;
  impl_->resetting = true;
  for (QueueCore* queue : impl_->queues) queue->kill();
  impl_->stop();
  impl_->abort_queues(kStatusAborted);
  impl_->resetting = false;
}

void Controller::disable() {
  const std::lock_guard hold(impl_->lock);
  if (impl_->shut || impl_->dead) return;
  impl_->dead = true;
  impl_->stop();
}

void Controller::shutdown() {
  const std::lock_guard hold(impl_->lock);
  if (impl_->shut) return;
  bool answers = impl_->usable() && !detail::lost(*impl_->transport);
  for (QueueCore* queue : impl_->queues) answers = answers && detail::delete_queue_pair(*impl_->admin, queue->qid());
  const std::uint64_t limit_ms = detail::shutdown_ms(impl_->id.rtd3e, impl_->basics.ready_ms);
  if (!answers || !detail::shut_down(*impl_->transport, limit_ms, impl_->options.now_ns)) impl_->stop();
  impl_->shut = true;
  while (!impl_->queues.empty()) {
    QueueCore* queue = impl_->queues.back();
    impl_->queues.pop_back();
    queue->kill();
    queue->abort_all(kStatusQueueDeleted);
    queue->release();
  }
}

}  // namespace fathom::nvme
