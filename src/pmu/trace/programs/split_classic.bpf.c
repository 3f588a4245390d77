// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The latency split where the kernel has no BTF: the same as split.bpf.c in classic tracepoints, whose records lie where their
// format files say. Such a point costs its caller some 200 ns before it does anything, and takes a tenth of a second to
// be left.
//
// A record has no bio in it, only where on which device it lies: that is a bio's name here. A request begins with a bio,
// and where that ends the next one does that was merged with it. What is cut off a bio (block_split), or left of it when
// a part of it is done, goes on under the name of its own first sector. Bios of the same place at the same time cannot be told
// apart; the loops count them (contested). A flush has no place: of a disk there is one at a time.
//
// Known less of: who queued a bio goes by the name of the task, for there is nothing else to tell a kernel's thread by; waiting
// for a CPU is not seen. What commits, and what io_uring submits, is not followed.
#include "pmu/trace/programs/split_slots.bpf.h"

static long (*const bpf_get_current_comm)(void* to, u32 bytes) = (void*)16;

// kMostSteps: bios, or steps of kMostStep sectors over those of others, that a request is looked through for.
enum { kMostStep = 8, kMostSteps = 1024, kPartitionWays = 8 };
#define FLUSH_SECTOR (~0ull)

// Records name the partition where a bio was queued on one, and the disk where there is a request.
struct Partition {
  u32 dev, disk;  // dev 0: nothing
};
struct {
  int (*type)[kArray];
  int (*max_entries)[1];  // set before loading
  int (*map_flags)[kMmapable];
  u32* key;
  struct Partition* value;
} partitions SECTION(".maps");

// What returns 1 leaves others' samples of the tracepoint alone.
enum { kDone = 1 };

__attribute__((noinline)) u32 disk_of(u32 dev) {
  if (setup.partition_mask == 0) return dev;
#pragma unroll
  for (u32 w = 0; w < kPartitionWays; ++w) {
    const u32 at = (dev * 0x9E3779B1u + w) & setup.partition_mask;
    const struct Partition* there = bpf_map_lookup_elem(&partitions, &at);
    if (!there || there->dev == 0) return dev;
    if (there->dev == dev) return there->disk;
  }
  return dev;
}

struct Place {
  u64 sector, sectors;
  u32 dev;
};
INLINED u64 number_at(void* record, u32 offset, u32 bytes) {
  u64 number = 0;
  bpf_probe_read_kernel(&number, bytes, (char*)record + offset);
  return number;
}
INLINED struct Place place_in(void* record, u32 kind) {
  const volatile struct Record* at = &setup.records[kind];
  struct Place place;
  place.dev = disk_of((u32)number_at(record, at->dev, 4));
  place.sector = number_at(record, at->sector, 8);
  place.sectors = number_at(record, at->sectors, kind == kSplitRecord ? 8 : 4);
  return place;
}

// "WFS", "FWS", "RA": a flush before it, what is done, and then in any order FUA, read-ahead and others.
INLINED u32 flags_in(void* record, u32 kind) {
  const u64 text = number_at(record, setup.records[kind].rwbs, 8);
  const int flushes = (text & 0xFF) == 'F';
  u32 flags = flushes ? kPreflush : 0;
#pragma unroll
  for (int i = 1; i < 8; ++i) {
    const u32 letter = (u32)(text >> 8 * i) & 0xFF;
    if (letter == 0) break;
    if (letter == 'F' && i > flushes) flags |= kFua;
    if (letter == 'A' && i > flushes) flags |= kAhead;
  }
  return flags;
}

INLINED u64 name_of(u32 dev, u64 sector) { return place_hash(dev, sector) | 2; }

INLINED struct Bio* bio_at(u32 dev, u64 sector) {
  struct Bio* entry = entry_of(name_of(dev, sector));
  return entry && entry->dev == dev && entry->sector == sector ? entry : 0;
}

INLINED u32 kind_of_task(void) {
  char name[16] = {};
  bpf_get_current_comm(name, sizeof name);
  if (name[0] == 'i' && name[1] == 'o' && name[2] == 'u' && name[3] == '-') return kByWorker;
  const int kworker = name[0] == 'k' && name[1] == 'w' && name[2] == 'o' && name[3] == 'r' && name[4] == 'k' &&
                      name[5] == 'e' && name[6] == 'r' && name[7] == '/';
  return kworker ? kByKernel : kByOwnTask;
}

