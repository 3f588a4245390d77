// Which file comes next.
#include "workload/places/file_choice.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "workload/make_job.h"

namespace fathom::workload::places {
namespace {

using testing::k;

// The files of a job with file_service_type=ORDER:N and openfiles=, a digit an I/O.
std::string turns(job::fields::FileOrder order, std::uint32_t ios_a_turn, std::uint32_t files,
                  std::uint32_t openfiles = 0, const char* rw = "write") {
  auto job = testing::make_job(rw, files * 16 * k);
  auto& options = job.own.get<job::fields::FileOptions>();
  options.order = order;
  options.ios_a_turn = ios_a_turn;
  options.openfiles = openfiles;
  std::string out;
  for (const auto& request : testing::all_requests(job, testing::make_targets(job, files)))
    out += static_cast<char>('0' + request.target);
  return out;
}

// What fio 3.33 does with the same jobs (write_iolog).
// effect: file_service_type=roundrobin file_service_type=sequential openfiles
TEST(FileChoice, OrdersMatchFio) {
  EXPECT_EQ(turns(job::fields::FileOrder::roundrobin, 1, 3), "012012012012");
  EXPECT_EQ(turns(job::fields::FileOrder::roundrobin, 2, 3), "001122001122");
  EXPECT_EQ(turns(job::fields::FileOrder::roundrobin, 100, 3), "000011112222");
  EXPECT_EQ(turns(job::fields::FileOrder::sequential, 1, 3), "000011112222");
  EXPECT_EQ(turns(job::fields::FileOrder::sequential, 2, 3, 0, "randwrite"), "000011112222");
  EXPECT_EQ(turns(job::fields::FileOrder::roundrobin, 1, 4, 2), "0101010123232323");
  EXPECT_EQ(turns(job::fields::FileOrder::roundrobin, 1, 5, 2), "01010101232323234444");
  EXPECT_EQ(turns(job::fields::FileOrder::roundrobin, 1, 3, 1), "000011112222");
}

// effect: file_service_type=random
TEST(FileChoice, RandomTakesEveryFileToItsEnd) {
  const std::string seen = turns(job::fields::FileOrder::random, 1, 8);
  std::array<int, 8> often{};
  int changes = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ++often[static_cast<std::size_t>(seen[i] - '0')];
    changes += i > 0 && seen[i] != seen[i - 1] ? 1 : 0;
  }
  for (const int n : often) EXPECT_EQ(n, 4);
  EXPECT_GT(changes, 8);
  EXPECT_NE(seen, turns(job::fields::FileOrder::roundrobin, 1, 8));
  const std::string in_fours = turns(job::fields::FileOrder::random, 4, 8);
  for (std::size_t i = 0; i < in_fours.size(); i += 4) EXPECT_EQ(in_fours.substr(i, 4), std::string(4, in_fours[i]));
}

// effect: file_service_type=zipf file_service_type=pareto file_service_type=normal file_service_type=gauss
TEST(FileChoice, ZipfParetoAndNormalChooseFilesUnevenlyWithoutEnd) {
  const pattern::Spec shapes[] = {
      {pattern::Kind::zipf, 1.5, -1, {}}, {pattern::Kind::pareto, 0.1, -1, {}}, {pattern::Kind::normal, 5, 0.5, {}}};
  for (const auto& shape : shapes) {
    auto job = testing::make_job("write", 64 * 16 * k);
    auto& options = job.own.get<job::fields::FileOptions>();
    options.order = job::fields::FileOrder::drawn;
    options.drawn_by = shape;
    const auto requests = testing::all_requests(job, testing::make_targets(job, 64));
    EXPECT_EQ(requests.size(), 256u);
    std::array<int, 64> often{};
    for (const auto& request : requests) ++often[request.target];
    // Even would be 4 each, which is all that a file holds.
    EXPECT_GT(*std::max_element(often.begin(), often.end()), 12) << static_cast<int>(shape.kind);
  }
}

// effect: openfiles
TEST(FileChoice, OpenfilesLimitsTheFilesInProgress) {
  for (const auto order :
       {job::fields::FileOrder::roundrobin, job::fields::FileOrder::random, job::fields::FileOrder::sequential}) {
    auto job = testing::make_job("randwrite", 20 * 16 * k);
    auto& options = job.own.get<job::fields::FileOptions>();
    options.order = order;
    options.openfiles = 3;
    std::map<int, int> begun;
    std::size_t done = 0;
    for (const auto& request : testing::all_requests(job, testing::make_targets(job, 20))) {
      ++begun[request.target % 3 * 1000 + request.target];
      std::array<int, 3> in_place{};
      for (const auto& [file, ios] : begun) in_place[static_cast<std::size_t>(file / 1000)] += ios < 4 ? 1 : 0;
      for (const int n : in_place) ASSERT_LE(n, 1);
      ++done;
    }
    EXPECT_EQ(done, 80u);
  }
}

}  // namespace
}  // namespace fathom::workload::places
