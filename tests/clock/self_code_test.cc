// Reading marks out of programs: this one, and files that are none.
#include "clock/self_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "base/sanitized.h"
#include "clock/cores/barrier.h"

namespace fathom::clock {
namespace {

std::vector<std::uint8_t> this_program() {
  std::ifstream file("/proc/self/exe", std::ios::binary | std::ios::ate);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(file.tellg()));
  file.seekg(0).read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

TEST(SelfCode, EveryBarrierOfThisMachineIsMarked) {
  const auto marks = marked_code(this_program());
  for (const auto& b : cores::kBarriers) {
    for (const std::string_view kind : {"clock.barrier.", "clock.read."}) {
      const std::string name = std::string(kind) + std::string(b.name);
      const bool there = std::any_of(marks.begin(), marks.end(), [&](const auto& m) { return m.name == name; });
      EXPECT_EQ(there, b.here()) << name;
    }
  }
}

TEST(SelfCode, MarkedInstructionsAreAsWritten) {
  for (const auto& mark : marked_code(this_program())) {
    for (const auto& b : cores::kBarriers) {
      if (mark.name != "clock.barrier." + std::string(b.name)) continue;
      if (b.barrier == cores::Barrier::builtin || b.barrier == cores::Barrier::none) continue;
      EXPECT_EQ(barrier_in(mark.code), b.instruction.substr(0, b.instruction.find(';'))) << b.name;
    }
  }
}

TEST(SelfCode, TheBuiltinBarriersInstructionIsKnown) {
#if FATHOM_TSAN
  GTEST_SKIP() << "ThreadSanitizer makes a call of it";
#endif
  EXPECT_NE(builtin_instruction(), "unknown");
  EXPECT_EQ(builtin_instruction(), builtin_instruction(this_program()));
}

TEST(SelfCode, OtherFilesHaveNoMarks) {
  EXPECT_EQ(builtin_instruction({}), "unknown");
  const std::string text = "#!/bin/sh\necho hello\n";
  EXPECT_TRUE(marked_code({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}).empty());
}

TEST(SelfCode, SurvivesDamagedPrograms) {
  const auto whole = this_program();
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    auto damaged = whole;
    if (i % 2 == 0) damaged.resize(random() % damaged.size());
    for (int k = 0; k < 8 && damaged.size() > 64; ++k) damaged[random() % 64] = static_cast<std::uint8_t>(random());
    builtin_instruction(damaged);
  }
}

}  // namespace
}  // namespace fathom::clock