INLINED u32 slot_of_task(u32 dev, u64 sector, u64 end) {
  const struct Task* task = followed_task();
  const u32 slot = task ? task->slot : (u32)kNone;
  struct Line* line = bpf_map_lookup_elem(&lines, &slot);
  return line && may_be_of(&line->published, dev, sector, end) ? slot : (u32)kNone;
}

INLINED void note_queued(struct Line* line, u64 now, u64 sectors, u32 flags) {
  const u64 before = __sync_fetch_and_add(&line->seen.balance, sectors << 32 | sectors);
  if (before >> 32 != 0) return;
  line->seen.queue_ns = now;
  line->seen.flags = kind_of_task();
  if ((flags & kPreflush) != 0) line->seen.flags |= kFlushFirst;
}

SECTION("tp/block/block_bio_queue") int on_queue(void* record) {
  const struct Place at = place_in(record, kQueueRecord);
  u32 slot = at.sectors == 0 ? (u32)kNone : (u32)slot_at(at.dev, at.sector);
  if (slot == (u32)kNone) slot = slot_of_task(at.dev, at.sector, at.sector + at.sectors);
  struct Line* line = bpf_map_lookup_elem(&lines, &slot);
  const int may_be_ahead = setup.disks[0] != 0 && is_followed(at.dev);
  if (!line && !may_be_ahead) return kDone;
  const u32 flags = flags_in(record, kQueueRecord);
  if (line && is_log_write(&line->published, flags, (u32)at.sectors)) return kDone;
  const int ahead = may_be_ahead && (flags & kAhead) != 0;
  if (!line && !ahead) return kDone;
  const u32 generation = line ? NOW(line->published.generation) : 0;
  const u64 now = bpf_ktime_get_ns(), sector = at.sectors == 0 ? FLUSH_SECTOR : at.sector;
  const u64 name = name_of(at.dev, sector);
  struct Bio* entry = new_entry(name);
  if (!entry) return kDone + not_followed(line, generation);
  if (line) {
    note_queued(line, now, at.sectors, flags);
    look_whose(line, generation);
  }
  entry->generation = generation;
  entry->slot = slot;
  entry->left = at.sectors;
  entry->flags = ahead ? flags : flags & ~kAhead;
  entry->task = 0;
  entry->sector = sector;
  entry->sectors = (u32)at.sectors;
  entry->dev = at.dev;
  entry->begin_ns = now;
  entry->address = name;
  return kDone;
}

// What of a bio begins at this sector, under a name of its own.
INLINED void cut(struct Bio* entry, u64 sector, u64 sectors) {
  struct Bio* rest = new_entry(name_of(entry->dev, sector));
  if (!rest) {
    u32 generation;
    struct Line* line = line_of_entry(entry, &generation);
    not_followed(line, generation);
    return;
  }
  rest->left = sectors;
  rest->slot = entry->slot;
  rest->generation = entry->generation;
  rest->flags = entry->flags;
  rest->task = 0;
  rest->sector = sector;
  rest->sectors = (u32)sectors;
  rest->dev = entry->dev;
  rest->begin_ns = entry->begin_ns;
  rest->address = name_of(entry->dev, sector);
}

SECTION("tp/block/block_split") int on_split(void* record) {
  const struct Place at = place_in(record, kSplitRecord);
  struct Bio* entry = bio_at(at.dev, at.sector);
  const u64 front = at.sectors - at.sector;  // the second is where the rest begins
  if (!entry || front == 0 || front >= entry->sectors) return kDone;
  cut(entry, at.sector + front, entry->sectors - front);
  entry->sectors = (u32)front;
  entry->left = front;
  return kDone;
}

