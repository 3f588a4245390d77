// Fsync and its like: its own data, a commit of the journal that ran before its own, its own, a flush; what other
// journals do is nothing of it, and what no events tell apart stays whole. And writes with sync=, which wait as it does.
#include <gtest/gtest.h>

#include <functional>

#include "split/one_worker.h"

namespace fathom::split {
namespace {

using result::Part;
using result::Undivided;
using testing::FakeKernel;
using testing::kDisk;
using testing::kFirstSector;
using testing::kOtherDisk;
using testing::kStart;
using testing::OneWorker;
using testing::Sums;

enum SyncTarget : std::uint16_t { kRaw, kJournaled, kLayered, kUntold, kNumbered };

PlaceMap with(Journal journal) {
  auto map = PlaceMap::device(kDisk, kFirstSector);
  map.journal = journal;
  return map;
}
std::vector<PlaceMap> maps() {
  return {with({}), with({.dev = kDisk}), with({.dev = Journal::kAny}), with({.dev = kDisk, .only_whole = true}),
          with({.dev = kDisk, .told = true})};
}
using Happens = std::function<void(FakeKernel&)>;

// One fsync of 1000 ns. All of it is explained.
Sums sync_of(std::uint16_t target, const Happens& happens) {
  OneWorker worker({}, maps());
  worker.recorder.follow_this_task(true);
  worker.publish(0, io::Dir::sync, target);
  happens(worker.kernel);
  worker.take(0, io::Dir::sync);
  worker.recorder.end();
  const auto& syncs = worker.of(io::Dir::sync);
  EXPECT_EQ(syncs.ios, 1u);
  EXPECT_EQ(syncs.joined, 1u);
  EXPECT_EQ(syncs.whole.moments.sum, 1000u);
  EXPECT_EQ(syncs.outside, 0u);
  const Sums sums = worker.sums(io::Dir::sync);
  std::uint64_t all = 0;
  for (const auto& [part, ns] : sums) all += ns;
  EXPECT_EQ(all, 1000u);
  EXPECT_EQ(worker.of(io::Dir::read).ios + worker.of(io::Dir::write).ios, 0u);
  return sums;
}
void data(FakeKernel& kernel, std::uint64_t done, unsigned flags = kByOwnTask) {
  kernel.queue(0, 8, kStart + 10, flags);
  kernel.request(0, kStart + 20);
  kernel.issue(0, kStart + 30);
  kernel.done(0, 8, kStart + done);
}
void commit(FakeKernel& kernel, std::uint64_t begin, std::uint64_t end, std::uint32_t dev = kDisk) {
  kernel.commit(dev, kStart + begin, kStart + end);
}
void numbered(FakeKernel& kernel, std::uint32_t number, std::uint64_t begin, std::uint64_t end) {
  kernel.commit(kDisk, kStart + begin, kStart + end, number);
}

TEST(RecorderSync, OfWhichNothingWasSeenIsTheFileSystems) {
  for (const std::uint16_t target : {kRaw, kJournaled, kLayered, kUntold})
    EXPECT_EQ(sync_of(target, [](FakeKernel&) {}), (Sums{{"file_system", 1000}})) << target;
}

TEST(RecorderSync, WritesItsDataBack) {
  const Sums wanted{{"data", 300}, {"completion", 700}};
  for (const std::uint16_t target : {kRaw, kJournaled, kLayered})
    EXPECT_EQ(sync_of(target, [](FakeKernel& k) { data(k, 300); }), wanted) << target;
  EXPECT_EQ(sync_of(kRaw, [](FakeKernel& k) { data(k, 300, kByWorker); }), wanted) << "by a worker of io_uring";
}

TEST(RecorderSync, OfADeviceIsAFlush) {
  const auto flush = [](FakeKernel& k) {
    k.queue(0, 0, kStart + 10);
    k.flushed(0, kStart + 900);
  };
  EXPECT_EQ(sync_of(kRaw, flush), (Sums{{"flush", 900}, {"completion", 100}}));
}

TEST(RecorderSync, MayHaveDataAndAFlush) {
  const auto both = [](FakeKernel& k) {
    data(k, 300);
    k.flushed(0, kStart + 900);
  };
  EXPECT_EQ(sync_of(kJournaled, both), (Sums{{"data", 300}, {"flush", 600}, {"completion", 100}}));
}

TEST(RecorderSync, WaitsForItsCommitBehindItsData) {
  const auto own = [](FakeKernel& k) {
    data(k, 300);
    commit(k, 350, 900);
  };
  const Sums wanted{{"data", 300}, {"commit", 600}, {"completion", 100}};
  EXPECT_EQ(sync_of(kJournaled, own), wanted);
  EXPECT_EQ(sync_of(kLayered, own), wanted) << "of any journal";
  EXPECT_EQ(sync_of(kRaw, own), (Sums{{"data", 300}, {"completion", 700}})) << "it has none";
}

// Somebody else wrote its data back.
TEST(RecorderSync, WithoutDataOfItsOwnHasItsCommitFromThereOn) {
  const Sums wanted{{"data", 300}, {"commit", 600}, {"completion", 100}};
  EXPECT_EQ(sync_of(kJournaled, [](FakeKernel& k) { commit(k, 300, 900); }), wanted);
}

TEST(RecorderSync, WhoseCommitIsUnderWayAlreadyHasNothingBefore) {
  const Sums wanted{{"commit", 900}, {"completion", 100}};
  EXPECT_EQ(sync_of(kJournaled, [](FakeKernel& k) { k.commit(kDisk, kStart - 50, kStart + 900); }), wanted);
}

TEST(RecorderSync, WaitsForTheCommitThatIsUnderWayAndThenForItsOwn) {
  const auto two = [](FakeKernel& k) {
    data(k, 200);
    commit(k, 100, 400);
    commit(k, 410, 900);
  };
  EXPECT_EQ(sync_of(kJournaled, two),
            (Sums{{"data", 200}, {"others_commit", 200}, {"commit", 500}, {"completion", 100}}));
  const auto no_data = [](FakeKernel& k) {
    commit(k, 100, 400);
    commit(k, 410, 900);
  };
  EXPECT_EQ(sync_of(kJournaled, no_data), (Sums{{"others_commit", 400}, {"commit", 500}, {"completion", 100}}));
}

TEST(RecorderSync, OfThreeCommitsTheLastIsItsOwn) {
  const auto three = [](FakeKernel& k) {
    commit(k, 0, 200);
    commit(k, 200, 500);
    commit(k, 510, 900);
  };
  EXPECT_EQ(sync_of(kJournaled, three), (Sums{{"others_commit", 500}, {"commit", 400}, {"completion", 100}}));
}

TEST(RecorderSync, ACommitThatWasOverBeforeItsDataWasWrittenIsNothingOfIt) {
  const auto before = [](FakeKernel& k) {
    data(k, 300);
    commit(k, 10, 299);
  };
  EXPECT_EQ(sync_of(kJournaled, before), (Sums{{"data", 300}, {"completion", 700}}));
}

TEST(RecorderSync, ACommitThatIsOverBehindTheFlushIsNothingOfIt) {
  const auto after = [](FakeKernel& k) {
    data(k, 300);
    k.flushed(0, kStart + 800);
    commit(k, 310, 801);
  };
  EXPECT_EQ(sync_of(kJournaled, after), (Sums{{"data", 300}, {"flush", 500}, {"completion", 200}}));
  const auto late = [](FakeKernel& k) {
    data(k, 300);
    commit(k, 310, 1001);
  };
  EXPECT_EQ(sync_of(kJournaled, late), (Sums{{"data", 300}, {"completion", 700}})) << "behind it itself";
}

TEST(RecorderSync, MayHaveACommitAndThenAFlush) {
  const auto all = [](FakeKernel& k) {
    data(k, 300);
    commit(k, 310, 700);
    k.flushed(0, kStart + 900);
  };
  EXPECT_EQ(sync_of(kJournaled, all), (Sums{{"data", 300}, {"commit", 400}, {"flush", 200}, {"completion", 100}}));
}

TEST(RecorderSync, ACommitOfAnotherFileSystemIsNothingOfIt) {
  const auto other = [](FakeKernel& k) {
    data(k, 300);
    commit(k, 310, 700, kOtherDisk);
  };
  EXPECT_EQ(sync_of(kJournaled, other), (Sums{{"data", 300}, {"completion", 700}}));
  EXPECT_EQ(sync_of(kLayered, other), (Sums{{"data", 300}, {"commit", 400}, {"completion", 300}})) << "any";
}

TEST(RecorderSync, WhoseFileSystemTellsNothingIsOneWhole) {
  const auto all = [](FakeKernel& k) {
    data(k, 300);
    commit(k, 310, 700);
    k.flushed(0, kStart + 900);
  };
  EXPECT_EQ(sync_of(kUntold, all), (Sums{{"file_system", 1000}}));
  const auto open = [](FakeKernel& k) { k.queue(0, 8, kStart + 10); };
  EXPECT_EQ(sync_of(kUntold, open), (Sums{{"file_system", 1000}})) << "also with data under way";
}

// xfs says when it turns to its log.
TEST(RecorderSync, ItsDataIsWrittenAtTheLatestWhenItAsksForTheLog) {
  const auto log = [](FakeKernel& k) {
    k.request(0, kStart + 300);
    commit(k, 350, 900);
  };
  EXPECT_EQ(sync_of(kJournaled, log), (Sums{{"data", 300}, {"commit", 600}, {"completion", 100}}));
}

// A piece of the log that was on its way before is nothing of it.
TEST(RecorderSync, WhatWasOverBeforeItAskedForTheLogIsNoPartOfItsOwn) {
  const auto log = [](FakeKernel& k) {
    commit(k, 50, 200);
    k.request(0, kStart + 300);
    commit(k, 350, 900);
  };
  EXPECT_EQ(sync_of(kJournaled, log), (Sums{{"data", 300}, {"commit", 600}, {"completion", 100}}));
}

TEST(RecorderSync, ACommitBeforeItWasPublishedIsNotLookedAt) {
  OneWorker worker({}, maps());
  commit(worker.kernel, 300, 900);
  worker.publish(0, io::Dir::sync, kJournaled);
  worker.take(0, io::Dir::sync);
  worker.recorder.end();
  EXPECT_EQ(worker.sums(io::Dir::sync), (Sums{{"file_system", 1000}}));
}

TEST(RecorderSync, ACommitBeforeItsStartIsNothingOfIt) {
  EXPECT_EQ(sync_of(kJournaled, [](FakeKernel& k) { k.commit(kDisk, kStart - 50, kStart - 1); }),
            (Sums{{"file_system", 1000}}));
}

// Two end at once, on two CPUs.
TEST(RecorderSync, CommitsInTheWrongOrderAreNotOnesBehindTheOther) {
  const auto wrong = [](FakeKernel& k) {
    commit(k, 300, 900);
    commit(k, 200, 899);
  };
  EXPECT_EQ(sync_of(kJournaled, wrong), (Sums{{"data", 300}, {"commit", 600}, {"completion", 100}}));
}

// 64 are kept.
TEST(RecorderSync, OfMoreCommitsThanAreKeptTheOldestAreNotFound) {
  for (const unsigned others : {kCommits - 1u, kCommits + 0u}) {
    const auto many = [&](FakeKernel& k) {
      commit(k, 300, 900);
      for (unsigned i = 0; i < others; ++i) commit(k, 300, 950, kOtherDisk);
    };
    const Sums found{{"data", 300}, {"commit", 600}, {"completion", 100}}, nothing{{"file_system", 1000}};
    EXPECT_EQ(sync_of(kJournaled, many), others < kCommits ? found : nothing) << others;
  }
}

// ext4 tells which it needs. All are numbered as the kernel does, one after the other.
TEST(RecorderSync, OfSeveralCommitsTheOneThatItNeedsIsItsOwn) {
  const auto three = [](std::uint32_t first, std::uint32_t needed) {
    return [=](FakeKernel& k) {
      data(k, 50);
      numbered(k, first, 100, 400);
      numbered(k, (first + 1) & kCommitMask, 410, 700);
      numbered(k, (first + 2) & kCommitMask, 710, 900);
      k.needs(0, needed);
    };
  };
  const Sums second{{"data", 50}, {"others_commit", 350}, {"commit", 300}, {"completion", 300}};
  EXPECT_EQ(sync_of(kNumbered, three(5, 6)), second);
  EXPECT_EQ(sync_of(kNumbered, three(kCommitMask, 0)), second) << "numbers begin anew";
  EXPECT_EQ(sync_of(kNumbered, three(5, 5)), (Sums{{"data", 50}, {"commit", 350}, {"completion", 600}}));
}

TEST(RecorderSync, WhoseCommitHadBeenOverWaitsForNone) {
  const auto others = [](FakeKernel& k) {
    data(k, 300);
    numbered(k, 6, 310, 500);
    numbered(k, 7, 510, 700);
    k.flushed(0, kStart + 900);
    k.needs(0, 5);
  };
  EXPECT_EQ(sync_of(kNumbered, others), (Sums{{"data", 300}, {"flush", 600}, {"completion", 100}}));
  const auto before_its_data = [](FakeKernel& k) {
    data(k, 300);
    numbered(k, 5, 10, 290);
    k.needs(0, 5);
  };
  EXPECT_EQ(sync_of(kNumbered, before_its_data), (Sums{{"data", 300}, {"completion", 700}}));
}

// Another task has written to its file since, and what is told is the transaction of that.
TEST(RecorderSync, WhoseCommitIsStillToComeHasTheLastThatWas) {
  const auto older = [](FakeKernel& k) {
    numbered(k, 5, 0, 400);
    numbered(k, 6, 410, 900);
    k.needs(0, 7);
  };
  EXPECT_EQ(sync_of(kNumbered, older), (Sums{{"others_commit", 400}, {"commit", 500}, {"completion", 100}}));
}

TEST(RecorderSync, ThatAskedForNoCommitWaitsForNone) {
  const auto somebodys = [](FakeKernel& k) {
    data(k, 300);
    commit(k, 310, 900);
  };
  EXPECT_EQ(sync_of(kNumbered, somebodys), (Sums{{"data", 300}, {"completion", 700}}));
  const auto forced = [&](FakeKernel& k) {
    somebodys(k);
    k.log_forced(0);
  };
  EXPECT_EQ(sync_of(kNumbered, forced), (Sums{{"data", 300}, {"commit", 600}, {"completion", 100}}));
}

TEST(RecorderSync, WithDataThatIsNotDoneIsLost) {
  OneWorker worker({}, maps());
  worker.publish(0, io::Dir::sync);
  worker.kernel.queue(0, 8, kStart + 10);
  worker.take(0, io::Dir::sync);
  worker.recorder.end();
  EXPECT_EQ(worker.undivided(Undivided::lost, io::Dir::sync), 1u);
  EXPECT_EQ(worker.sums(io::Dir::sync), Sums{});
}

// The journal's head is written with a flush of its own before the rest.
TEST(RecorderSync, AFlushThatItsDataFollowedIsPartOfThat) {
  EXPECT_EQ(sync_of(kJournaled,
                    [](FakeKernel& kernel) {
                      kernel.flushed(0, kStart + 200);
                      data(kernel, 300);
                      commit(kernel, 400, 900);
                    }),
            (Sums{{"data", 300}, {"commit", 600}, {"completion", 100}}));
}

TEST(RecorderSync, CountsTheFlushesThatItWaitsFor) {
  OneWorker worker({}, maps());
  for (const bool flushed : {true, false, true}) {
    worker.publish(0, io::Dir::sync);
    data(worker.kernel, 300);
    if (flushed) worker.kernel.flushed(0, kStart + 900);
    worker.take(0, io::Dir::sync);
  }
  worker.recorder.end();
  EXPECT_EQ(worker.of(io::Dir::sync).flushes, 2u);
  EXPECT_EQ(worker.n(Part::flush, io::Dir::sync), 2u);
}

// What the way back of a sync waited for a CPU, by the next write of its task, which comes behind.
Sums told(std::uint16_t target, const Happens& happens, unsigned flags = kByOwnTask) {
  OneWorker worker({}, maps());
  worker.publish(0, io::Dir::sync, target);
  data(worker.kernel, 300, flags);
  happens(worker.kernel);
  worker.kernel.waited(0, 0, 10);
  worker.take(0, io::Dir::sync);
  worker.publish(0, io::Dir::write);
  worker.kernel.queue(0, 8, kStart + 10);
  worker.kernel.waited(0, 12, 12);
  worker.kernel.done(0, 8, kStart + 20);
  worker.take(0, io::Dir::write);
  return worker.sums(io::Dir::sync);
}

TEST(RecorderSync, TheWayBackIsDividedAsOfAnyOther) {
  EXPECT_EQ(told(kRaw, [](FakeKernel&) {}), (Sums{{"data", 300}, {"completion", 668}, {"cpu", 32}}));
  EXPECT_EQ(told(kRaw, [](FakeKernel& k) { k.flushed(0, kStart + 900); }),
            (Sums{{"data", 300}, {"flush", 600}, {"completion", 68}, {"cpu", 32}}));
  EXPECT_EQ(told(
                kRaw, [](FakeKernel&) {}, kByWorker),
            (Sums{{"data", 300}, {"completion", 700}}));
}

// It slept for the commit, and what it waited for a CPU is known from its data on only.
TEST(RecorderSync, BehindACommitTheWayBackIsNotDivided) {
  EXPECT_EQ(told(kJournaled, [](FakeKernel& k) { commit(k, 310, 900); }),
            (Sums{{"data", 300}, {"commit", 600}, {"completion", 100}}));
  const auto flushed = [](FakeKernel& k) {
    commit(k, 310, 700);
    k.flushed(0, kStart + 900);
  };
  EXPECT_EQ(told(kJournaled, flushed),
            (Sums{{"data", 300}, {"commit", 400}, {"flush", 200}, {"completion", 68}, {"cpu", 32}}))
      << "but for one that a flush follows";
}

// A write of a job with sync=, at a place that is known.
Sums write_of(bool commits, std::uint16_t target, const Happens& happens) {
  OneWorker worker({.commits = commits}, maps());
  worker.publish(0, io::Dir::write, target);
  data(worker.kernel, 300);
  happens(worker.kernel);
  worker.take(0, io::Dir::write);
  worker.recorder.end();
  EXPECT_EQ(worker.of(io::Dir::write).joined, 1u);
  return worker.sums(io::Dir::write);
}
Sums after_data(Sums more) {
  more.insert({{"submit", 10}, {"tags", 10}, {"queue", 10}, {"device", 270}});
  return more;
}

TEST(RecorderSync, AWriteOfAJobWithSyncWaitsForCommits) {
  const auto two = [](FakeKernel& k) {
    commit(k, 100, 400);
    commit(k, 410, 900);
  };
  EXPECT_EQ(write_of(true, kJournaled, two),
            after_data({{"others_commit", 100}, {"commit", 500}, {"completion", 100}}));
  EXPECT_EQ(write_of(true, kRaw, two), after_data({{"completion", 700}})) << "no journal";
  EXPECT_EQ(write_of(true, kUntold, two), after_data({{"completion", 700}})) << "nothing is known of it";
  EXPECT_EQ(write_of(false, kJournaled, two), after_data({{"completion", 700}})) << "without sync=";
}

// What a thread of the kernel's syncs for it is not told of it.
TEST(RecorderSync, AWriteOfWhichNothingIsToldHasTheLastCommit) {
  EXPECT_EQ(write_of(true, kNumbered, [](FakeKernel& k) { commit(k, 310, 900); }),
            after_data({{"commit", 600}, {"completion", 100}}));
  const auto told = [](FakeKernel& k) {
    numbered(k, 6, 310, 900);
    k.needs(0, 5);
  };
  EXPECT_EQ(write_of(true, kNumbered, told), after_data({{"completion", 700}}));
}

TEST(RecorderSync, AWriteMayBeFlushedBehindItsCommit) {
  const auto both = [](FakeKernel& k) {
    commit(k, 310, 700);
    k.flushed(0, kStart + 900);
  };
  EXPECT_EQ(write_of(true, kJournaled, both), after_data({{"commit", 400}, {"flush", 200}, {"completion", 100}}));
}

TEST(RecorderSync, AWriteHasNoCommitThatWasOverBeforeItsData) {
  EXPECT_EQ(write_of(true, kJournaled, [](FakeKernel& k) { commit(k, 10, 299); }), after_data({{"completion", 700}}));
  OneWorker worker({.commits = true}, maps());
  commit(worker.kernel, 310, 900);
  worker.publish(0, io::Dir::write, kJournaled);
  data(worker.kernel, 300);
  worker.take(0, io::Dir::write);
  worker.recorder.end();
  EXPECT_EQ(worker.sums(io::Dir::write), after_data({{"completion", 700}})) << "before it was published";
}

}  // namespace
}  // namespace fathom::split
