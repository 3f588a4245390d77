// Samples are events as the format files describe them; programs write records of their own.
#include "pmu/trace/event_source.h"

#include "pmu/trace/bpf/block_programs.h"
#include "pmu/trace/split/slices.h"
#include "pmu/trace/tracepoints.h"

namespace fathom::pmu::trace {
namespace {

class PerfSamples : public EventSource {
 public:
  PerfSamples(Tracepoints points, BlockDecoder decoder) : points_(std::move(points)), decoder_(std::move(decoder)) {}
  const char* name() const override { return "perf samples"; }
  clock::sources::HeldAgainst time() const override { return clock::sources::HeldAgainst::monotonic_raw; }
  double full_rate() const override { return split::kFullSampleRate; }
  void enable() override { points_.enable(); }
  void disable() override { points_.disable(); }
  bool wait(int timeout_ms) override { return points_.wait(timeout_ms); }
  void read(const std::function<void(const BlockEvent&)>& take) override {
    points_.read([&](const TraceSample& sample) {
      if (const auto event = decoder_.decode(sample.raw, sample.process, sample.time_ns)) take(*event);
    });
  }
  std::uint64_t lost() const override { return points_.lost(); }

 private:
  Tracepoints points_;
  BlockDecoder decoder_;
};

}  // namespace

base::Expected<std::unique_ptr<EventSource>> open_perf_samples(const PointFormats& formats,
                                                               std::span<const std::uint32_t> devices) {
  auto decoder = BlockDecoder::make(formats);
  if (!decoder) return decoder.error();
  std::vector<std::uint16_t> ids;
  for (const auto& [point, format] : formats) ids.push_back(format.id);
  auto points = Tracepoints::open(ids, device_filter(devices));
  if (!points) return points.error();
  return std::unique_ptr<EventSource>(std::make_unique<PerfSamples>(std::move(*points), std::move(*decoder)));
}

base::Expected<OpenedSource> open_events(const PointFormats& formats, std::span<const std::uint32_t> devices) {
  auto programs = bpf::open_block_programs(formats, devices);
  if (programs) return OpenedSource{std::move(*programs), ""};
  auto samples = open_perf_samples(formats, devices);
  if (!samples) return samples.error();
  const auto& e = programs.error();
  return OpenedSource{std::move(*samples), e.what + (e.cause.empty() ? "" : ": " + e.cause)};
}

}  // namespace fathom::pmu::trace
