// Chooses the next file of a job: file_service_type= and openfiles=. As in fio:
//   roundrobin:N  each in turn, N I/Os
//   random:N      any, N I/Os
//   sequential    one until it is used up, then the next
//   zipf, pareto, normal   drawn for each I/O, over 1024 ranks per file; such files never end, they begin again
// With openfiles=N only N files are used at a time, one in each of N places: place p has the files p, p + N, p + 2N,
// ..., each when the previous one is done. So the files of a place are never open together (run/files/open_places.h).
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

// Number of places for this number of files.
std::uint32_t open_places(const job::Job& job, std::size_t files);

class FileChoice {
 public:
  // False: the job uses each file in turn, with all files open.
  static bool needed(const job::Job& job, std::size_t files);
  FileChoice(const job::Job& job, std::uint32_t files, std::uint64_t seed);
  // False: all files are used up.
  bool next(const std::vector<Cursor>& files, std::uint32_t& file);
  // True: a file that is used up begins again.
  bool never_ends() const { return order_ == job::fields::FileOrder::drawn; }
  // Makes all files available again.
  void rewind();
  // Restores the state after construction.
  void reset();

 private:
  bool left(const std::vector<Cursor>& files, std::uint32_t place);
  void choose_ranks(const pattern::Spec& spec);
  std::uint32_t draw_place();

  job::fields::FileOrder order_;
  std::uint32_t files_, ios_a_turn_, ios_left_ = 0, place_ = 0;
  std::vector<std::uint32_t> in_place_;  // file of each place
  // Ranks are not scattered: a file has 1024 adjacent ones. first_: position of the first rank.
  std::variant<std::monostate, pattern::draws::Zipf, pattern::draws::Pareto, pattern::draws::Normal> ranks_;
  std::uint64_t first_ = 0;
  base::Prng draws_, begun_;
};

}  // namespace fathom::workload::places
