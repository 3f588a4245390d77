// A finding of a measuring process arrives whole, or not at all.
#include <gtest/gtest.h>

#include "paging/workers/worker_message.h"

namespace fathom::paging {
namespace {

TEST(WorkerMessage, AFindingSurvivesEncodeAndDecode) {
  const result::Finding full{"paging.thp", result::Severity::warning, "job", "seen 3", "do 4"};
  const result::Finding bare{"paging.advice", result::Severity::note, "", "", ""};
  for (const auto& want : {full, bare}) {
    const auto read = workers::decode(workers::encode(want));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->id, want.id);
    EXPECT_EQ(read->severity, want.severity);
    EXPECT_EQ(read->job, want.job);
    EXPECT_EQ(read->evidence, want.evidence);
    EXPECT_EQ(read->remedy, want.remedy);
  }
}

TEST(WorkerMessage, ATruncatedFindingIsRejected) {
  const auto whole = workers::encode({"a.b", result::Severity::note, "", "evidence", "remedy"});
  for (std::size_t kept = 0; kept < whole.size(); ++kept)
    EXPECT_FALSE(workers::decode(whole.substr(0, kept)).has_value()) << kept;
}

}  // namespace
}  // namespace fathom::paging
