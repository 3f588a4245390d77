// A result of every kind that is no run, drawn at random: what is printed of it is what is printed of its file, in every
// format; and what is no such file is refused.
#include "result/stored.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "cli/random_run.h"
#include "import/result_json.h"
#include "report/document.h"
#include "report/formats.h"

namespace fathom::cli {
namespace {

using result::Stored;
using ::testing::HasSubstr;

std::string in_format(std::string_view format, const Stored& stored) {
  return report::report_in(std::vector{std::string(format)}, stored);
}

Stored written_and_read(const Stored& stored) {
  auto again = import::read_stored(in_format("json", stored), "stored.json");
  EXPECT_TRUE(again.ok()) << again.error().what << "; " << again.error().cause;
  return again ? *again : Stored();
}

// Each alternative of Stored but the run, so that a new one is tested too.
template <class>
struct Each;
template <std::size_t... I>
struct Each<std::index_sequence<I...>> {
  using Kinds = ::testing::Types<std::variant_alternative_t<I + 1, Stored>...>;
};
template <class T>
class StoredKind : public ::testing::Test {};
TYPED_TEST_SUITE(StoredKind, Each<std::make_index_sequence<std::variant_size_v<Stored> - 1>>::Kinds);

template <class T>
T random_result(std::uint64_t seed) {
  RandomFields fields(seed);
  T result;
  walk(fields, result);
  return report::as_stored(std::move(result));
}

TYPED_TEST(StoredKind, FormatsOfTheFileEqualThoseOfTheCommand) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Stored made = random_result<TypeParam>(seed), again = written_and_read(made);
    ASSERT_EQ(again.index(), made.index());
    for (const auto format : report::format_names(made))
      ASSERT_EQ(in_format(format, again), in_format(format, made)) << format << " " << seed;
  }
}

TYPED_TEST(StoredKind, HasATextAndJson) {
  const auto names = report::format_names(Stored(TypeParam()));
  ASSERT_FALSE(names.empty()) << "no row in report/format_rows.inc";
  EXPECT_EQ(names.front(), "text");
  EXPECT_EQ(names.back(), "json");
  EXPECT_THAT(report::all_formats(), HasSubstr(report::kind_of(Stored(TypeParam())) + ": text, "));
}

TYPED_TEST(StoredKind, NumbersAreRoundedAsInTheFile) {
  const auto once = random_result<TypeParam>(7);
  EXPECT_EQ(in_format("json", report::as_stored(once)), in_format("json", once));
}

void expect_refused(const std::string& text, const std::string& what) {
  const auto read = import::read_stored(text, "stored.json");
  ASSERT_FALSE(read.ok()) << what;
  EXPECT_THAT(read.error().what, HasSubstr(what));
  EXPECT_TRUE(read.error().place) << what;
}

TEST(StoredFile, InvalidFilesAreRefused) {
  auto text = in_format("json", result::ClockTest());
  expect_refused("{\"format\" : \"fathom teapot\"}", "unknown format \"fathom teapot\"");
  expect_refused("{\"format\" : \"fathom clock test\", \"format_version\" : 2}", "another format_version");
  expect_refused("{\"format\" : 7}", "unknown format");
  expect_refused(text.substr(0, text.size() / 2), "a truncated file");
  const std::string key = "\"entries_per_cpu\" : 0";
  const auto at = text.find(key);
  ASSERT_NE(at, std::string::npos);
  expect_refused(std::string(text).replace(at, key.size(), "\"entries_per_cpu\" : -1"), "\"entries_per_cpu\" is");
  expect_refused(std::string(text).replace(at, key.size(), "\"x\" : 0"), "no \"entries_per_cpu\"");
}

}  // namespace
}  // namespace fathom::cli
