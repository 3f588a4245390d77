// What is said of several commands at once.
#include "options/manual_sets.h"

#include <gtest/gtest.h>

namespace fathom::options {
namespace {

constexpr Choice kSizes[] = {{"64k:2", 0, ""}, {"1m", 0, ""}};
constexpr Row example(bool examples) {
  Row row{{"sizes=LIST", "", "blocks"}, Type::text, 0, 0, 0, false, kSizes, nullptr};
  row.examples = examples;
  return row;
}
constexpr Row kWithExamples[] = {example(true)}, kWithChoices[] = {example(false)};
constexpr Group kExamples[] = {{"", kWithExamples}}, kChoices[] = {{"", kWithChoices}};
constexpr Manual kManuals[] = {{"prog list", "[options]", "Lists.\n", kExamples},
                               {"prog list all", "", "Lists all.\n", kChoices},
                               {"prog lists", "", "Another.\n", {}},
                               {"prog silent"},
                               {"other", "", "Another program.\n", {}}};

TEST(ManualSets, OptionsOfACommandAndSectionsOfItsActions) {
  const auto list = scdoc_options(kManuals[0]) + "\n" + scdoc_section(kManuals[1]);
  EXPECT_EQ(scdoc_sections(kManuals, "prog", "list"), list);
  EXPECT_EQ(scdoc_sections(kManuals, "prog", "list all"), scdoc_options(kManuals[1]) + "\n");
  EXPECT_EQ(scdoc_sections(kManuals, "prog", "other"), scdoc_section(kManuals[4]));
  const Manual family[] = {{"prog x run", "", "Runs.\n", kChoices}, {"prog x stop", "", "Stops.\n", kExamples}};
  EXPECT_EQ(scdoc_sections(family, "prog", "x"), scdoc_section(family[0]) + scdoc_section(family[1]));
}

TEST(ManualSets, AnActionWithTheOptionsOfItsCommandHasNoSection) {
  const Manual family[] = {{"prog x", "", "Runs.\n", kChoices}, {"prog x run", "", "Runs.\n", kChoices}};
  EXPECT_EQ(scdoc_sections(family, "prog", "x"), scdoc_options(family[0]) + "\n");
}

TEST(ManualSets, AnUnknownOrASilentCommandHasNothing) {
  EXPECT_EQ(scdoc_sections(kManuals, "prog", "silent"), "") << "nothing is said of it";
  EXPECT_EQ(scdoc_sections(kManuals, "prog", "lis"), "");
}

TEST(ManualSets, ExamplesAreWordsAndChoicesAreNot) { EXPECT_EQ(example_words(kManuals), "\"64k:2\"\n\"1m\"\n"); }

}  // namespace
}  // namespace fathom::options
