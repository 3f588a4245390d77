// Each turn selects a place. The file of that place is looked up last.
#include "workload/places/file_choice.h"

#include <algorithm>
#include <type_traits>

namespace fathom::workload::places {
namespace {

constexpr std::uint64_t kPartsOfFile = 1024;

}  // namespace

std::uint32_t open_places(const job::Job& job, std::size_t files) {
  const auto most = job.of<job::fields::FileOptions>().openfiles;
  const auto all = static_cast<std::uint32_t>(files);
  return most == 0 ? all : std::min(most, all);
}

bool FileChoice::needed(const job::Job& job, std::size_t files) {
  const auto& options = job.of<job::fields::FileOptions>();
  return options.order != job::fields::FileOrder::roundrobin || options.ios_a_turn != 1 ||
         open_places(job, files) < files;
}

FileChoice::FileChoice(const job::Job& job, std::uint32_t files, std::uint64_t seed)
    : order_(job.of<job::fields::FileOptions>().order),
      files_(files),
      ios_a_turn_(job.of<job::fields::FileOptions>().ios_a_turn),
      in_place_(open_places(job, files)),
      draws_(seed) {
  if (never_ends()) choose_ranks(job.of<job::fields::FileOptions>().drawn_by);
  begun_ = draws_;
  rewind();
}

void FileChoice::reset() {
  draws_ = begun_;
  place_ = ios_left_ = 0;
  rewind();
}

void FileChoice::choose_ranks(const pattern::Spec& spec) {
  const std::uint64_t n = in_place_.size() * kPartsOfFile;
  first_ = draws_.below(n);
  if (spec.kind == pattern::Kind::zipf)
    ranks_.emplace<pattern::draws::Zipf>(spec.parameter, n);
  else if (spec.kind == pattern::Kind::pareto)
    ranks_.emplace<pattern::draws::Pareto>(spec.parameter, n);
  else
    ranks_.emplace<pattern::draws::Normal>(spec.parameter, n);
}

void FileChoice::rewind() {
  for (std::uint32_t place = 0; place < in_place_.size(); ++place) in_place_[place] = place;
}

bool FileChoice::left(const std::vector<Cursor>& files, std::uint32_t place) {
  std::uint32_t& file = in_place_[place];
  while (file < files_ && files[file].done) file += static_cast<std::uint32_t>(in_place_.size());
  return file < files_;
}

std::uint32_t FileChoice::draw_place() {
  const auto rank = std::visit(
      [this](const auto& ranks) -> std::uint64_t {
        if constexpr (std::is_same_v<std::decay_t<decltype(ranks)>, std::monostate>)
          return 0;
        else
          return ranks(draws_);
      },
      ranks_);
  if (never_ends()) return static_cast<std::uint32_t>((rank + first_) / kPartsOfFile % in_place_.size());
  return static_cast<std::uint32_t>(draws_.below(in_place_.size()));
}

bool FileChoice::next(const std::vector<Cursor>& files, std::uint32_t& file) {
  const auto places = static_cast<std::uint32_t>(in_place_.size());
  const bool draws = order_ == job::fields::FileOrder::random || order_ == job::fields::FileOrder::drawn;
  if (ios_left_ == 0 && draws) {
    place_ = draw_place();
    ios_left_ = ios_a_turn_;
  } else if (ios_left_ == 0) {
    ios_left_ = ios_a_turn_;
  }
  for (std::uint32_t tried = 0; tried < places; ++tried) {
    if (left(files, place_)) {
      file = in_place_[place_];
      if (order_ != job::fields::FileOrder::sequential && --ios_left_ == 0 && !draws)
        place_ = place_ + 1 == places ? 0 : place_ + 1;
      return true;
    }
    place_ = place_ + 1 == places ? 0 : place_ + 1;
    ios_left_ = ios_a_turn_;
  }
  return false;
}

}  // namespace fathom::workload::places
