// A bundle is made, and then changed in every way that its manifest or its signature must show.
#include "bundle/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bundle/contents.h"
#include "bundle/made_run.h"
#include "bundle/pack.h"
#include "report/document.h"

namespace fathom::bundle {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Signature = result::Signature;

constexpr const char* kPrivate =
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\n";
constexpr const char* kPublic =
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
    "-----END PUBLIC KEY-----\n";

std::optional<Key> private_key_file() { return Key{kPrivate, "key.pem"}; }
std::optional<Key> public_key_file() { return Key{kPublic, "pub.pem"}; }

base::Expected<Made> made_of(std::vector<Evidence> evidence = {}, std::optional<Key> key = {}) {
  const auto run = run_of(jobs_of({"--name=a", "--size=1m", "--ioengine=null"}));
  return make({run, "{\"the\" : \"result\"}\n", "0.1.0", "0123456789ab", std::move(evidence), std::move(key)});
}

std::string bundle_of(std::vector<Evidence> evidence = {}, std::optional<Key> key = {}) {
  const auto made = made_of(std::move(evidence), std::move(key));
  EXPECT_TRUE(made.ok()) << made.error().what;
  return made ? made->bytes : std::string();
}

// The members of a bundle, to be packed again.
struct Parts {
  std::vector<std::pair<std::string, std::string>> members;
  explicit Parts(const std::string& bytes) {
    const auto archive = Archive::open(bytes, "b.zip");
    EXPECT_TRUE(archive.ok());
    for (const auto& entry : archive->entries())
      members.emplace_back(entry.name, *content_of(*archive, entry.name, kMostUnpacked_bytes));
  }
  std::string& of(std::string_view name) {
    return std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.first == name; })->second;
  }
  void remove(std::string_view name) {
    std::erase_if(members, [&](const auto& m) { return m.first == name; });
  }
  std::string packed() const {
    std::vector<Member> all;
    for (const auto& [name, bytes] : members) all.push_back({name, bytes});
    return *pack(all);
  }
};

result::BundleCheck checked(const std::string& bytes, const std::optional<Key>& key = {}) {
  auto opened = open_bundle(bytes, "b.zip", key);
  EXPECT_TRUE(opened.ok()) << opened.error().what << "; " << opened.error().cause;
  return opened ? opened->check : result::BundleCheck();
}

void expect_problem(const std::string& bytes, const std::string& member, const std::string& what) {
  const auto check = checked(bytes);
  EXPECT_FALSE(check.passed());
  ASSERT_EQ(check.problems.size(), 1u) << member;
  EXPECT_EQ(check.problems[0].member, member);
  EXPECT_THAT(check.problems[0].what, HasSubstr(what));
}

TEST(Bundle, HasItsMembersAndPasses) {
  const auto opened = open_bundle(bundle_of({{"b.log", "b"}, {"a.log", "a"}}), "b.zip", {});
  ASSERT_TRUE(opened.ok());
  std::vector<std::string> names;
  for (const auto& entry : opened->archive.entries()) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"manifest.json", "job.fio", "result.json", "environment.json",
                                             "report.html", "evidence/a.log", "evidence/b.log"}));
  EXPECT_TRUE(opened->check.passed());
  EXPECT_EQ(opened->check.signature, Signature::none);
  EXPECT_EQ(opened->check.version, "0.1.0");
  EXPECT_EQ(opened->check.members, 7u);
  EXPECT_EQ(*content_of(opened->archive, kResult, 1000), "{\"the\" : \"result\"}\n");
  EXPECT_FALSE(content_of(opened->archive, kResult, 3).ok());
}

