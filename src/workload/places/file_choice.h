// Whose turn it is among a job's files: file_service_type= and openfiles=. As fio:
//   roundrobin:N  each in turn, N I/Os
//   random:N      any, N I/Os
//   sequential    one until nothing is left of it, then the next
//   zipf, pareto, normal   drawn for each I/O, over 1024 ranks a file; such files never end, they begin again
// With openfiles=N only N files have turns at a time, one in each of N places: place p has the files p, p + N, p + 2N,
// ..., the next when the one before it is done. So the files of a place are never open together (run/files/open_places.h).
// No allocation after the constructor. Thread rule: one owner.
#pragma once
#include <cstdint>
#include <variant>
#include <vector>

#include "base/prng.h"
#include "job/fields/files.h"
#include "job/job.h"
#include "pattern/draws/normal.h"
#include "pattern/draws/pareto.h"
#include "pattern/draws/zipf.h"
#include "workload/places/offsets.h"

namespace fathom::workload::places {

// How many places there are for so many files.
std::uint32_t open_places(const job::Job& job, std::size_t files);

class FileChoice {
 public:
  // Whether a job has more than each file in turn, all of them open.
  static bool needed(const job::Job& job, std::size_t files);
  FileChoice(const job::Job& job, std::uint32_t files, std::uint64_t seed);
  // False: nothing is left of any file.
  bool next(const std::vector<Cursor>& files, std::uint32_t& file);
  // A file of which nothing is left begins again.
  bool never_ends() const { return order_ == job::fields::FileOrder::drawn; }
  // All files have something left again.
  void rewind();
  // All as it was when it was made.
  void reset();

 private:
  bool left(const std::vector<Cursor>& files, std::uint32_t place);
  void choose_ranks(const pattern::Spec& spec);
  std::uint32_t draw_place();

  job::fields::FileOrder order_;
  std::uint32_t files_, ios_a_turn_, ios_left_ = 0, place_ = 0;
  std::vector<std::uint32_t> in_place_;  // file of each place
  // Ranks, which are not scattered: a file is 1024 neighbours. first_: where the first rank lies.
  std::variant<std::monostate, pattern::draws::Zipf, pattern::draws::Pareto, pattern::draws::Normal> ranks_;
  std::uint64_t first_ = 0;
  base::Prng draws_, begun_;
};

}  // namespace fathom::workload::places
