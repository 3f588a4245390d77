// The layout of the memory that a job's loop and the BPF programs share (latency breakdown). The BPF compiler compiles
// this file as C (pmu/trace/programs/split.bpf.c), all others as C++.
//
// Problem: the loop knows which I/O it submits and when. The kernel's tracepoints show what happens to a bio. Neither
// has the other's name for it. Matching afterwards (two streams of events, by sector, process and order in time) loses
// exactly the interesting I/Os: those that were throttled and then queued by another task.
//
// Choice: before it submits, the loop writes the I/O's location into the line of its slot, and enters the slot in a
// table under the hash of the location. The program on block_bio_queue looks up the bio's first sector in that table,
// and puts the bio's address and the slot into a separate array. The other programs find the slot by the address. Each
// writes its moment into the slot's line, where the loop reads it after the completion. No events are sent or matched
// later. An I/O has two cache lines: the loop's and the programs'.
//
// Trust: each index from this memory is checked where it is used. Values that the programs write are counted, never
// followed. A line's generation is 0 while the slot has no I/O in flight, and differs for each I/O. A bio's entry has a
// copy of it, so that a late completion is not attributed to another I/O. Times: CLOCK_MONOTONIC, ns. Sectors: 512
// bytes, of the whole disk.
#pragma once
#ifdef __cplusplus
namespace fathom::split {
#endif

enum { kPieces = 3, kWays = 4 };

struct Piece {
  unsigned long long sector;
  unsigned sectors;
  unsigned reserved;  // 1: bios may begin anywhere in it (place_map.h)
};

// The loop writes this before the submitting call.
struct Published {
  unsigned generation;  // set to 0 first, written last
  unsigned dev;         // the disk, as the kernel numbers it internally (major << 20 | minor)
  unsigned sectors;     // of all pieces
  unsigned pieces;      // 0: location unknown
  struct Piece piece[kPieces];
};

// The programs write this; the loop clears it before it publishes. If there are several bios, queue_ns, request_ns and
// issue_ns are the first one's, done_ns the last one's. flush_ns is the end of a flush that follows the data.
struct Seen {
  unsigned long long queue_ns, request_ns, issue_ns, done_ns, flush_ns;
  unsigned long long balance;  // queued sectors << 32 | those of them that are not done
  unsigned flags;              // kBy..., of the first bio
  unsigned contested;          // kSameSectors, kNoRoom; 0: the programs' values are complete and belong to this I/O
  // Total CPU wait of the task that queued the I/O, in units of 16 ns, when it queued, and when the data came back
  // (sched_info.run_delay). The increase until the task queues its next I/O is the CPU wait.
  unsigned delay_at_queue, delay_at_done;
};
// kSameSectors: another I/O was at the same sectors, or a program wrote too late. kNoRoom: one of its bios was not
// traced, since the table of bios in flight was full.
enum { kSameSectors = 1, kNoRoom = 2 };
enum { kByWorker = 1, kByKernel = 2, kFlushFirst = 4, kByOwnTask = 8, kThrottledDirty = 16, kDelayUnit_shift = 4 };
enum { kThroughCache = 256 };  // it requests a write through the device's cache (FUA)
// Flags for the end of an fsync, or of a write with sync=: kOnlyData: it was an fdatasync. kLogForced: it requested a
// log write of xfs. kCommitTold: ext4 needed a transaction; the lower 23 bits of its number are above kCommit_shift.
enum { kOnlyData = 32, kLogForced = 64, kCommitTold = 128, kCommit_shift = 9, kCommitMask = 0x7FFFFF };

struct Line {
  struct Published published;
  struct Seen seen;
};

// Finds a slot by location. Each piece of an I/O is entered under the hash of its first sector: its first bio begins
// there, and nearly always there is no other. A piece that is too long for one bio is also entered under its granule. A
// granule is as large as the largest I/O: a piece overlaps at most two, and a bio that begins anywhere in it is found.
// This is limited to long I/Os, and to those over extents that a write splits, since thirty short ones in one granule
// would crowd one bucket.
struct Bucket {
  unsigned long long way[kWays];  // tag << 32 | slot; tag: further bits of the hash, odd; 0: empty
};

// A loop's task, and the slot of the I/O that it is submitting. For a loop with one I/O at a time it is always the same
// slot. For a loop of io_uring it is the slot that the task was last seen to submit (io_uring_submit_req, with the
// loop's slot number as user_data). Entries start at task & mask, kWays at most.
struct Task {
  unsigned task, slot;    // task 0: empty entry. slot FATHOM_SPLIT_NO_SLOT: none yet
  unsigned first, slots;  // the loop's share of slots
};
#define FATHOM_SPLIT_NO_SLOT 0xFFFFFFFFu

// Finished operations that an I/O may have waited for, regardless of the task that began them: read-ahead with its
// location, and journal commits. The programs write these rings. A waiter looks through the entries added since its
// submission. end_ns is written last.
struct Over {
  unsigned long long begin_ns, end_ns;
  unsigned long long sector;
  // of a commit: sectors is 0, dev is the file system's device, and `sector` is the number of the transaction
  unsigned sectors, dev;
};
enum { kAheads = 256, kCommits = 64 };
struct Past {
  unsigned long long aheads, commits;  // written so far
  unsigned long long spare[2];
  struct Over ahead[kAheads], commit[kCommits];
};

#define FATHOM_SPLIT_HASH 0x9E3779B97F4A7C15ull
static inline unsigned long long place_hash(unsigned dev, unsigned long long sector) {
  return (sector ^ (unsigned long long)dev << 36) * FATHOM_SPLIT_HASH;
}
static inline unsigned long long granule_hash(unsigned dev, unsigned long long granule) {
  return place_hash(dev, ~granule);
}
static inline unsigned place_tag(unsigned long long hash) { return (unsigned)(hash >> 8) | 1; }

#ifdef __cplusplus
static_assert(sizeof(Published) == 64 && sizeof(Seen) == 64 && sizeof(Bucket) == 32);
}  // namespace fathom::split
#endif
