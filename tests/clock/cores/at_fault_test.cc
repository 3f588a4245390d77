// From three CPUs on the one at fault is named, and nobody is where the entries do not tell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clock/cores/cross_core.h"
#include "clock/made_entries.h"

namespace fathom::clock::cores {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<unsigned> accused(std::vector<MadeCpu> cpus) {
  return analyse(MadeTest{.cpus = std::move(cpus), .entries = 8000}.record()).at_fault;
}

TEST(CpuAtFault, OneOfThreeIsNamed) {
  EXPECT_THAT(accused({{0}, {1, 519}, {2}}), ElementsAre(1));
  EXPECT_THAT(accused({{0}, {1, -519}, {2}}), ElementsAre(1));
  EXPECT_THAT(accused({{4, -2600}, {5}, {9}}), ElementsAre(4));
  EXPECT_THAT(accused({{0}, {1}, {2, 0, 500}}), ElementsAre(2));
}

TEST(CpuAtFault, OneOrTwoOfManyAreNamed) {
  std::vector<MadeCpu> cpus;
  for (unsigned i = 0; i < 8; ++i) cpus.push_back({i});
  EXPECT_THAT(accused(cpus), IsEmpty());
  cpus[6].offset = 1000;
  EXPECT_THAT(accused(cpus), ElementsAre(6));
  cpus[2].offset = -3000;
  EXPECT_THAT(accused(cpus), ElementsAre(2, 6));
}

TEST(CpuAtFault, NeitherOfTwoIsNamed) {
  const auto f = analyse(MadeTest{.cpus = {{0}, {1, 519}}}.record());
  EXPECT_THAT(f.at_fault, IsEmpty());
  EXPECT_THAT(text_of({f}), HasSubstr("with two CPUs, the faulty one cannot be identified"));
  EXPECT_THAT(text_of({f}), HasSubstr("CPU 1 is 519 ticks ± 100 ticks ahead of CPU 0"));
}

TEST(CpuAtFault, NoneIsNamedWhenGroupsAreEqualOrAllDiffer) {
  EXPECT_THAT(accused({{0}, {1}, {2, 900}, {3, 900}}), IsEmpty());
  EXPECT_THAT(accused({{0}, {1, 900}, {2, 1800}}), IsEmpty());
  const auto f = analyse(MadeTest{.cpus = {{0}, {1}, {2, 900}, {3, 900}}}.record());
  EXPECT_GT(f.mismatches, 0u);
  EXPECT_THAT(text_of({f}), HasSubstr("no single CPU disagrees with the others"));
}

TEST(CpuAtFault, NoneIsNamedForOneDisagreeingPairOfThree) {
  // 0 and 2 are 150 apart and show; both are within the gap of 1.
  EXPECT_THAT(accused({{0}, {1, 75}, {2, 150}}), IsEmpty());
}

TEST(CpuAtFault, IsNamedInTheWords) {
  const auto f = analyse(MadeTest{.cpus = {{0}, {1}, {2, -519}}, .entries = 8000}.record());
  EXPECT_THAT(text_of({f}), HasSubstr("at fault: CPU 2, which disagrees with the others while the others agree"));
}

}  // namespace
}  // namespace fathom::clock::cores
