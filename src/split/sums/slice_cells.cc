// Computes differences of the whole table. Few of its cells are not empty.
#include "split/sums/slice_cells.h"

#include <utility>

namespace fathom::split::sums {

void SliceCells::add(const SliceCells& other) {
  SliceCells both;
  std::size_t a = 0, b = 0;
  while (a < at.size() || b < other.at.size()) {
    const bool from_a = b == other.at.size() || (a < at.size() && at[a] <= other.at[b]);
    const bool from_b = a == at.size() || (b < other.at.size() && other.at[b] <= at[a]);
    both.at.push_back(from_a ? at[a] : other.at[b]);
    both.cells.push_back(from_a ? cells[a] : other.cells[b]);
    if (from_a && from_b) both.cells.back().add(other.cells[b]);
    a += from_a ? 1 : 0;
    b += from_b ? 1 : 0;
  }
  *this = std::move(both);
}

void SliceLedger::take(std::span<const BandCell> now) {
  before_.resize(kCells);
  SliceCells slice;
  for (std::size_t i = 0; i < kCells && i < now.size(); ++i) {
    if (now[i].ios == before_[i].ios) continue;
    slice.at.push_back(static_cast<std::uint16_t>(i));
    slice.cells.push_back(now[i].since(before_[i]));
    before_[i] = now[i];
  }
  if (slice.at.empty()) return;
  ++slices_;
  if (in_last_ > 0 && in_last_ < per_group_) {
    groups_.back().add(slice);
    ++in_last_;
    return;
  }
  if (groups_.size() == most_) put_together();
  groups_.push_back(std::move(slice));
  in_last_ = 1;
}

void SliceLedger::put_together() {
  std::vector<SliceCells> longer;
  for (std::size_t i = 0; i < groups_.size(); i += 2) {
    longer.push_back(std::move(groups_[i]));
    if (i + 1 < groups_.size()) longer.back().add(groups_[i + 1]);
  }
  groups_ = std::move(longer);
  per_group_ *= 2;
}

}  // namespace fathom::split::sums
