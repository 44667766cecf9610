// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/program/parts.h"

#include <algorithm>
#include <utility>

#include "absl/numeric/int128.h"

namespace stridecast {
namespace {

std::vector<Part> PartsOfConcatenate(const Program& program, int value) {
  const Instruction& instruction = program.instruction(value);
  const auto dim = static_cast<int>(
      std::get<DimensionsAttribute>(instruction.attribute).dimensions[0]);
  const int rank = program.value(value).shape.rank();
  std::vector<Part> parts;
  int64_t start = 0;
  for (const uint32_t operand : instruction.operands) {
    const Shape& shape = program.value(static_cast<int>(operand)).shape;
    if (shape.num_elements() == 0) continue;
    Part part{{DimVector(rank, 0), DimVector(rank, 1), shape},
              static_cast<int>(operand),
              View::Identity(shape)};
    part.box.start[dim] = start;
    start += shape.extent(dim);
    parts.push_back(std::move(part));
  }
  return parts;
}

// The indices that the operand's elements get, and which elements these are:
// first[d] + i of dimension d.
struct Kept {
  Box box;
  DimVector first;
};

Kept KeptByPad(const PadAttribute& pad, const Shape& operand,
               const Shape& result) {
  Kept kept;
  DimVector extents;
  for (int d = 0; d < result.rank(); ++d) {
    // Element i comes to lie at low + i * step. Those that are kept lie within
    // the result, the others may lie past 2^63.
    const absl::int128 step = absl::int128(pad.interior[d]) + 1;
    const absl::int128 low = pad.low[d];
    const absl::int128 first = low < 0 ? (-low - 1) / step + 1 : 0;
    const absl::int128 room = result.extent(d) - 1 - low;
    const absl::int128 last =
        room < 0 ? -1
                 : std::min<absl::int128>(operand.extent(d) - 1, room / step);
    const auto extent =
        static_cast<int64_t>(std::max<absl::int128>(last - first + 1, 0));
    const auto at = [extent](absl::int128 value) {
      return extent == 0 ? 0 : static_cast<int64_t>(value);
    };
    kept.first.push_back(at(first));
    kept.box.start.push_back(at(low + first * step));
    kept.box.step.push_back(extent > 1 ? static_cast<int64_t>(step) : 1);
    extents.push_back(extent);
  }
  kept.box.shape = *Shape::Create(extents);
  return kept;
}

// The operand's elements that are left, and slabs of the padding value around
// them; padding between them is a slab of all, under the operand.
std::vector<Part> PartsOfPad(const Program& program, int value) {
  const Instruction& instruction = program.instruction(value);
  const auto& pad = std::get<PadAttribute>(instruction.attribute);
  const int operand = static_cast<int>(instruction.operands[0]);
  const int padding = static_cast<int>(instruction.operands[1]);
  const Shape& shape = program.value(value).shape;
  const int rank = shape.rank();
  std::vector<Part> parts;
  const auto add_slab = [&](const DimVector& start, const DimVector& extents) {
    View repeat;
    repeat.axes.resize(rank);
    Box box{start, DimVector(rank, 1), *Shape::Create(extents)};
    if (box.shape.num_elements() == 0) return;
    parts.push_back({std::move(box), padding, std::move(repeat)});
  };

  const Kept kept = KeptByPad(pad, program.value(operand).shape, shape);
  const bool keeps_any = kept.box.shape.num_elements() > 0;
  const bool has_holes = std::any_of(kept.box.step.begin(), kept.box.step.end(),
                                     [](int64_t step) { return step > 1; });
  if (keeps_any) {
    View view = View::Identity(kept.box.shape);
    view.start = kept.first;
    parts.push_back({kept.box, operand, std::move(view), has_holes});
  }
  DimVector start(rank, 0);
  DimVector extents(shape.extents().begin(), shape.extents().end());
  if (has_holes || !keeps_any) {
    add_slab(start, extents);
    return parts;
  }
  for (int d = 0; d < rank; ++d) {
    const int64_t begin = kept.box.start[d];
    const int64_t end = begin + kept.box.shape.extent(d);
    const int64_t whole = extents[d];
    extents[d] = begin;
    add_slab(start, extents);
    start[d] = end;
    extents[d] = whole - end;
    add_slab(start, extents);
    start[d] = begin;
    extents[d] = end - begin;
  }
  return parts;
}

}  // namespace

std::vector<Part> PartsOf(const Program& program, int value) {
  const Form form = OperationOf(program.instruction(value).opcode).form;
  return form == Form::kConcatenate ? PartsOfConcatenate(program, value)
                                    : PartsOfPad(program, value);
}

}  // namespace stridecast
