// The notes below a table of `fathom pmu stat`: who holds a counter, what vanished.
#include "session/counters/stat_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::session::counters {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Made {
  StatFound report;
  std::vector<pmu::events::Event> events;
  std::vector<std::string> notes(bool one_by_one = false) const { return stat_notes(report, events, one_by_one); }
};

// Two pinned events of one PMU; the second did not get the counter.
Made made() {
  Made m;
  for (std::size_t i = 0; i < 2; ++i) {
    pmu::events::Event event;
    event.pmu = "pcie_bdf_200";
    event.pinned = true;
    m.events.push_back(event);
    pmu::StatEvent named;
    named.name = i == 0 ? "pcie_bdf_200/rx/" : "pcie_bdf_200/tx/";
    named.parts = {i};
    m.report.events.push_back(named);
    pmu::StatRow row;
    row.count.state = i == 0 ? pmu::events::CountState::counted : pmu::events::CountState::taken;
    row.count.running_share = 1;
    m.report.rows.push_back(row);
  }
  return m;
}

TEST(StatNotes, AnEventOfTheSameCommandMayHoldTheCounter) {
  const auto m = made();
  EXPECT_THAT(m.notes(), ElementsAre(AllOf(HasSubstr("pcie_bdf_200/tx/: event pcie_bdf_200/rx/ of this command"),
                                           HasSubstr("--passes"), Not(HasSubstr("another user")))));
}

TEST(StatNotes, OtherwiseAnotherUserHoldsTheCounter) {
  EXPECT_THAT(made().notes(true), ElementsAre(HasSubstr("another user holds"))) << "each was alone";
  auto elsewhere = made();
  elsewhere.events[0].pmu = "pcie_bdf_300";
  EXPECT_THAT(elsewhere.notes(), ElementsAre(HasSubstr("another user holds")));
  auto both = made();
  both.report.rows[0].count.state = pmu::events::CountState::taken;
  EXPECT_THAT(both.notes(), ElementsAre(HasSubstr("another user holds"), HasSubstr("another user holds")));
  auto shared = made();
  shared.events[0].pinned = false;
  EXPECT_THAT(shared.notes(), ElementsAre(HasSubstr("another user holds"))) << "who can be put aside holds nothing";
}

TEST(StatNotes, OnlyLostAndSharedCountersAreNoted) {
  auto m = made();
  m.report.rows[1].count.state = pmu::events::CountState::counted;
  EXPECT_THAT(m.notes(), IsEmpty());
  m.report.rows[1].count.state = pmu::events::CountState::lost;
  EXPECT_THAT(m.notes(), ElementsAre(HasSubstr("disappeared")));
  m.report.rows.pop_back();
  m.report.events[0].bytes = pmu::BytesRule{16, pmu::pcie::Direction::to_memory, ""};
  m.report.rows[0].count.running_ns = 1;
  m.report.rows[0].count.running_share = 0.5;
  EXPECT_THAT(m.notes(), ElementsAre(HasSubstr("50.00 % of the time")));
}

}  // namespace
}  // namespace fathom::session::counters