TEST(Bundle, TheOrderOfTheEvidenceDoesNotMatter) {
  EXPECT_EQ(bundle_of({{"b", "2"}, {"a", "1"}}), bundle_of({{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(bundle_of({}, private_key_file()), bundle_of({}, private_key_file()));
}

TEST(Bundle, NamesThatAMemberCannotHaveAreRefused) {
  for (const std::string name : {"a\nb", "..", "a\\b", "a/b", ""}) EXPECT_FALSE(made_of({{name, ""}}).ok()) << name;
  const auto twice = made_of({{"a", "1"}, {"a", "2"}});
  ASSERT_FALSE(twice.ok());
  EXPECT_THAT(twice.error().what, HasSubstr("`evidence/a`"));
}

TEST(Bundle, TooManyFilesAreRefused) {
  std::vector<Evidence> many;
  for (std::size_t i = 0; i < kMostMembers; ++i) many.push_back({std::to_string(i), ""});
  EXPECT_THAT(made_of(many).error().what, HasSubstr("more than 998 files"));
  many.resize(kMostMembers - 6);
  EXPECT_TRUE(checked(bundle_of(many, private_key_file())).passed());
}

TEST(Bundle, AChangedMemberIsFound) {
  for (const auto* name : {"job.fio", "result.json", "environment.json", "report.html", "evidence/a"}) {
    Parts parts(bundle_of({{"a", "1234"}}));
    parts.of(name)[1] ^= 1;
    expect_problem(parts.packed(), name, "its SHA-256 differs");
    parts.of(name) += "x";
    expect_problem(parts.packed(), name, "the manifest states");
    parts.remove(name);
    expect_problem(parts.packed(), name, "the member is missing");
  }
}

TEST(Bundle, AnExtraMemberIsFound) {
  Parts parts(bundle_of());
  parts.members.emplace_back("evidence/x", "x");
  expect_problem(parts.packed(), "evidence/x", "the manifest does not list it");
}

TEST(Bundle, AManifestWithoutARequiredMemberIsFound) {
  auto made = made_of();
  ASSERT_TRUE(made.ok());
  Parts parts(made->bytes);
  parts.remove(kJob);
  std::erase_if(made->manifest.members, [](const auto& m) { return m.name == kJob; });
  parts.of(kManifest) = report::document(made->manifest);
  expect_problem(parts.packed(), "job.fio", "the manifest does not list it");
}

TEST(Bundle, AManifestThatListsAMemberTwiceIsFound) {
  auto made = made_of();
  ASSERT_TRUE(made.ok());
  Parts parts(made->bytes);
  made->manifest.members.push_back(made->manifest.members[0]);
  parts.of(kManifest) = report::document(made->manifest);
  expect_problem(parts.packed(), "job.fio", "lists it twice");
}

TEST(Bundle, WithoutAReadableManifestItIsNoBundle) {
  const auto error_of = [](const std::string& manifest) {
    Parts parts(bundle_of());
    parts.of(kManifest) = manifest;
    const auto opened = open_bundle(parts.packed(), "b.zip", {});
    return opened ? base::Error{.what = "none"} : opened.error();
  };
  EXPECT_NE(error_of("").what, "none");
  EXPECT_THAT(error_of("{}").what, HasSubstr("not the manifest of a bundle"));
  EXPECT_THAT(error_of("{\"format\" : \"fathom bundle\", \"format_version\" : 2}").what,
              HasSubstr("another format_version"));
  EXPECT_THAT(error_of("{\"format\" : \"fathom bundle\", \"format_version\" : 1}").what,
              HasSubstr("no \"fathom_version\""));
  EXPECT_THAT(error_of(std::string(2 << 20, ' ')).cause, HasSubstr("longer than"));
  Parts parts(bundle_of());
  parts.remove(kManifest);
  EXPECT_THAT(open_bundle(parts.packed(), "b.zip", {}).error().cause, HasSubstr("the member is missing"));
}

TEST(BundleSignature, IsValidForItsKeyAlone) {
  const auto bytes = bundle_of({}, private_key_file());
  EXPECT_EQ(checked(bytes).signature, Signature::not_checked);
  EXPECT_TRUE(checked(bytes).passed());
  EXPECT_EQ(checked(bytes, public_key_file()).signature, Signature::valid);
  EXPECT_TRUE(checked(bytes, public_key_file()).passed());
  const Key other{
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n"
      "-----END PUBLIC KEY-----\n",
      "other.pem"};
  EXPECT_EQ(checked(bytes, other).signature, Signature::wrong);
  EXPECT_FALSE(checked(bytes, other).passed());
}

TEST(BundleSignature, IsMissedIfAKeyIsGiven) {
  const auto check = checked(bundle_of(), public_key_file());
  EXPECT_EQ(check.signature, Signature::none);
  EXPECT_FALSE(check.passed());
  EXPECT_THAT(check.problems, IsEmpty());
}

TEST(BundleSignature, DoesNotFitAChangedManifest) {
  auto made = made_of({}, private_key_file());
  ASSERT_TRUE(made.ok());
  Parts parts(made->bytes);
  parts.of(kManifest) += "\n";
  EXPECT_TRUE(checked(parts.packed()).passed());
  EXPECT_EQ(checked(parts.packed(), public_key_file()).signature, Signature::wrong);
}

TEST(BundleSignature, OfAnotherLengthIsWrong) {
  for (const std::size_t size : {0u, 63u, 65u, 4000u}) {
    Parts parts(bundle_of({}, private_key_file()));
    parts.of(kSignature).resize(size);
    EXPECT_EQ(checked(parts.packed(), public_key_file()).signature, Signature::wrong) << size;
  }
  Parts parts(bundle_of({}, private_key_file()));
  parts.of(kSignature).resize(5000);
  EXPECT_FALSE(checked(parts.packed()).passed());
}

}  // namespace
}  // namespace fathom::bundle
