// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What the kernel does for the latency split: a program on each of five tracepoints of the block layer, which finds the
// slot of the loop that an I/O belongs to and writes the moment into it (split/region.h), and a few on others for jobs
// that need them: what io_uring submits, commits of a journal, waiting for write-back. Compiled at build by clang for
// the BPF machine, loaded with its offsets corrected for the running kernel (CO-RE), attached as BTF raw tracepoints: such
// a point costs its caller 65 to 85 ns before it does anything, a classic one 200.
//
// Each return, of a helper as of a function of one's own, is dear where the kernel guards against speculation (10 ns with
// "Safe RET"): on the way of an ordinary I/O there are two an event, the clock's and the current task's.
//
// A bio's address is its name. The verifier lets no pointer be used as a number, but the difference of two pointers is
// one: `base` is what addresses are counted from.
//
// Of a bio that the kernel splits (block_split) the front parts are new bios that were never queued. They have no entry,
// but they know the whole that waits for them (bi_private), and of every request only what it moved is taken off the
// balance. A write that is followed by a flush completes twice: with its data, and with no bytes when the flush is over.
//
// Reads ahead belong to nobody: several I/Os may wait for one. They have an entry without a slot, and where they lay and
// when they were over goes into a ring (struct Past), as does every commit of a journal.
#include "pmu/trace/programs/split_slots.bpf.h"

enum { kOpenCommits = 16 };
enum { kIoWorker = 0x10, kKernelThread = 0x200000 };  // of task_struct.flags (include/linux/sched.h)
enum { kFieldOffset = 0, kFieldExists = 2 };          // of __builtin_preserve_field_info

// Of the kernel's types only what is read; where it lies is looked up when the program is loaded.
struct gendisk {
  int major, first_minor;
} OF_KERNEL;
struct block_device {
  u32 bd_dev;
  struct gendisk* bd_disk;
} OF_KERNEL;
struct bvec_iter {
  u64 bi_sector;
  u32 bi_size;
} OF_KERNEL;
struct bio {
  struct bio* bi_next;
  struct block_device* bi_bdev;
  u32 bi_opf;
  unsigned char bi_status;
  void* bi_private;
  struct bvec_iter bi_iter;
} OF_KERNEL;
struct request {
  struct bio* bio;
} OF_KERNEL;
struct sched_info {
  u64 run_delay;
} OF_KERNEL;
struct task_struct {
  u32 flags;
  void* worker_private;
  struct sched_info sched_info;
} OF_KERNEL;
struct io_wq_work {
  int flags;
} OF_KERNEL;
struct io_worker {
  struct io_wq_work* cur_work;
} OF_KERNEL;
struct io_cqe {
  u64 user_data;
} OF_KERNEL;
struct io_kiocb {
  struct io_cqe cqe;
  struct io_wq_work work;
} OF_KERNEL;
struct journal_s {
  struct block_device* j_fs_dev;
} OF_KERNEL;
struct transaction_s {
  u32 t_tid;
} OF_KERNEL;
struct inode {
} OF_KERNEL;
struct ext4_inode_info {
  struct inode vfs_inode;
  u32 i_sync_tid, i_datasync_tid;
} OF_KERNEL;
struct super_block {
  u32 s_dev;
} OF_KERNEL;
struct xfs_mount {
  struct super_block* m_super;
} OF_KERNEL;
struct xlog {
  struct xfs_mount* l_mp;
} OF_KERNEL;
struct xlog_in_core {
  struct xlog* ic_log;
} OF_KERNEL;

static u64 (*const bpf_get_current_task)(void) = (void*)35;
static struct task_struct* (*const bpf_get_current_task_btf)(void) = (void*)158;

// A commit under way, by its journal.
struct OpenCommit {
  u64 journal, begin_ns;
};
struct {
  int (*type)[kArray];
  int (*max_entries)[kOpenCommits];
  u32* key;
  struct OpenCommit* value;
} open_commits SECTION(".maps");

u64 base;
INLINED u64 number_of(void* pointer) {
  u64 number = (u64)pointer;
  asm volatile("%0 -= %1" : "+r"(number) : "r"(&base));
  return number;
}
// Of what the verifier holds for a number already. Where `base` lies itself follows from the current task, which there is
// both as a number and as a pointer.
INLINED u64 base_word(void) {
  if (counts.base_word == 0) counts.base_word = bpf_get_current_task() - number_of(bpf_get_current_task_btf());
  return counts.base_word;
}
INLINED u64 number_of_word(u64 word) { return word - base_word(); }

