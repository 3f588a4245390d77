// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What the kernel does for the device's time: a program where a request (or a bio, of a disk that makes no requests) is
// given to the device, and one where it comes back. Which are looked at and how they are added up is in device_time.h;
// here the kernel's own structures are read. Compiled and loaded as split.bpf.c is, which says why BTF raw tracepoints
// are taken, and how an address becomes a number.
#include "pmu/trace/programs/device_time.h"

typedef unsigned long long u64;
typedef unsigned u32;
#define SECTION(name) __attribute__((section(name), used))
#define OF_KERNEL __attribute__((preserve_access_index))
#define INLINED static inline __attribute__((always_inline))
enum { kArray = 2, kMmapable = 1 << 10, kMostPlain = 1, kOperation = 255, kCloned = 1 << 1 };

struct gendisk {
  int major, first_minor;
} OF_KERNEL;
struct block_device {
  struct gendisk* bd_disk;
} OF_KERNEL;
struct bvec_iter {
  u64 bi_sector;
  u32 bi_size;
} OF_KERNEL;
struct bio {
  struct block_device* bi_bdev;
  u32 bi_opf;
  unsigned short bi_flags;
  struct bvec_iter bi_iter;
} OF_KERNEL;
struct request_queue {
  struct gendisk* disk;
} OF_KERNEL;
struct request {
  struct request_queue* q;
  u32 cmd_flags;
  u32 __data_len;
  u64 __sector;
  u64 start_time_ns;
} OF_KERNEL;

// Helpers by their numbers (include/uapi/linux/bpf.h).
static void* (*const bpf_map_lookup_elem)(void*, const void*) = (void*)1;
static u64 (*const bpf_ktime_get_ns)(void) = (void*)5;
static u32 (*const bpf_get_smp_processor_id)(void) = (void*)8;

char license_text[] SECTION("license") = "Dual MIT/GPL";

#define SHARED_ARRAY(name, Value, entries) \
  struct {                                 \
    int (*type)[kArray];                   \
    int (*max_entries)[entries];           \
    int (*map_flags)[kMmapable];           \
    u32* key;                              \
    Value* value;                          \
  } name SECTION(".maps")
SHARED_ARRAY(control, struct DeviceControl, 1);
SHARED_ARRAY(times, struct DeviceTimes, 1);  // as many as CPUs: set before loading
SHARED_ARRAY(stretches, struct Stretch, 1);  // set before loading
SHARED_ARRAY(underway, struct UnderwayBucket, kUnderwayBuckets);

// Set before loading (device_time_programs.cc has the same struct).
const volatile struct Setup {
  u32 dev, spare;  // the disk, as the kernel numbers it inside
} setup;

u64 base;
INLINED u64 number_of(void* pointer) {
  u64 number = (u64)pointer;
  asm volatile("%0 -= %1" : "+r"(number) : "r"(&base));
  return number;
}

INLINED struct DeviceTimes* times_here(void) {
  const u32 cpu = bpf_get_smp_processor_id();
  return bpf_map_lookup_elem(&times, &cpu);
}
INLINED struct DeviceControl* control_now(void) {
  const u32 at = 0;
  return bpf_map_lookup_elem(&control, &at);
}
INLINED struct UnderwayBucket* bucket_of(u64 address) {
  const u32 at = (u32)((address >> 6) * 0x9E3779B97F4A7C15ull >> 40) & (kUnderwayBuckets - 1);
  return bpf_map_lookup_elem(&underway, &at);
}
INLINED const struct Stretch* stretch_at(u32 at) { return bpf_map_lookup_elem(&stretches, &at); }

// The number of stretches is not known to the verifier, else it would walk through each search there is.
__attribute__((noinline)) int is_own(u32 n, u64 sector, u64 sectors) {
  int own;
  FATHOM_IN_STRETCHES(stretch_at, n, sector, sectors, own);
  return own;
}

INLINED int is_the_disk(struct gendisk* disk) { return ((u32)disk->major << 20 | (u32)disk->first_minor) == setup.dev; }

INLINED int begins(struct gendisk* disk, u32 operation, u64 sector, u32 bytes, u64 address) {
  struct DeviceTimes* here = times_here();
  if (!here) return 0;
  here->passed += 1;
  operation &= kOperation;
  // A flush, a trim, or a command of its own is no request of pages.
  if (operation > kMostPlain || bytes == 0 || !is_the_disk(disk)) return 0;
  struct DeviceControl* by = control_now();
  if (!by || !by->choosing) return 0;
  if (!is_own(by->stretches, sector, bytes >> 9)) {
    here->foreign += 1;
    here->foreign_bytes += bytes;
    return 0;
  }
  struct UnderwayBucket* bucket = bucket_of(address);
  if (bucket) begin_request(bucket, here, address, bpf_ktime_get_ns(), bytes, operation, by->slice);
  return 0;
}

struct End {
  u64 address, sector, made_ns;      // made: before its begin; 0: not known
  u32 operation, bytes, rest, part;  // part: of a bio that was split, which has no begin of its own
};
INLINED int ends(struct gendisk* disk, const struct End* end) {
  const u32 operation = end->operation & kOperation;
  if (operation > kMostPlain || !is_the_disk(disk)) return 0;
  struct DeviceTimes* here = times_here();
  struct DeviceControl* by = control_now();
  struct UnderwayBucket* bucket = bucket_of(end->address);
  if (!here || !by || !bucket) return 0;
  const u64 now = bpf_ktime_get_ns();
  if (end_request(bucket, here, end->address, now, end->rest, by->slice)) return 0;
  if (!by->choosing || end->rest > 0 || end->part) return 0;
  if (now < by->settled_ns && end->made_ns < by->chosen_ns) return 0;
  if (is_own(by->stretches, end->sector, end->bytes >> 9)) here->unbegun += 1;
  return 0;
}

SECTION("tp_btf/block_rq_issue") int on_issue(u64* arguments) {
  struct request* rq = (struct request*)arguments[0];
  return begins(rq->q->disk, rq->cmd_flags, rq->__sector, rq->__data_len, number_of(rq));
}

// With no bytes: the end of the flush that follows the data.
SECTION("tp_btf/block_rq_complete") int on_request_done(u64* arguments) {
  struct request* rq = (struct request*)arguments[0];
  const u32 done = (u32)arguments[2], all = rq->__data_len;
  if (done == 0) return 0;
  const u32 rest = all > done ? all - done : 0;
  const struct End end = {number_of(rq), rq->__sector, rq->start_time_ns, rq->cmd_flags, done, rest, 0};
  return ends(rq->q->disk, &end);
}

SECTION("tp_btf/block_bio_queue") int on_queue(u64* arguments) {
  struct bio* bio = (struct bio*)arguments[0];
  return begins(bio->bi_bdev->bd_disk, bio->bi_opf, bio->bi_iter.bi_sector, bio->bi_iter.bi_size, number_of(bio));
}

// A bio may have been worn down to nothing by its end.
SECTION("tp_btf/block_bio_complete") int on_bio_done(u64* arguments) {
  struct bio* bio = (struct bio*)arguments[1];
  const u32 left = bio->bi_iter.bi_size;
  const u64 sector = bio->bi_iter.bi_sector - (left == 0);
  const struct End end = {number_of(bio), sector, 0, bio->bi_opf, left == 0 ? 512 : left, 0, bio->bi_flags & kCloned};
  return ends(bio->bi_bdev->bd_disk, &end);
}
