// A command that is put behind `learn` is done, whatever comes of the observation.
#include "session/paging_learn.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/system/shared_memory.h"

namespace fathom::session {
namespace {

struct Heard {
  std::vector<std::string> said;
  LearnListener listener() {
    LearnListener heard;
    heard.on_progress = [](const auto&) {};
    heard.on_observed = [this] { said.emplace_back("observed"); };
    heard.on_learnt = [this](const auto&) { return said.emplace_back("learnt"), base::Expected<void>(); };
    heard.on_error = [this](const base::Error&) { said.emplace_back("error"); };
    heard.on_waiting = [this] { said.emplace_back("waiting"); };
    heard.on_ended = [this] { said.emplace_back("ended"); };
    return heard;
  }
};

TEST(PagingLearn, ACommandOfWhichNothingIsSeenHasItsOwnEnd) {
  paging_job::LearnRequest request;
  request.command = {"/bin/sh", "-c", "exit 7"};
  request.plan.duration_s = 0;
  request.plan.method = "no such method";
  Heard heard;
  base::system::SharedArray<std::atomic<std::uint32_t>> stop(1);
  const auto ended = learn_as_asked(request, heard.listener(), stop[0]);
  ASSERT_TRUE(ended.ok()) << ended.error().what;
  ASSERT_TRUE(ended->has_value());
  EXPECT_EQ((*ended)->status, 7);
  EXPECT_EQ(heard.said, (std::vector<std::string>{"observed", "error", "waiting", "ended"}));
}

TEST(PagingLearn, WithoutACommandTheObservationsErrorIsTheAnswer) {
  paging_job::LearnRequest request;
  request.plan.pid = 1 << 30;
  Heard heard;
  base::system::SharedArray<std::atomic<std::uint32_t>> stop(1);
  EXPECT_FALSE(learn_as_asked(request, heard.listener(), stop[0]).ok());
  EXPECT_EQ(heard.said, (std::vector<std::string>{"observed"}));
}

TEST(PagingLearn, ACommandThatIsNotThereIsAMistake) {
  paging_job::LearnRequest request;
  request.command = {"/nonexistent/command"};
  Heard heard;
  base::system::SharedArray<std::atomic<std::uint32_t>> stop(1);
  const auto ended = learn_as_asked(request, heard.listener(), stop[0]);
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().kind, base::ErrorKind::usage);
  EXPECT_TRUE(heard.said.empty());
}

}  // namespace
}  // namespace fathom::session
