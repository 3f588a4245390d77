// The memory that a job's loop and the kernel's programs share (the latency split): how it is laid out, for both of
// them. Compiled as C by the program's compiler (pmu/trace/programs/split.bpf.c) and as C++ by everybody else.
//
// Problem: the loop knows which I/O it submits and when, the kernel's tracepoints know what becomes of a bio, and
// neither knows the other's name for it. To bring them together afterwards (two streams of events, matched by sector,
// process and order in time) loses exactly the I/Os that are worth a look: those that a limit held and another task
// queued.
//
// Choice: before it submits, the loop writes down where the I/O goes, in a line of its own slot, and enters the slot in
// a table under the hash of its place. The program on block_bio_queue looks the bio's first sector up in that table, puts
// the bio's address and the slot into an array of its own, and the other programs find the slot by the address. Each
// writes its moment into the slot's line, where the loop reads them when it has the I/O back. Nothing is sent, and
// nothing is matched later. Two cache lines an I/O: the loop's and the programs'.
//
// Trust: each index out of this memory is checked where it is used, and what the programs write is counted, never
// followed. A line's generation is 0 while nothing of the slot is in flight, and another one for each I/O; an entry of a
// bio carries it, so that what ends late is nobody's. Times: CLOCK_MONOTONIC, ns. Sectors: 512 bytes, of the whole disk.
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

// Written by the loop, before the submitting call.
struct Published {
  unsigned generation;  // written last, and made 0 first
  unsigned dev;         // the disk, as the kernel numbers it inside (major << 20 | minor)
  unsigned sectors;     // of all pieces
  unsigned pieces;      // 0: where it lies is not known
  struct Piece piece[kPieces];
};

// Written by the programs, emptied by the loop before it publishes. Of several bios queue_ns, request_ns and issue_ns
// are the first's, done_ns the last's; flush_ns is the end of a flush that follows the data.
struct Seen {
  unsigned long long queue_ns, request_ns, issue_ns, done_ns, flush_ns;
  unsigned long long balance;  // sectors: those that were queued << 32 | those of them that are not done
  unsigned flags;              // kBy..., of the first bio
  unsigned contested;          // kSameSectors, kNoRoom; 0: what the programs wrote is all of it, and its own
  // For how long the task that queued the I/O has waited for a CPU in its life, in units of 16 ns, as it queued, and as
  // the data came back (sched_info.run_delay): what is added to it until it queues the next is the wait for a CPU.
  unsigned delay_at_queue, delay_at_done;
};
// kSameSectors: another I/O was at the same sectors, or a program wrote too late. kNoRoom: a bio of it was not followed,
// for the table of bios under way was full.
enum { kSameSectors = 1, kNoRoom = 2 };
enum { kByWorker = 1, kByKernel = 2, kFlushFirst = 4, kByOwnTask = 8, kThrottledDirty = 16, kDelayUnit_shift = 4 };
enum { kThroughCache = 256 };  // it asks the device to write through its cache (FUA)
// Of flags, how an fsync ended, or what a write with sync= does like it: kOnlyData, it was an fdatasync; kLogForced, it
// asked xfs for its log; kCommitTold, ext4 needed the transaction whose number's lower 23 bits stand above kCommit_shift.
enum { kOnlyData = 32, kLogForced = 64, kCommitTold = 128, kCommit_shift = 9, kCommitMask = 0x7FFFFF };

struct Line {
  struct Published published;
  struct Seen seen;
};

// Where a slot is found by its place. Each piece of an I/O is entered under the hash of its first sector: that is where
// its first bio begins, and nearly always there is no other. One that is too long for one bio is entered under its
// granule as well: a granule is as large as the largest I/O, so that a piece lies in two at most, and a bio that begins
// anywhere in it is found. Only long I/Os are, and those over extents that writing cuts, for thirty
// short ones in one granule would crowd one bucket.
struct Bucket {
  unsigned long long way[kWays];  // tag << 32 | slot; tag: further bits of the hash, odd; 0: nothing
};

// A loop's task, and the slot of the I/O that it is submitting: always the same one of a loop that has one at a time; of
// a loop of io_uring the one that it was last seen to submit (io_uring_submit_req, whose user_data is the loop's own
// number of the slot). Entries from task & mask on, kWays at most.
struct Task {
  unsigned task, slot;    // task 0: nothing. slot kNoSlot: none yet
  unsigned first, slots;  // the loop's share of slots
};
#define FATHOM_SPLIT_NO_SLOT 0xFFFFFFFFu

// What was over, at a place, whoever began it: reads ahead of what was asked for, and commits of a journal. In rings that
// the programs write and whoever waits looks through: what has been added since it was submitted. end_ns is written last.
struct Over {
  unsigned long long begin_ns, end_ns;
  unsigned long long sector;
  unsigned sectors, dev;  // of a commit: 0, and the device of the file system; `sector` is the transaction's number
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
