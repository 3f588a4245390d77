// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The common part of the BPF programs of the latency breakdown, on any kind of tracepoint (split.bpf.c: BTF raw ones;
// split_classic.bpf.c: classic ones): the maps, the lookup of an I/O's slot by its location or by its task, and the
// table of bios in flight. The including file decides what identifies a bio there.
#pragma once
#include "split/region.h"

typedef unsigned long long u64;
typedef unsigned u32;
#define SECTION(name) __attribute__((section(name), used))
#define OF_KERNEL __attribute__((preserve_access_index))
#define INLINED static inline __attribute__((always_inline))
enum { kArray = 2, kMmapable = 1 << 10, kNone = -1, kTaken = 1, kMostMerged = 1 << 16, kDisks = 8 };
enum { kFua = 1 << 17, kPreflush = 1 << 18, kAhead = 1 << 19 };  // of bi_opf (include/linux/blk_types.h)

// Helpers by their numbers (include/uapi/linux/bpf.h).
static void* (*const bpf_map_lookup_elem)(void*, const void*) = (void*)1;
static u64 (*const bpf_ktime_get_ns)(void) = (void*)5;
static u64 (*const bpf_get_current_pid_tgid)(void) = (void*)14;
static long (*const bpf_probe_read_kernel)(void* to, u32 bytes, const void* from) = (void*)113;
struct PidInNamespace {
  u32 pid, tgid;
};
static long (*const bpf_get_ns_current_pid_tgid)(u64 dev, u64 inode, struct PidInNamespace*, u32 bytes) = (void*)120;

// The kernel requires a compatible license, since the loaded program follows kernel pointers.
char license_text[] SECTION("license") = "Dual MIT/GPL";

// A bio in flight, or a request of io_uring (which has no sectors): a cache line, two per bucket. If both are taken,
// the next bucket may have it.
struct Bio {
  u64 address;
  u64 left;  // sectors that are not done
  u32 slot, generation, flags;
  u32 overflowed;  // of a bucket's first: an entry of this bucket is in the next one
  u64 task;        // the task that queued it, if it waits for the bio; else 0
  u64 sector;
  u32 sectors, dev;
  u64 begin_ns;
};
struct BioBucket {
  struct Bio way[2];
};

// The numbers of entries are set before loading.
struct {
  int (*type)[kArray];
  int (*max_entries)[1];
  int (*map_flags)[kMmapable];
  u32* key;
  struct Line* value;
} lines SECTION(".maps");
struct {
  int (*type)[kArray];
  int (*max_entries)[1];
  int (*map_flags)[kMmapable];
  u32* key;
  struct Bucket* value;
} places SECTION(".maps");
struct {
  int (*type)[kArray];
  int (*max_entries)[1];
  int (*map_flags)[kMmapable];
  u32* key;
  struct Task* value;
} tasks SECTION(".maps");
struct {
  int (*type)[kArray];
  int (*max_entries)[1];
  u32* key;
  struct BioBucket* value;
} bios SECTION(".maps");
struct {
  int (*type)[kArray];
  int (*max_entries)[1];
  int (*map_flags)[kMmapable];
  u32* key;
  struct Past* value;
} past SECTION(".maps");
// Locations of the fields of a classic tracepoint's record. `sectors` of block_split: its new_sector.
struct Record {
  u32 dev, sector, sectors, rwbs, error, spare;
};
enum { kQueueRecord, kSplitRecord, kBioDoneRecord, kRequestRecord, kIssueRecord, kRequestDoneRecord, kRecords };

// Set before loading (split_programs.cc has the same struct), and then known to the kernel's compiler.
const volatile struct Setup {
  u32 place_shift, granule_shift, bio_mask, task_mask, any_long, submissions;
  u32 disks[kDisks];                   // disks with recorded read-ahead; 0: no further disk
  u64 namespace_dev, namespace_inode;  // PID namespace of the numbers in `tasks`; inode 0: the machine's own
  struct Record records[kRecords];     // of classic tracepoints
  u32 partition_mask, spare;           // of split_classic.bpf.c's `partitions`; 0: no partitions
} setup;