INLINED u32 disk_of(struct bio* bio) {
  struct gendisk* disk = bio->bi_bdev->bd_disk;
  return (u32)disk->major << 20 | (u32)disk->first_minor;
}

// A worker of io_uring works for one request at a time, which on_submit() has entered.
INLINED u32 slot_of_worker(struct task_struct* task) {
  u64 work = 0;
  const u64 at =
      (u64)task->worker_private + __builtin_preserve_field_info(((struct io_worker*)0)->cur_work, kFieldOffset);
  if (bpf_probe_read_kernel(&work, sizeof work, (void*)at) != 0 || work == 0) return kNone;
  work -= __builtin_preserve_field_info(((struct io_kiocb*)0)->work, kFieldOffset);
  struct Bio* entry = entry_of(number_of_word(work));
  if (!entry) return kNone;
  const u32 slot = entry->slot;
  struct Line* line = bpf_map_lookup_elem(&lines, &slot);
  return line && line->published.generation == entry->generation ? slot : (u32)kNone;
}

// Of the I/O that the task is busy with.
__attribute__((noinline)) int slot_under_way(void) {
  struct task_struct* task = bpf_get_current_task_btf();
  if (setup.submissions != 0 && (task->flags & kIoWorker) != 0) return slot_of_worker(task);
  struct Task* found = followed_task();
  return found ? (int)found->slot : kNone;
}

// A loop that has one I/O at a time has one slot: what its task queues meanwhile is that I/O's. A page fault reads from
// before the page on, and where a file grows to is not known before.
__attribute__((noinline)) int slot_of_task(u32 dev, u64 sector, u64 end) {
  const u32 slot = slot_under_way();
  struct Line* line = bpf_map_lookup_elem(&lines, &slot);
  return line && may_be_of(&line->published, dev, sector, end) ? (int)slot : kNone;
}

// For how long a task has waited for a CPU in its life, in the units of struct Seen. task: its number.
INLINED u32 delay_now(struct task_struct* current) {
  if (!__builtin_preserve_field_info(((struct task_struct*)0)->sched_info.run_delay, kFieldExists)) return 0;
  return (u32)(current->sched_info.run_delay >> kDelayUnit_shift);
}
__attribute__((noinline)) u32 delay_elsewhere(u64 task) {
  u64 delay = 0;
  if (!__builtin_preserve_field_info(((struct task_struct*)0)->sched_info.run_delay, kFieldExists)) return 0;
  const u64 at =
      task + base_word() + __builtin_preserve_field_info(((struct task_struct*)0)->sched_info.run_delay, kFieldOffset);
  if (bpf_probe_read_kernel(&delay, sizeof delay, (void*)at) != 0) return 0;
  return (u32)(delay >> kDelayUnit_shift);
}
INLINED u32 delay_of(u64 task) {
  struct task_struct* current = bpf_get_current_task_btf();
  return number_of(current) == task ? delay_now(current) : delay_elsewhere(task);
}

// Of a write that sleeps until enough has been written back: its own pages may be among them, and it does not wait for
// those.
INLINED int is_write_back(const struct Line* line) {
  return (line->seen.flags & kThrottledDirty) != 0 && (bpf_get_current_task_btf()->flags & kKernelThread) != 0;
}

