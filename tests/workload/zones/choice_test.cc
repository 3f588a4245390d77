// zonemode=zbd without a device: where each I/O goes, what happens to full zones and limits, and what always holds.
#include "workload/zones/choice.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace fathom::workload::zones {
namespace {

using Kind = Decision::Kind;
constexpr std::uint64_t k = 1024, kZone = 64 * k;

// A device of equal zones, and a job that does what the choice asks for, as run/gates does.
struct Disk {
  explicit Disk(std::uint32_t count, std::uint64_t capacity = kZone) : zones_(count), set(shared, zones_) {
    shared.zone_bytes = kZone;
    shared.count = count;
    for (std::uint32_t i = 0; i < count; ++i) {
      zones_[i].start = zones_[i].wp = i * kZone;
      zones_[i].capacity_bytes = capacity;
    }
    window = {0, count * kZone, 0, count};
    rules.min_bytes = {4 * k, 4 * k, static_cast<std::uint32_t>(kZone)};
  }
  Decision place(io::Dir dir, std::uint64_t offset, std::uint64_t length) {
    wish = {.dir = dir, .offset = offset, .length = static_cast<std::uint32_t>(length)};
    return go_on();
  }
  // All I/Os end at once.
  Decision go_on() {
    for (int i = 0; i < 10000; ++i) {
      const auto d = choose(set, rules, window, wish, true);
      if (d.kind == Kind::reset) resets += set.reset(d.zone) ? 1 : 0;
      if (d.kind == Kind::finish) set.finish(d.zone), ++finishes;
      if (d.kind != Kind::reset && d.kind != Kind::finish) return d;
    }
    ADD_FAILURE() << "the choice does not end";
    return {};
  }
  void end(const Decision& d) {
    if (d.zone == kNoZone) return;
    set.end(d.zone);
    if (wish.dir == io::Dir::trim) {
      resets += set.reset(d.zone) ? 1 : 0;
      set.remove_target(d.zone);
    }
    if (wish.dir == io::Dir::write && wish.offset + wish.length >= set[d.zone].capacity_end())
      set.remove_target(d.zone);
  }
  // "OFFSET+LENGTH" in KiB.
  std::string write(std::uint64_t offset, std::uint64_t length) { return io(io::Dir::write, offset, length); }
  std::string io(io::Dir dir, std::uint64_t offset, std::uint64_t length) {
    const auto d = place(dir, offset, length);
    if (d.kind != Kind::go) return d.kind == Kind::over ? "over" : d.why;
    end(d);
    return std::to_string(wish.offset / k) + "+" + std::to_string(wish.length / k);
  }