struct {
  u64 no_room;  // bios that found no room in `bios`
  u64 beyond;   // requests with more bios than are followed (kMostMerged)
  u64 base_word;
} counts;

INLINED int holds(const struct Published* p, u32 dev, u64 sector) {
  if (p->generation == 0 || p->dev != dev || p->pieces == 0) return 0;
  if (sector - p->piece[0].sector < p->piece[0].sectors) return 1;
  if (p->pieces < 2) return 0;
  if (sector - p->piece[1].sector < p->piece[1].sectors) return 1;
  return p->pieces > 2 && sector - p->piece[2].sector < p->piece[2].sectors;
}

INLINED int slot_in(u32 dev, u64 sector, u64 hash) {
  const u32 at = hash >> setup.place_shift, tag = place_tag(hash);
  struct Bucket* bucket = bpf_map_lookup_elem(&places, &at);
  if (!bucket) return kNone;
#pragma unroll
  for (int w = 0; w < kWays; ++w) {
    const u64 place = bucket->way[w];
    if (place >> 32 != tag) continue;
    const u32 slot = (u32)place;
    struct Line* line = bpf_map_lookup_elem(&lines, &slot);
    if (line && holds(&line->published, dev, sector)) return slot;
  }
  return kNone;
}

__attribute__((noinline)) int slot_in_granule(u32 dev, u64 sector) {
  return slot_in(dev, sector, granule_hash(dev, sector >> setup.granule_shift));
}

INLINED int slot_at(u32 dev, u64 sector) {
  const int slot = slot_in(dev, sector, place_hash(dev, sector));
  if (slot != kNone || !setup.any_long) return slot;
  return slot_in_granule(dev, sector);
}

INLINED u32 bio_bucket(u64 address) { return (u32)((address >> 6) * FATHOM_SPLIT_HASH >> 40) & setup.bio_mask; }

INLINED struct Bio* entry_in(struct BioBucket* bucket, u64 address) {
  if (bucket->way[0].address == address) return &bucket->way[0];
  return bucket->way[1].address == address ? &bucket->way[1] : 0;
}
__attribute__((noinline)) u32 next_bucket(u32 at) { return (at + 1) & setup.bio_mask; }
INLINED struct Bio* entry_of(u64 address) {
  u32 at = bio_bucket(address);
  struct BioBucket* bucket = bpf_map_lookup_elem(&bios, &at);
  if (!bucket) return 0;
  struct Bio* entry = entry_in(bucket, address);
  if (entry || !bucket->way[0].overflowed) return entry;
  at = next_bucket(at);
  bucket = bpf_map_lookup_elem(&bios, &at);
  return bucket ? entry_in(bucket, address) : 0;
}

// Reads the current value: the compiler's earlier read may belong to an I/O that is over.
#define NOW(of) (*(const volatile __typeof__(of)*)&(of))

// The line of the I/O that the bio belongs to, while the I/O is in flight; generation: that of the I/O.
INLINED struct Line* line_of_entry(const struct Bio* entry, u32* generation) {
  const u32 slot = entry->slot;
  *generation = NOW(entry->generation);
  struct Line* line = bpf_map_lookup_elem(&lines, &slot);
  return line && NOW(line->published.generation) == *generation ? line : 0;
}

// A program may be delayed (an interrupt, a stolen CPU) after it found the line. By now it may have written into the
// line of the slot's next I/O. The values in that line then do not belong to that I/O.
INLINED void look_whose(struct Line* line, u32 generation) {
  if (NOW(line->published.generation) != generation) line->seen.contested |= kSameSectors;
}

// Takes an entry that is empty, of this bio's earlier life, or of an I/O that is over. No other program takes it at the
// same time.
INLINED int take(struct Bio* entry, u64 address) {
  const u64 there = entry->address;
  if (there == kTaken) return 0;
  if (there != 0 && there != address) {
    const u32 slot = entry->slot;
    struct Line* line = bpf_map_lookup_elem(&lines, &slot);
    if (line && line->published.generation == entry->generation) return 0;
  }
  return __sync_val_compare_and_swap(&entry->address, there, kTaken) == there;
}

