// Lists and masks of CPUs: what is taken, what is refused and where, and that writing and reading agree.
#include "base/system/cpu_list.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace fathom::base::system {
namespace {

using Numbers = std::vector<int>;

TEST(CpuList, KeepsTheOrderAsWritten) {
  EXPECT_EQ(parse_cpu_list("8,0-2,2").written(), (Numbers{8, 0, 1, 2, 2}));
  EXPECT_EQ(parse_cpu_list("8,0-2,2").sorted(), (Numbers{0, 1, 2, 8}));
  EXPECT_EQ(parse_cpu_list(" 1 , 0x2 - 3\n").written(), (Numbers{1, 2, 3}));
  EXPECT_EQ(parse_cpu_list("65535").written(), Numbers{65535});
}

TEST(CpuList, InvalidKernelTextIsAnEmptyList) {
  EXPECT_EQ(kernel_cpu_list("0-3,8\n"), (Numbers{0, 1, 2, 3, 8}));
  for (const char* bad : {"", "\n", "a", "3-1", "-1", "0-", "0-99999999999", "1,,2", "1,", "00000000,00000001x"})
    EXPECT_EQ(kernel_cpu_list(bad), Numbers{}) << bad;
}

TEST(CpuList, PointsAtThePartThatIsWrong) {
  struct Case {
    std::string_view text, wrong, cause;
  };
  for (const auto& c :
       {Case{"0,4x,9", "4x", "not a number"}, Case{"1,,2", "", "empty"},
        Case{"0-3,70000", "70000", "a CPU number must be between 0 and 65535"},
        Case{"5,-2", "-2", "a CPU number must be between 0 and 65535"},
        Case{"7-6", "7-6", "the range is in descending order"}, Case{"0-65535,1-65535", "1-65535", "too many CPUs"}}) {
    const auto list = parse_cpu_list(c.text);
    EXPECT_EQ(list.cause, c.cause) << c.text;
    EXPECT_EQ(list.wrong, c.wrong) << c.text;
    EXPECT_GE(list.wrong.data(), c.text.data()) << "a part of the text, so that a caret can stand below it";
    EXPECT_LE(list.wrong.data(), c.text.data() + c.text.size());
  }
  EXPECT_EQ(parse_cpu_list("0-1,x,7").written(), (Numbers{0, 1})) << "what stood before it was read";
}

TEST(CpuMask, BitNIsCpuN) {
  EXPECT_EQ(parse_cpu_mask("0x3").written(), (Numbers{0, 1}));
  EXPECT_EQ(parse_cpu_mask("Af").written(), (Numbers{0, 1, 2, 3, 5, 7}));
  EXPECT_EQ(parse_cpu_mask("1" + std::string(375, '0')).written(), Numbers{1500});
  EXPECT_EQ(parse_cpu_mask("1" + std::string(16383, '0')).written(), Numbers{65532});
  for (const std::string& bad : {std::string(), std::string("0x"), std::string("0"), std::string("3g"),
                                 std::string("0x0x3"), std::string("-1"), "1" + std::string(16384, '0')}) {
    EXPECT_FALSE(parse_cpu_mask(bad).ok()) << bad.substr(0, 10);
    EXPECT_EQ(parse_cpu_mask(bad).wrong, bad);
  }
}

TEST(CpuListText, MatchesTheKernelsForm) {
  EXPECT_EQ(cpu_list_text(Numbers{}), "");
  EXPECT_EQ(cpu_list_text(Numbers{4}), "4");
  EXPECT_EQ(cpu_list_text(Numbers{0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_EQ(cpu_list_text(std::vector<unsigned>{2, 3}), "2-3");
}

RC_GTEST_PROP(CpuListText, IsReadBack, ()) {
  const auto drawn = *rc::gen::nonEmpty(rc::gen::container<std::set<int>>(rc::gen::inRange(0, 3000)));
  const Numbers cpus(drawn.begin(), drawn.end());
  const auto list = parse_cpu_list(cpu_list_text(cpus));
  RC_ASSERT(list.ok());
  RC_ASSERT(list.written() == cpus);
  RC_ASSERT(std::adjacent_find(list.ranges.begin(), list.ranges.end(),
                               [](auto& a, auto& b) { return b.first <= a.last + 1; }) == list.ranges.end());
}

RC_GTEST_PROP(CpuMask, IsTheListInHexadecimal, ()) {
  const auto drawn = *rc::gen::nonEmpty(rc::gen::container<std::set<int>>(rc::gen::inRange(0, 3000)));
  std::string mask(751, '0');
  for (const int cpu : drawn) {
    char& digit = mask[mask.size() - 1 - static_cast<std::size_t>(cpu) / 4];
    const int value = (digit <= '9' ? digit - '0' : digit - 'a' + 10) | 1 << cpu % 4;
    digit = "0123456789abcdef"[value];
  }
  RC_ASSERT(parse_cpu_mask(mask).written() == Numbers(drawn.begin(), drawn.end()));
}

RC_GTEST_PROP(CpuList, AnyTextIsReadOrHasAPartThatIsWrong, (const std::string& text)) {
  for (const auto& list : {parse_cpu_list(text), parse_cpu_mask(text)})
    RC_ASSERT((list.ok() ? !list.ranges.empty() : text.find(list.wrong) != std::string::npos));
}

}  // namespace
}  // namespace fathom::base::system