  Shared shared;
  std::vector<Zone> zones_;
  ZoneSet set;
  Rules rules;
  Window window;
  Wish wish;
  std::uint64_t resets = 0, finishes = 0;
};

TEST(ZoneChoice, WritesGoToTheWritePointerAndAreCutAtTheEndOfTheZone) {
  Disk disk(4);
  EXPECT_EQ(disk.write(20 * k, 48 * k), "0+48") << "the offset selects the zone only";
  EXPECT_EQ(disk.write(0, 32 * k), "48+16") << "cut";
  EXPECT_EQ(disk.write(64 * k, 8 * k), "64+8");
  EXPECT_EQ(disk.resets, 0u);
  EXPECT_EQ(disk.write(4 * k, 8 * k), "0+8") << "a full zone is reset first";
  EXPECT_EQ(disk.resets, 1u);
  EXPECT_STREQ(disk.place(io::Dir::write, 0, 65 * k).why, "I/O buflen exceeds zone size");
}

TEST(ZoneChoice, CapacityEndsAZone) {
  Disk disk(2, 48 * k);
  EXPECT_EQ(disk.write(0, 64 * k), "0+48");
  EXPECT_EQ(disk.write(64 * k, 64 * k), "64+48");
}

// effect: write_zone_remainder
TEST(ZoneChoice, RoomForLessThanABlockIsFinishedOrWritten) {
  Disk disk(3);
  disk.rules.min_bytes[1] = 48 * k;
  EXPECT_EQ(disk.write(0, 48 * k), "0+48");
  EXPECT_EQ(disk.write(0, 48 * k), "64+48") << "16 KiB are left: the zone is finished, the next one written";
  EXPECT_EQ(disk.finishes, 1u);
  EXPECT_EQ(disk.set[0].wp, 64 * k);
  Disk other(3);
  other.rules.min_bytes[1] = 48 * k;
  other.rules.write_remainder = true;  // write_zone_remainder=1
  EXPECT_EQ(other.write(0, 48 * k), "0+48");
  EXPECT_EQ(other.write(0, 48 * k), "48+16");
  EXPECT_EQ(other.finishes, 0u);
}

// effect: read_beyond_wp
TEST(ZoneChoice, ReadsStayBelowTheWritePointer) {
  Disk disk(4);
  EXPECT_EQ(disk.io(io::Dir::read, 0, 8 * k), "over") << "nothing is written";
  disk.write(128 * k, 32 * k);
  EXPECT_EQ(disk.io(io::Dir::read, 0, 8 * k), "128+8") << "the next zone with data";
  EXPECT_EQ(disk.io(io::Dir::read, 152 * k, 16 * k), "152+8") << "cut at the pointer";
  EXPECT_EQ(disk.io(io::Dir::read, 152 * k, 32 * k), "128+32") << "as long as the data: all of it, as in fio";
  EXPECT_EQ(disk.io(io::Dir::read, 160 * k, 8 * k), "over") << "a sequential job reads no zone again";
  disk.rules.random = true;
  EXPECT_EQ(disk.io(io::Dir::read, 200 * k, 32 * k), "128+32");
  EXPECT_EQ(disk.io(io::Dir::read, 232 * k, 4 * k), "140+4") << "40 KiB into the zone, modulo 32 - 4";
  disk.rules.read_beyond_wp = true;  // read_beyond_wp=1
  EXPECT_EQ(disk.io(io::Dir::read, 8 * k, 4 * k), "8+4");
}

TEST(ZoneChoice, TrimResetsAZone) {
  Disk disk(4);
  disk.write(128 * k, 16 * k);
  EXPECT_EQ(disk.io(io::Dir::trim, 0, kZone), "0+64") << "a sequential trim of an empty zone";
  EXPECT_EQ(disk.resets, 0u);
  disk.rules.random = true;
  EXPECT_EQ(disk.io(io::Dir::trim, 0, kZone), "128+64") << "a random one finds a zone with data";
  EXPECT_EQ(disk.resets, 1u);
  EXPECT_EQ(disk.io(io::Dir::trim, 0, kZone), "over");
}

TEST(ZoneChoice, ConventionalZones) {
  Disk disk(3);
  disk.zones_[0].sequential = false;
  disk.zones_[0].wp = disk.zones_[0].capacity_end();
  EXPECT_EQ(disk.write(40 * k, 8 * k), "40+8") << "anywhere";
  EXPECT_EQ(disk.write(60 * k, 16 * k), "60+4") << "not into a sequential zone";
  EXPECT_EQ(disk.io(io::Dir::read, 60 * k, 4 * k), "60+4");
}

// effect: max_open_zones
TEST(ZoneChoice, LimitOfTargets) {
  Disk disk(4);
  disk.rules.random = true;
  disk.shared.max_targets = 2;  // max_open_zones=2
  EXPECT_EQ(disk.write(0, 32 * k), "0+32");
  EXPECT_EQ(disk.write(128 * k, 32 * k), "128+32");
  EXPECT_EQ(disk.write(64 * k, 16 * k), "32+16") << "a third zone may not open: the offset selects one of the two";
  EXPECT_EQ(disk.write(192 * k, 32 * k), "160+32") << "full: it is no target any more";
  EXPECT_EQ(disk.write(192 * k, 32 * k), "192+32");
  EXPECT_EQ(disk.set.targets().size(), 2u);
}

// effect: job_max_open_zones
TEST(ZoneChoice, LimitOfAJob) {
  Disk disk(4);
  disk.rules.random = true;
  disk.shared.max_targets = 3;
  disk.rules.max_targets = 1;  // job_max_open_zones=1
  EXPECT_EQ(disk.write(0, 4 * k), "0+4");
  EXPECT_EQ(disk.write(128 * k, 4 * k), "4+4");
  disk.rules.job = 2;
  EXPECT_EQ(disk.write(128 * k, 4 * k), "128+4") << "another job may open one";
  EXPECT_EQ(disk.set.targets_of(1), 1u);
}

// effect: zone_reset_frequency zone_reset_threshold
TEST(ZoneChoice, ResetsAtAFrequencyAboveAThreshold) {
  Disk disk(4);
  disk.rules.reset_every = 4;          // zone_reset_frequency=0.25
  disk.rules.reset_above = 2 * kZone;  // zone_reset_threshold=0.5
  disk.set.count_valid(0, 4);
  for (std::uint64_t at = 0; at < 2 * kZone; at += 8 * k) disk.write(at, 8 * k);
  EXPECT_EQ(disk.resets, 0u);
  for (int i = 0; i < 3; ++i) disk.write(128 * k, 8 * k);
  EXPECT_EQ(disk.resets, 0u);
  EXPECT_EQ(disk.write(128 * k, 8 * k), "128+8");
  EXPECT_EQ(disk.resets, 1u);
}

// effect: recover_zbd_write_error
TEST(ZoneChoice, AZoneWithAFailedWriteIsRecoveredBeforeItIsWritten) {
  Disk disk(2);
  EXPECT_EQ(disk.write(0, 16 * k), "0+16");
  disk.set[0].doubtful = true;
  disk.wish = {.dir = io::Dir::write, .offset = 0, .length = static_cast<std::uint32_t>(16 * k)};
  EXPECT_EQ(choose(disk.set, disk.rules, disk.window, disk.wish, false).kind, Kind::drain) << "its writes end first";
  EXPECT_EQ(choose(disk.set, disk.rules, disk.window, disk.wish, true).kind, Kind::recover);
  disk.set[0].doubtful = false;
  EXPECT_EQ(disk.write(0, 16 * k), "16+16");
}

TEST(ZoneChoice, AVerifyingJobDoesNotWriteAFullZoneAgain) {
  Disk disk(2);
  disk.rules.verifies = true;
  for (const auto* place : {"0+64", "64+64"}) EXPECT_EQ(disk.write(0, 64 * k), place);
  EXPECT_EQ(disk.write(0, 64 * k), "over");
  EXPECT_EQ(disk.resets, 0u);
}

TEST(ZoneChoice, WaitsForTheZoneOfAnotherJobAndForOwnWrites) {
  Disk disk(2);
  const auto first = disk.place(io::Dir::write, 0, 60 * k);
  disk.rules.job = 2;
  EXPECT_EQ(disk.place(io::Dir::write, 0, 4 * k).kind, Kind::wait);
  EXPECT_EQ(disk.place(io::Dir::read, 0, 4 * k).kind, Kind::wait);
  EXPECT_EQ(disk.place(io::Dir::write, 64 * k, 4 * k).kind, Kind::go) << "the other zone is free";
  disk.rules.job = 1;
  EXPECT_EQ(disk.place(io::Dir::write, 0, 4 * k).kind, Kind::go) << "its own zone";
  Wish full{.dir = io::Dir::write, .offset = 0, .length = 4 * k};
  EXPECT_EQ(choose(disk.set, disk.rules, disk.window, full, false).kind, Kind::drain) << "before a reset";
  disk.set.end(first.zone);
}

// What always holds, over random jobs: no write away from the pointer, none beyond the capacity, never more targets than
// the limit; and the bytes below the pointers are those written since the last reset.
RC_GTEST_PROP(ZoneChoice, InvariantsOfRandomJobs, ()) {
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 9);
  const auto capacity = 4 * k * *rc::gen::inRange<std::uint64_t>(1, 17);
  Disk disk(count, capacity);
  disk.rules.random = *rc::gen::arbitrary<bool>();
  disk.rules.write_remainder = *rc::gen::arbitrary<bool>();
  disk.shared.max_targets = *rc::gen::inRange<std::uint32_t>(0, count + 2);
  disk.rules.max_targets = disk.shared.max_targets == 0 ? 0 : *rc::gen::inRange<std::uint32_t>(0, 3);
  disk.rules.min_bytes[1] = static_cast<std::uint32_t>(4 * k * *rc::gen::inRange<std::uint64_t>(1, 4));
  disk.rules.reset_every = *rc::gen::inRange<std::uint64_t>(0, 5);
  std::vector<std::uint64_t> written(count);
  const auto ios = *rc::gen::inRange(1, 200);
  for (int i = 0; i < ios; ++i) {
    const auto dir = static_cast<io::Dir>(*rc::gen::inRange(0, 3));
    const auto zone = *rc::gen::inRange<std::uint64_t>(0, count);
    const auto block = *rc::gen::inRange<std::uint64_t>(0, 16);
    const std::uint64_t length =
        dir == io::Dir::trim ? kZone : disk.rules.min_bytes[1] * *rc::gen::inRange<std::uint64_t>(1, 3);
    std::vector<std::uint64_t> pointers;
    for (const auto& z : disk.zones_) pointers.push_back(z.wp);
    const auto d = disk.place(dir, zone * kZone + (dir == io::Dir::trim ? 0 : block * 4 * k), length);
    RC_ASSERT(disk.set.targets().size() <= (disk.shared.max_targets == 0 ? 0 : disk.shared.max_targets));
    for (std::uint32_t z = 0; z < count; ++z)
      if (disk.zones_[z].wp < pointers[z]) written[z] = 0;  // reset on the way
    for (std::uint32_t z = 0; z < count; ++z)
      if (d.zone != z && disk.zones_[z].wp > pointers[z])
        written[z] = disk.zones_[z].wp - disk.zones_[z].start;  // finished
    if (d.kind != Kind::go || d.zone == kNoZone) continue;
    const Zone& at = disk.zones_[d.zone];
    if (dir == io::Dir::write) {
      RC_ASSERT(disk.wish.offset + disk.wish.length == at.wp);
      RC_ASSERT(at.wp <= at.capacity_end());
      RC_ASSERT(disk.wish.offset == at.start + written[d.zone] || disk.wish.offset == at.start);
      if (disk.wish.offset == at.start) written[d.zone] = 0;
      written[d.zone] += disk.wish.length;
    }
    if (dir == io::Dir::read) RC_ASSERT(disk.wish.offset + disk.wish.length <= at.wp);
    if (dir == io::Dir::read) RC_ASSERT(disk.wish.length > 0);
    disk.end(d);
    if (dir == io::Dir::trim) written[d.zone] = 0;
    for (std::uint32_t z = 0; z < count; ++z) RC_ASSERT(disk.zones_[z].wp - disk.zones_[z].start == written[z]);
  }
}

}  // namespace
}  // namespace fathom::workload::zones