INLINED struct Bio* new_entry(u64 address) {
  u32 at = bio_bucket(address);
  struct BioBucket* bucket = bpf_map_lookup_elem(&bios, &at);
  if (!bucket) return 0;
  if (take(&bucket->way[0], address)) return &bucket->way[0];
  if (take(&bucket->way[1], address)) return &bucket->way[1];
  bucket->way[0].overflowed = 1;
  at = next_bucket(at);
  bucket = bpf_map_lookup_elem(&bios, &at);
  if (!bucket) return 0;
  if (take(&bucket->way[0], address)) return &bucket->way[0];
  if (take(&bucket->way[1], address)) return &bucket->way[1];
  __sync_fetch_and_add(&counts.no_room, 1);
  return 0;
}

// A bio of the I/O of `line`, if there is one, has no entry.
INLINED int not_followed(struct Line* line, u32 generation) {
  if (line && NOW(line->published.generation) == generation) line->seen.contested |= kNoRoom;
  return 0;
}

INLINED u32 current_task(void) {
  if (setup.namespace_inode == 0) return (u32)bpf_get_current_pid_tgid();
  struct PidInNamespace in;
  if (bpf_get_ns_current_pid_tgid(setup.namespace_dev, setup.namespace_inode, &in, sizeof in) != 0) return 0;
  return in.pid;
}

INLINED int meets(const struct Piece* piece, u64 sector, u64 end) {
  return sector < piece->sector + piece->sectors && piece->sector < end;
}

// Whether a bio that an I/O's own task queued belongs to this I/O. Any bio does if the I/O's location is unknown; so
// does one without sectors, which is a flush.
INLINED int may_be_of(const struct Published* p, u32 dev, u64 sector, u64 end) {
  if (p->generation == 0 || (p->dev != 0 && p->dev != dev)) return 0;
  if (p->pieces == 0 || sector == end || meets(&p->piece[0], sector, end)) return 1;
  return (p->pieces > 1 && meets(&p->piece[1], sector, end)) || (p->pieces > 2 && meets(&p->piece[2], sector, end));
}

INLINED struct Task* followed_task(void) {
  const u32 task = current_task();
  if (task == 0) return 0;
#pragma unroll
  for (u32 w = 0; w < kWays; ++w) {
    const u32 at = (task + w) & setup.task_mask;
    struct Task* found = bpf_map_lookup_elem(&tasks, &at);
    if (!found || found->task == 0) return 0;
    if (found->task == task) return found;
  }
  return 0;
}

INLINED void note_over(struct Over* over, u64 begin_ns, u64 sector, u32 sectors, u32 dev) {
  over->end_ns = 0;
  over->begin_ns = begin_ns;
  over->sector = sector;
  over->sectors = sectors;
  over->dev = dev;
  __sync_lock_test_and_set(&over->end_ns, bpf_ktime_get_ns());
}

// The bio is over. Read-ahead is recorded, regardless of the tasks that may wait for it.
INLINED void forget(struct Bio* entry) {
  if ((entry->flags & kAhead) != 0 && entry->sectors != 0) {
    const u32 first = 0;
    struct Past* all = bpf_map_lookup_elem(&past, &first);
    if (all)
      note_over(&all->ahead[__sync_fetch_and_add(&all->aheads, 1) % kAheads], entry->begin_ns, entry->sector,
                entry->sectors, entry->dev);
  }
  entry->address = 0;
}

INLINED int is_followed(u32 dev) {
#pragma unroll
  for (int i = 0; i < kDisks; ++i)
    if (setup.disks[i] == dev) return 1;
  return 0;
}

// True for an fsync on a file system where the waiting task writes the log (xfs). The write is in the ring of commits.
INLINED int is_log_write(const struct Published* p, u32 flags, u32 bytes) {
  return p->sectors == 0 && bytes != 0 && (flags & kPreflush) != 0;
}

// A flush without data. If a device makes no requests (dm, md), the flush ends with its bio.
INLINED int is_flush(const struct Bio* entry) { return entry->sectors == 0 && (entry->flags & kPreflush) != 0; }

// A write that waits for a flush before or after it (REQ_PREFLUSH, REQ_FUA) may complete once more.
INLINED int completes_again(const struct Bio* entry) { return (entry->flags & (kFua | kPreflush)) != 0; }
