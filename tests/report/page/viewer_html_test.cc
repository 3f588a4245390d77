// The viewer's document: whole in itself, and under a policy that names each of its styles and scripts.
#include "report/page/viewer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "report/page/assets.h"
#include "result/result.h"

namespace fathom::report::page {
namespace {

TEST(ViewerHtml, ItsPolicyNamesEachStyleAndScriptAndNothingElse) {
  const auto html = viewer_html();
  const auto policy = html.substr(html.find("Content-Security-Policy"), 1000);
  EXPECT_NE(policy.find("default-src &#39;none&#39;"), policy.npos);
  for (const auto& asset : {plot_style(), style(), viewer_style(), plot_script(), viewer_script()}) {
    EXPECT_NE(policy.find(policy_hash(asset)), policy.npos);
    EXPECT_NE(html.find(asset.text), html.npos);
  }
  EXPECT_EQ(policy.find("unsafe"), policy.npos);
}

TEST(ViewerHtml, ItNamesNoOtherFileAndCarriesNoResult) {
  const auto html = viewer_html();
  for (const char* word : {" src=", "<link", "@import", "class=\"result\">"})
    EXPECT_EQ(html.find(word), html.npos) << word;
}

TEST(ViewerHtml, ItReadsTheSchemasThatTheProgramReads) {
  const auto range = "const OLDEST_SCHEMA = " + std::to_string(result::kOldestRead) +
                     ", NEWEST_SCHEMA = " + std::to_string(result::kSchemaVersion) + ";";
  EXPECT_NE(viewer_script().text.find(range), std::string_view::npos) << "assets/viewer/read_ours.js";
}

}  // namespace
}  // namespace fathom::report::page