SECTION("tp_btf/block_bio_queue") int on_queue(u64* arguments) {
  struct bio* bio = (struct bio*)arguments[0];
  const u32 dev = disk_of(bio);
  const u64 sector = bio->bi_iter.bi_sector;
  // A flush has neither sectors nor a place.
  u32 slot = bio->bi_iter.bi_size == 0 ? (u32)kNone : (u32)slot_at(dev, sector);
  if (slot == (u32)kNone) slot = slot_of_task(dev, sector, sector + (bio->bi_iter.bi_size >> 9));
  struct Line* line = bpf_map_lookup_elem(&lines, &slot);
  const u32 flags = bio->bi_opf;
  if (line && is_log_write(&line->published, flags, bio->bi_iter.bi_size)) return 0;
  if (line && is_write_back(line)) return 0;
  const int ahead = setup.disks[0] != 0 && (flags & kAhead) != 0 && is_followed(dev);
  if (!line && !ahead) return 0;
  const u32 generation = line ? NOW(line->published.generation) : 0;
  const u64 now = bpf_ktime_get_ns(), address = number_of(bio);
  struct Bio* entry = new_entry(address);
  if (!entry) return not_followed(line, generation);
  const u64 sectors = bio->bi_iter.bi_size >> 9;
  entry->task = 0;
  entry->generation = generation;
  if (line) {
    struct task_struct* task = bpf_get_current_task_btf();
    const u32 kind = task->flags & (kIoWorker | kKernelThread);
    if (kind == 0) entry->task = number_of(task);
    const u64 before = __sync_fetch_and_add(&line->seen.balance, sectors << 32 | sectors);
    if (before >> 32 == 0) {
      if ((line->seen.flags & kThrottledDirty) != 0) line->seen.request_ns = 0;  // it slept, and writes itself now
      line->seen.queue_ns = now;
      line->seen.flags = (line->seen.flags & kOnlyData) | (kind == 0                     ? kByOwnTask
                                                           : (kind & kKernelThread) != 0 ? kByKernel
                                                                                         : kByWorker);
      if ((flags & kPreflush) != 0) line->seen.flags |= kFlushFirst;
      if ((flags & kFua) != 0) line->seen.flags |= kThroughCache;
      if (kind == 0) line->seen.delay_at_queue = line->seen.delay_at_done = delay_now(task);
    }
    look_whose(line, generation);
  }
  entry->slot = slot;
  entry->left = sectors;
  entry->flags = ahead ? flags : flags & ~kAhead;
  entry->sector = sector;
  entry->sectors = sectors;
  entry->dev = dev;
  entry->begin_ns = now;
  entry->address = address;
  return 0;
}

INLINED void note_delay(struct Line* line, const struct Bio* entry) {
  if (entry->task != 0) line->seen.delay_at_done = delay_of(entry->task);
}
INLINED void note_done(struct Line* line, const struct Bio* entry, u64 now) {
  line->seen.done_ns = now;
  note_delay(line, entry);
}
INLINED void note_flushed(struct Line* line, const struct Bio* entry, u64 now) {
  line->seen.flush_ns = now;
  note_delay(line, entry);
}

// Comes for bios of devices that make no requests; also of the parts of a bio that was split, which have no entry, and
// whose end the whole waits for. Of other devices for those that ended before they had a request: io_uring submits once
// without waiting, and where that would have to wait (a bio that must be split) a worker of it submits again.
SECTION("tp_btf/block_bio_complete") int on_bio_done(u64* arguments) {
  struct bio* bio = (struct bio*)arguments[1];
  struct Bio* entry = entry_of(number_of(bio));
  if (!entry) return 0;
  u32 generation;
  struct Line* line = line_of_entry(entry, &generation);
  const int flush = is_flush(entry);
  if (bio->bi_status != 0) entry->sectors = 0;
  if (line) {
    if (flush)
      note_flushed(line, entry, bpf_ktime_get_ns());
    else
      note_done(line, entry, bpf_ktime_get_ns());
    const u64 left = entry->left;
    __sync_fetch_and_sub(&line->seen.balance, bio->bi_status == 0 ? left : left << 32 | left);
    look_whose(line, generation);
  }
  forget(entry);
  return 0;
}

// entry: of the bio, or of the whole that it is a part of.
INLINED struct Line* line_of(struct bio* bio, struct Bio** entry, u32* generation) {
  struct Bio* whole = entry_of(number_of(bio));
  if (!whole) whole = entry_of(number_of_word((u64)bio->bi_private));
  *entry = whole;
  return whole ? line_of_entry(whole, generation) : 0;
}

// It has a request: a tag of the device, and the leave of whoever limits. One that was merged gets none.
SECTION("tp_btf/block_getrq") int on_request(u64* arguments) {
  struct bio* bio = (struct bio*)arguments[0];
  struct Bio* entry;
  u32 generation;
  struct Line* line = bio->bi_iter.bi_size == 0 ? 0 : line_of(bio, &entry, &generation);
  if (!line || line->seen.request_ns != 0) return 0;
  line->seen.request_ns = bpf_ktime_get_ns();
  look_whose(line, generation);
  return 0;
}

