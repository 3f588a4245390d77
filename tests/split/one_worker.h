// One worker with a few slots over a kernel that the test plays, and what its record says in words: parts by name, those
// that there are. Its clock counts as the kernel's does.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clock/sources/source.h"
#include "split/fake_kernel.h"
#include "split/recorder.h"

namespace fathom::split::testing {

inline constexpr std::uint32_t kDisk = 8u << 20, kOtherDisk = 8u << 20 | 16;
inline constexpr std::uint64_t kFirstSector = 2048, kStart = 1'000'000;

using Sums = std::map<std::string, std::uint64_t>;

struct Kind {
  std::uint32_t slots = 1;
  bool direct = true;
  bool commits = false;
  bool waits = false;  // as FakeKernel::waits
};

class OneWorker {
 public:
  explicit OneWorker(const Kind& kind = {}, std::vector<PlaceMap> maps = {PlaceMap::device(kDisk, kFirstSector)})
      : maps_(std::move(maps)),
        recorder(region_of(kernel, kind),
                 {.first_slot = 0,
                  .slots = kind.slots,
                  .maps = maps_,
                  .record = record_.get(),
                  .control = control_.get(),
                  .direct = kind.direct,
                  .commits = kind.commits},
                 MonotonicLine(clock::sources::Source::clock_gettime, 1e9)) {
    watch(true);
  }
  OneWorker(const OneWorker&) = delete;

  void watch(bool on) { control_->slice = on ? 1 : 0; }
  // 4 KiB at a place of the slot's own; of a sync neither.
  void publish(std::uint32_t slot = 0, io::Dir dir = io::Dir::read, std::uint16_t target = 0) {
    const bool sync = dir == io::Dir::sync;
    recorder.publish(
        slot,
        {.offset = sync ? 0 : slot * std::uint64_t{4096}, .length = sync ? 0u : 4096u, .target = target, .dir = dir});
  }
  std::uint64_t whole_ns = 1000;  // from its start until it is taken
  void take(std::uint32_t slot = 0, io::Dir dir = io::Dir::read, bool counts = true) {
    recorder.take(slot, dir, kStart, kStart + whole_ns, counts);
  }

  const DirectionSplit& of(io::Dir dir) const { return record_->dirs[io::index(dir)]; }
  Sums sums(io::Dir dir = io::Dir::read) const {
    Sums out;
    for (const auto part : result::kInOrder)
      if (const auto& p = of(dir).parts[static_cast<std::size_t>(part)]; p.moments.n > 0)
        out[name(part)] = p.moments.sum;
    return out;
  }
  std::uint64_t n(result::Part part, io::Dir dir = io::Dir::read) const {
    return of(dir).parts[static_cast<std::size_t>(part)].moments.n;
  }
  std::uint64_t undivided(result::Undivided why, io::Dir dir = io::Dir::read) const {
    return of(dir).undivided[static_cast<std::size_t>(why)].ios;
  }

  FakeKernel kernel;

 private:
  static Region region_of(FakeKernel& kernel, const Kind& kind) {
    kernel.waits = kind.waits;
    return kernel.region();
  }
  std::vector<PlaceMap> maps_;
  std::unique_ptr<SplitRecord> record_ = std::make_unique<SplitRecord>();
  std::unique_ptr<Control> control_ = std::make_unique<Control>();

 public:
  Recorder recorder;
};

}  // namespace fathom::split::testing
