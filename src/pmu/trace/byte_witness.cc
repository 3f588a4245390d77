// A ring has 1 MiB per CPU, enough for about ten thousand events. The thread wakes when a quarter is full. If events
// did not fit, the count is reported as lost and is no cross-check.
#include "pmu/trace/byte_witness.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/sysmacros.h>

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "host/disk/block_tree.h"
#include "pmu/events/tracefs.h"
#include "pmu/trace/block_event.h"
#include "pmu/trace/tracepoints.h"
#include "result/findings/rows.h"

namespace fathom::pmu::trace {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kSectorBytes = 512;
constexpr int kWait_ms = 200;

// The format of the number inside the kernel.
std::uint32_t kernel_number(dev_t device) { return major(device) << 20 | minor(device); }

struct Sums {
  std::string comm;
  double bytes[2] = {};  // read, write
  std::uint64_t events = 0;
};

class ByteWitness : public result::Witness {
 public:
  ByteWitness(std::vector<std::string> disks, std::string prefix)
      : disks_(std::move(disks)), prefix_(std::move(prefix)) {}
  ~ByteWitness() override { stop(); }
  std::string name() const override { return "tracepoints"; }
  bool burdens() const override { return true; }

  base::Expected<void> begin() override {
    const auto root = events::tracefs_root(prefix_);
    if (!root) return root.error();
    auto format = load_event_format(*root, "block", trace::name(BlockPoint::bio_queue));
    if (!format) return format.error();
    find_devices();
    const std::pair<BlockPoint, EventFormat> formats[] = {{BlockPoint::bio_queue, *format}};
    auto decoder = BlockDecoder::make(formats);
    if (!decoder) return decoder.error();
    decoder_ = std::move(*decoder);
    if (const auto* comm = format->find("comm")) comm_ = *comm;
    std::vector<std::uint32_t> numbers;
    for (const auto& [number, disk] : names_) numbers.push_back(number);
    const std::uint16_t ids[] = {format->id};
    auto points = Tracepoints::open(ids, device_filter(numbers));
    if (!points) return points.error();
    points_.emplace(std::move(*points));
    begun_ = Clock::now();
    points_->enable();
    thread_ = std::thread([this] { work(); });
    return {};
  }

  result::WitnessReport end() override {
    if (points_) points_->disable();
    const double window_s = std::chrono::duration<double>(Clock::now() - begun_).count();
    stop();
    result::WitnessReport report;
    for (const auto& [key, sums] : sums_)
      for (const int way : {0, 1})
        if (sums.bytes[way] > 0) report.counts.push_back(count(key, sums, way, window_s));
    for (const auto& disk : disks_) report.counts.push_back(looked_at(disk, window_s));
    if (points_ && points_->lost() > 0)
      report.findings.push_back(result::findings::found("audit.trace_lost", {.values = {{"events", points_->lost()}}}));
    return report;
  }

 private:
  using Key = std::pair<std::string, std::int32_t>;  // disk, process

  // Bios of a partition have its number or that of its disk, depending on the kernel.
  void find_devices() {
    const host::disk::BlockTree tree(prefix_);
    for (const auto& disk : disks_) {
      auto names = tree.partitions(disk);
      names.push_back(disk);
      for (const auto& one : names)
        if (const auto device = tree.device_of(one)) names_[kernel_number(*device)] = disk;
    }
  }

  void work() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    ::pthread_setname_np(::pthread_self(), "fathom-trace");
    while (!stop_.load(std::memory_order_relaxed)) {
      if (!points_->wait(kWait_ms) && !lost_at_s_)
        lost_at_s_ = std::chrono::duration<double>(Clock::now() - begun_).count();
      drain();
      if (lost_at_s_) return;
    }
    drain();
  }

  void drain() {
    points_->read([this](const TraceSample& sample) {
      const auto event = decoder_->decode(sample.raw, sample.process, sample.time_ns);
      if (!event || event->dir > 1) return;
      auto& sums = sums_[{names_[event->dev], sample.process}];
      if (sums.comm.empty() && comm_) sums.comm = std::string(read_text(sample.raw, *comm_));
      ++sums.events;
      sums.bytes[event->dir] += kSectorBytes * event->sectors;
    });
  }

  void stop() {
    if (!thread_.joinable()) return;
    stop_.store(true, std::memory_order_relaxed);
    thread_.join();
  }

  result::Count count(const Key& key, const Sums& sums, int way, double window_s) const {
    result::Count c;
    c.source = "trace";
    c.subject = key.first;
    c.name = fmt::format("{} {}", key.second, sums.comm);
    c.direction = way == 0 ? "read" : "write";
    c.value = c.low = c.high = c.raw = sums.bytes[way];
    c.unit = "bytes";
    c.window_s = window_s;
    c.rule = "sectors of block_bio_queue x 512";
    c.lost_at_s = points_->lost() > 0 && !lost_at_s_ ? window_s : lost_at_s_;
    return c;
  }

  // Reports that the disk was traced, even if no process used it.
  result::Count looked_at(const std::string& disk, double window_s) const {
    result::Count c;
    c.source = "trace";
    c.subject = disk;
    c.name = "events";
    c.unit = "count";
    for (const auto& [key, sums] : sums_)
      if (key.first == disk) c.value += static_cast<double>(sums.events);
    c.low = c.high = c.raw = c.value;
    c.window_s = window_s;
    c.lost_at_s = points_->lost() > 0 && !lost_at_s_ ? window_s : lost_at_s_;
    return c;
  }

  std::vector<std::string> disks_;
  std::string prefix_;
  std::map<std::uint32_t, std::string> names_;
  std::optional<BlockDecoder> decoder_;
  std::optional<TraceField> comm_;
  std::optional<Tracepoints> points_;
  std::map<Key, Sums> sums_;
  std::optional<double> lost_at_s_;
  Clock::time_point begun_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace

std::unique_ptr<result::Witness> make_byte_witness(std::vector<std::string> disks, std::string prefix) {
  return std::make_unique<ByteWitness>(std::move(disks), std::move(prefix));
}

}  // namespace fathom::pmu::trace
