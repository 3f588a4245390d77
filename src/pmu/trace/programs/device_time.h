// The sums of a device's request times: the layout that the BPF programs share with us, and the rules that make one
// time from a begin and an end. The BPF compiler compiles this file as C (device_time.bpf.c), all others as C++, so
// that the rules are tested without a kernel.
//
// Problem: a swap device has up to millions of requests per second, and each matters, since a tail has few. Sending two
// events per request to a reader costs more than the request (docs/dev/performance.md), and loses some exactly when
// there are many.
//
// Choice: the begin is kept in an array under the request's address, which identifies it while the device has it. The
// end removes it and adds the time to a histogram of its CPU. No events are sent. An entry is in one of four ways of
// one bucket: everything is bounded, and requests that found no room are counted.
//
// Which requests: those that begin while `choosing` is set, in a numbered slice of time (slice_thread.h). They are
// followed to their end. An entry of another slice is ignored. A request that the device does in parts ends with the
// last. One that begins again without an end is lost, and its timing restarts.
//
// Only one of the two programs writes each member of DeviceTimes, and a program does not interrupt itself on one CPU:
// plain additions suffice. Times: CLOCK_MONOTONIC, ns.
#pragma once
#ifdef __cplusplus
namespace fathom::pmu::trace::programs {
#endif

enum { kUnderwayWays = 4, kUnderwayBuckets = 2048, kTimeBins = 33 << 6, kMostStretches = 1 << 16 };
// FATHOM_TAKEN: an entry that is being written. FATHOM_FORGOTTEN_NS: age at which an entry with a missed end may be
// replaced.
#define FATHOM_TAKEN 1ull
#define FATHOM_FORGOTTEN_NS 30000000000ull

struct Underway {
  unsigned long long address, begin_ns;  // address 0: empty
  unsigned bytes, direction, slice;
  unsigned in_parts;  // part of it is done
};
struct UnderwayBucket {
  struct Underway way[kUnderwayWays];
};

// The first six are a stats::Moments, the counts the first buckets of a stats::RawHistogram (up to 274 s).
struct TimeSum {
  unsigned long long n, max, min_inverted, sum, squares_low, squares_high;
  unsigned long long bytes, spare;
  unsigned long long counts[kTimeBins];
};

// Sums of one CPU.
struct DeviceTimes {
  // Written at the begin. passed: begins of any device; forgotten: of those begun, lost without an end.
  unsigned long long passed, begun, forgotten, no_room, foreign, foreign_bytes, spare_begin[2];
  // Written at the end. unbegun: ends of selected requests with a missed begin.
  unsigned long long ended, unbegun, spare_end[6];
  struct TimeSum of[2];  // read, write
};

// Written by us.
struct DeviceControl {
  unsigned long long chosen_ns;   // when the slice began
  unsigned long long settled_ns;  // a request that ends later without a begin was not in flight before
  unsigned slice, choosing;
  unsigned stretches, spare;  // number of entries in the map `stretches`; 0: the whole disk
};

// Sectors of the disk that belong to the swap area: rising, not adjacent.
struct Stretch {
  unsigned long long begin, end;
};

// As stats::bucket_of, without an instruction for the highest bit. Masks limit values for the verifier. With a
// comparison it would follow impossible paths, and up to Linux 6.1 reject them.
static inline unsigned long long time_bin(unsigned long long ns) {
  if (ns >> 38) ns = (1ull << 38) - 1;
  unsigned long long high = ns | 64;
  unsigned top = 0;
  if (high >> 32) top += 32, high >>= 32;
  if (high >> 16) top += 16, high >>= 16;
  if (high >> 8) top += 8, high >>= 8;
  if (high >> 4) top += 4, high >>= 4;
  if (high >> 2) top += 2, high >>= 2;
  if (high >> 1) top += 1;
  const unsigned long long shift = (top - 6) & 31;
  return (shift << 6) + ((ns >> shift) & 127);
}

static inline void add_time(struct TimeSum* to, unsigned long long ns, unsigned bytes) {
  const unsigned long long high = ns >> 32, low = (unsigned)ns, middle = high * low;
  const unsigned long long squares = ns * ns, before = to->squares_low;
  to->n += 1;
  to->sum += ns;
  to->bytes += bytes;
  to->squares_low = before + squares;
  // The upper half of the square, with the carries of the middle and low products, and the carry of the sum.
  to->squares_high += high * high + (middle >> 31) + (squares < (middle << 33)) + (before + squares < before);
  if (ns > to->max) to->max = ns;
  if (~ns > to->min_inverted) to->min_inverted = ~ns;
}

static inline struct Underway* underway_of(struct UnderwayBucket* bucket, unsigned long long address) {
  if (bucket->way[0].address == address) return &bucket->way[0];
  if (bucket->way[1].address == address) return &bucket->way[1];
  if (bucket->way[2].address == address) return &bucket->way[2];
  return bucket->way[3].address == address ? &bucket->way[3] : 0;  // NOLINT(modernize-use-nullptr): C, too
}

// Takes a way that is empty, of another slice, or forgotten. No other program takes it at the same time.
static inline int take_way(struct Underway* way, unsigned slice, unsigned long long now, struct DeviceTimes* times) {
  const unsigned long long there = way->address;
  if (there == FATHOM_TAKEN) return 0;
  const int old = there != 0 && way->slice == slice;
  if (old && now - way->begin_ns < FATHOM_FORGOTTEN_NS) return 0;
  if (__sync_val_compare_and_swap(&way->address, there, FATHOM_TAKEN) != there) return 0;
  times->forgotten += (unsigned long long)old;
  return 1;
}

static inline void write_way(struct Underway* way, unsigned long long address, unsigned long long now, unsigned bytes,
                             unsigned direction, unsigned slice) {
  way->begin_ns = now;
  way->bytes = bytes;
  way->direction = direction;
  way->slice = slice;
  way->in_parts = 0;
  *(volatile unsigned long long*)&way->address = address;
}

static inline void begin_request(struct UnderwayBucket* bucket, struct DeviceTimes* times, unsigned long long address,
                                 unsigned long long now, unsigned bytes, unsigned direction, unsigned slice) {
  struct Underway* way = underway_of(bucket, address);
  if (way && way->slice == slice && way->in_parts) {
    way->in_parts = 0;  // the rest of it is requested
    return;
  }
  if (way)
    times->forgotten += way->slice == slice;
  else if (take_way(&bucket->way[0], slice, now, times))
    way = &bucket->way[0];
  else if (take_way(&bucket->way[1], slice, now, times))
    way = &bucket->way[1];
  else if (take_way(&bucket->way[2], slice, now, times))
    way = &bucket->way[2];
  else if (take_way(&bucket->way[3], slice, now, times))
    way = &bucket->way[3];
  if (!way) {
    times->no_room += 1;
    return;
  }
  write_way(way, address, now, bytes, direction, slice);
  times->begun += 1;
}

// rest: bytes of it that are not done yet. Returns whether its begin was seen.
static inline int end_request(struct UnderwayBucket* bucket, struct DeviceTimes* times, unsigned long long address,
                              unsigned long long now, unsigned rest, unsigned slice) {
  struct Underway* way = underway_of(bucket, address);
  if (!way) return 0;
  if (rest > 0) {
    way->in_parts = 1;
    return 1;
  }
  const unsigned long long ns = now - way->begin_ns;
  const unsigned bytes = way->bytes, direction = way->direction, of = way->slice;
  way->address = 0;
  if (of != slice) return 1;
  times->ended += 1;
  struct TimeSum* to = &times->of[direction & 1];
  add_time(to, ns, bytes);
  to->counts[time_bin(ns)] += 1;
  return 1;
}

// Whether all of these sectors are in one of n stretches. AT(i): a const struct Stretch*, or 0.
#define FATHOM_IN_STRETCHES(AT, n, sector, sectors, answer)        \
  do {                                                             \
    unsigned low_ = 0, high_ = (n);                                \
    (answer) = high_ == 0;                                         \
    for (int step_ = 0; step_ < 17 && low_ < high_; ++step_) {     \
      const unsigned middle_ = low_ + (high_ - low_) / 2;          \
      const struct Stretch* at_ = AT(middle_);                     \
      if (!at_) break;                                             \
      if (at_->begin <= (sector))                                  \
        low_ = middle_ + 1;                                        \
      else                                                         \
        high_ = middle_;                                           \
    }                                                              \
    const struct Stretch* last_ = low_ > 0 ? AT(low_ - 1) : 0;     \
    if (last_ && (sector) + (sectors) <= last_->end) (answer) = 1; \
  } while (0)

#ifdef __cplusplus
static_assert(sizeof(Underway) == 32 && sizeof(TimeSum) == 64 + 8 * kTimeBins && sizeof(DeviceTimes) % 64 == 0);
}  // namespace fathom::pmu::trace::programs
#endif