SECTION("tp/block/block_bio_complete") int on_bio_done(void* record) {
  const struct Place at = place_in(record, kBioDoneRecord);
  struct Bio* entry = bio_at(at.dev, at.sectors == 0 ? FLUSH_SECTOR : at.sector);
  if (!entry) return kDone;
  const int failed = number_at(record, setup.records[kBioDoneRecord].error, 4) != 0;
  const int flush = is_flush(entry);
  if (failed) entry->sectors = 0;
  u32 generation;
  struct Line* line = line_of_entry(entry, &generation);
  if (line) {
    *(flush ? &line->seen.flush_ns : &line->seen.done_ns) = bpf_ktime_get_ns();
    const u64 left = entry->left;
    __sync_fetch_and_sub(&line->seen.balance, failed ? left << 32 | left : left);
    look_whose(line, generation);
  }
  forget(entry);
  return kDone;
}

SECTION("tp/block/block_getrq") int on_request(void* record) {
  const struct Place at = place_in(record, kRequestRecord);
  struct Bio* entry = at.sectors == 0 ? 0 : bio_at(at.dev, at.sector);
  u32 generation;
  struct Line* line = entry ? line_of_entry(entry, &generation) : 0;
  if (!line || line->seen.request_ns != 0) return kDone;
  line->seen.request_ns = bpf_ktime_get_ns();
  look_whose(line, generation);
  return kDone;
}

// Of the bio that begins here; how far it reaches. Functions of their own, which the verifier looks into once.
__attribute__((noinline)) u64 issued_at(u32 dev, u64 sector, u64 now) {
  struct Bio* entry = bio_at(dev, sector);
  u32 generation;
  struct Line* line = entry ? line_of_entry(entry, &generation) : 0;
  if (line && line->seen.issue_ns == 0) {
    line->seen.issue_ns = now;
    look_whose(line, generation);
  }
  return entry ? entry->sectors : kMostStep;  // somebody else's
}

INLINED void step_on(struct Place* at, u64 step) {
  if (step == 0 || step > at->sectors) step = at->sectors;
  at->sector += step;
  at->sectors -= step;
}

SECTION("tp/block/block_rq_issue") int on_issue(void* record) {
  struct Place at = place_in(record, kIssueRecord);
  const u64 now = bpf_ktime_get_ns();
  for (int i = 0; i < kMostSteps && at.sectors > 0; ++i) step_on(&at, issued_at(at.dev, at.sector, now));
  if (at.sectors > 0) __sync_fetch_and_add(&counts.beyond, 1);
  return kDone;
}

// Of the data of this place the last that the flush was for, or else of a flush without data.
INLINED void flush_ends(u32 dev, u64 sector, u64 now) {
  struct Bio* entry = bio_at(dev, sector);
  if (!entry || entry->left != 0) entry = bio_at(dev, FLUSH_SECTOR);
  if (!entry) return;
  u32 generation;
  struct Line* line = line_of_entry(entry, &generation);
  if (line) {
    line->seen.flush_ns = now;
    look_whose(line, generation);
  }
  entry->address = 0;
}

// How many sectors of the bio that begins here are done with.
__attribute__((noinline)) u64 done_at(u32 dev, u64 sector, u64 sectors, u64 now) {
  struct Bio* entry = bio_at(dev, sector);
  if (!entry) return kMostStep;
  const u64 left = entry->left, moved = left < sectors ? left : sectors;
  u32 generation;
  struct Line* line = line_of_entry(entry, &generation);
  if (line) {
    line->seen.done_ns = now;
    __sync_fetch_and_sub(&line->seen.balance, moved);
    look_whose(line, generation);
  }
  if (moved < left) {
    cut(entry, entry->sector + moved, left - moved);
    entry->address = 0;
    return moved;
  }
  entry->left = 0;
  if (!completes_again(entry)) forget(entry);
  return moved;
}

// That of a flush itself lies nowhere (2^64 - 1); with no sectors what it was for is over.
SECTION("tp/block/block_rq_complete") int on_request_done(void* record) {
  struct Place at = place_in(record, kRequestDoneRecord);
  const u64 now = bpf_ktime_get_ns();
  if (at.sector == FLUSH_SECTOR) return kDone;
  if (at.sectors == 0) flush_ends(at.dev, at.sector, now);
  for (int i = 0; i < kMostSteps && at.sectors > 0; ++i) step_on(&at, done_at(at.dev, at.sector, at.sectors, now));
  if (at.sectors > 0) __sync_fetch_and_add(&counts.beyond, 1);
  return kDone;
}