// The bios of a request: the first few are followed by a plain loop, which is all that most requests need; the others by
// the kernel's loop helper (Linux 5.17). The verifier checks its body once, however many bios there are.
struct Merged {
  struct bio* bio;
  u64 now;
  u32 bytes;  // that are done and not yet given to a bio
};
enum bpf_func_id { BPF_FUNC_loop = 181 };
enum { kEnumValueExists = 0, kFirstMerged = 4, kMostUnrolled = 32 };
static long (*const bpf_loop)(u32 most, void* step, void* context, u64 flags) = (void*)BPF_FUNC_loop;
INLINED int has_loop(void) {
  return __builtin_preserve_enum_value(*(enum bpf_func_id*)BPF_FUNC_loop, kEnumValueExists) != 0;
}
#define EACH_OF(merged, one, other)                                                   \
  for (int i = 0; i < (has_loop() ? kFirstMerged : kMostUnrolled); ++i)               \
    if (one(&merged) != 0) return 0;                                                  \
  if (has_loop() && merged.bio) bpf_loop(kMostMerged, other, &merged, 0);             \
  if (merged.bio) __sync_fetch_and_add(&counts.beyond, 1);                            \
  return 0

// 1: it was the last.
INLINED int issue_one(struct Merged* merged) {
  struct bio* bio = merged->bio;
  if (!bio) return 1;
  struct Bio* entry;
  u32 generation;
  struct Line* line = line_of(bio, &entry, &generation);
  if (line && line->seen.issue_ns == 0) {
    line->seen.issue_ns = merged->now;
    look_whose(line, generation);
  }
  merged->bio = bio->bi_next;
  return 0;
}
static long issue_other(u64 number, struct Merged* merged) { return issue_one(merged); }

SECTION("tp_btf/block_rq_issue") int on_issue(u64* arguments) {
  struct Merged merged = {((struct request*)arguments[0])->bio, bpf_ktime_get_ns(), 0};
  EACH_OF(merged, issue_one, issue_other);
}

INLINED int end_one(struct Merged* merged) {
  struct bio* bio = merged->bio;
  if (!bio) return 1;
  const u32 size = bio->bi_iter.bi_size, moved = size < merged->bytes ? size : merged->bytes;
  struct Bio* entry;
  u32 generation;
  struct Line* line = line_of(bio, &entry, &generation);
  const u64 sectors = moved >> 9;
  if (line) {
    note_done(line, entry, merged->now);
    __sync_fetch_and_sub(&line->seen.balance, sectors);
    look_whose(line, generation);
  }
  // Parts end in any order, and each looks for the whole.
  if (entry && __sync_fetch_and_sub(&entry->left, sectors) == sectors && !completes_again(entry)) forget(entry);
  merged->bytes -= moved;
  merged->bio = merged->bytes == 0 ? 0 : bio->bi_next;
  return merged->bytes == 0;
}
static long end_other(u64 number, struct Merged* merged) { return end_one(merged); }

SECTION("tp_btf/block_rq_complete") int on_request_done(u64* arguments) {
  struct Merged merged = {((struct request*)arguments[0])->bio, bpf_ktime_get_ns(), (u32)arguments[2]};
  if (merged.bytes == 0) {
    if (!merged.bio) return 0;
    struct Bio* entry;
    u32 generation;
    struct Line* line = line_of(merged.bio, &entry, &generation);
    if (line) {
      note_flushed(line, entry, merged.now);
      look_whose(line, generation);
    }
    if (entry) entry->address = 0;
    return 0;
  }
  EACH_OF(merged, end_one, end_other);
}

// io_uring takes a request in hand: what its task queues from here on is that one's, and a worker that it is given to
// finds it by its address. The tracepoint had another name up to Linux 6.2.
INLINED int submits(struct io_kiocb* request) {
  struct Task* found = followed_task();
  const u64 number = request->cqe.user_data;
  if (!found || number >= found->slots) return 0;
  const u32 slot = found->first + (u32)number;
  found->slot = slot;
  struct Line* line = bpf_map_lookup_elem(&lines, &slot);
  const u64 address = number_of(request);
  struct Bio* entry = line ? new_entry(address) : 0;
  if (!entry) return 0;
  entry->slot = slot;
  entry->generation = line->published.generation;
  entry->left = entry->sectors = entry->flags = 0;
  entry->task = 0;
  entry->address = address;
  return 0;
}
SECTION("tp_btf/io_uring_submit_req") int on_submit(u64* arguments) { return submits((struct io_kiocb*)arguments[0]); }
SECTION("tp_btf/io_uring_submit_sqe") int on_submit_before_6_3(u64* arguments) {
  return submits((struct io_kiocb*)arguments[0]);
}

// A task that has made too many pages dirty is about to sleep. That of a write which queues nothing itself.
SECTION("tp_btf/balance_dirty_pages") int on_dirty(u64* arguments) {
  const u32 slot = slot_under_way();
  struct Line* line = bpf_map_lookup_elem(&lines, &slot);
  if (!line || line->published.generation == 0 || line->seen.balance != 0 || line->seen.request_ns != 0) return 0;
  line->seen.flags = kThrottledDirty;
  line->seen.request_ns = bpf_ktime_get_ns();
  return 0;
}

// Commits of a journal, by whoever commits.
INLINED struct OpenCommit* commit_of(u64 journal) {
  const u32 at = (u32)((journal >> 6) * FATHOM_SPLIT_HASH >> 60);
  return bpf_map_lookup_elem(&open_commits, &at);
}
INLINED int commit_begins(u64 journal) {
  struct OpenCommit* commit = commit_of(journal);
  if (!commit) return 0;
  commit->journal = journal;
  commit->begin_ns = bpf_ktime_get_ns();
  return 0;
}
INLINED int commit_ends(u64 journal, u64 number, u32 dev) {
  struct OpenCommit* commit = commit_of(journal);
  const u32 first = 0;
  struct Past* all = bpf_map_lookup_elem(&past, &first);
  if (!commit || commit->journal != journal || !all) return 0;
  note_over(&all->commit[__sync_fetch_and_add(&all->commits, 1) % kCommits], commit->begin_ns, number, 0, dev);
  commit->journal = 0;
  return 0;
}
SECTION("tp_btf/jbd2_start_commit") int on_commit_begins(u64* arguments) {
  return commit_begins(number_of((void*)arguments[0]));
}
SECTION("tp_btf/jbd2_end_commit") int on_commit_ends(u64* arguments) {
  struct journal_s* journal = (struct journal_s*)arguments[0];
  struct transaction_s* transaction = (struct transaction_s*)arguments[1];
  return commit_ends(number_of(journal), transaction->t_tid, journal->j_fs_dev->bd_dev);
}
INLINED struct Line* line_under_way(void) {
  const u32 slot = slot_under_way();
  struct Line* line = bpf_map_lookup_elem(&lines, &slot);
  return line && line->published.generation != 0 ? line : 0;
}
// ext4 keeps with each file which transaction has its last change, and which the last that an fdatasync must not lose. It
// is known for good when its data is written: with that blocks are given to it.
SECTION("tp_btf/ext4_sync_file_enter") int on_file_sync(u64* arguments) {
  struct Line* line = line_under_way();
  if (line && (u32)arguments[1] != 0) line->seen.flags |= kOnlyData;
  return 0;
}
SECTION("tp_btf/ext4_sync_file_exit") int on_file_synced(u64* arguments) {
  struct Line* line = line_under_way();
  if (!line) return 0;
  const u64 info = arguments[0] - __builtin_preserve_field_info(((struct ext4_inode_info*)0)->vfs_inode, kFieldOffset);
  const u64 at = info + ((line->seen.flags & kOnlyData) != 0
                             ? __builtin_preserve_field_info(((struct ext4_inode_info*)0)->i_datasync_tid, kFieldOffset)
                             : __builtin_preserve_field_info(((struct ext4_inode_info*)0)->i_sync_tid, kFieldOffset));
  u32 number = 0;
  if (bpf_probe_read_kernel(&number, sizeof number, (void*)at) != 0) return 0;
  line->seen.flags = (line->seen.flags & ((1 << kCommit_shift) - 1)) | kCommitTold | number << kCommit_shift;
  return 0;
}
// xfs writes its log in pieces, each under way by itself; an fsync asks for it when its data is written.
SECTION("tp_btf/xfs_log_force") int on_log_force(u64* arguments) {
  struct Line* line = line_under_way();
  if (!line) return 0;
  line->seen.flags |= kLogForced;
  if (line->published.sectors == 0 && line->seen.request_ns == 0) line->seen.request_ns = bpf_ktime_get_ns();
  return 0;
}
SECTION("tp_btf/xlog_iclog_syncing") int on_log_write_begins(u64* arguments) {
  return commit_begins(number_of((void*)arguments[0]));
}
SECTION("tp_btf/xlog_iclog_sync_done") int on_log_write_ends(u64* arguments) {
  struct xlog_in_core* piece = (struct xlog_in_core*)arguments[0];
  return commit_ends(number_of(piece), 0, piece->ic_log->l_mp->m_super->s_dev);
}
