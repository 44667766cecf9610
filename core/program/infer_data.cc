// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/program/infer_data.h"

#include <algorithm>
#include <limits>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "core/program/attribute.h"
#include "core/tensor/checked_math.h"

namespace stridecast {
namespace {

absl::Status CheckDimension(absl::string_view field, int64_t dim,
                            const ValueType& operand) {
  if (dim < 0 || dim >= operand.shape.rank()) {
    return FieldError(field, dim, " is not in [0,", operand.shape.rank(),
                      ") of operand ", Human(operand));
  }
  return absl::OkStatus();
}

// Checks that dimensions are dimensions of the operand and distinct.
absl::Status CheckDistinct(absl::Span<const int64_t> dimensions,
                           const ValueType& operand) {
  uint32_t seen = 0;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const std::string field = absl::StrCat("dimensions.dimensions[", i, "]");
    RETURN_IF_ERROR(CheckDimension(field, dimensions[i], operand));
    if ((seen >> dimensions[i] & 1) != 0) {
      return FieldError(field, dimensions[i], " stands twice in ",
                        ListToString(dimensions));
    }
    seen |= uint32_t{1} << dimensions[i];
  }
  return absl::OkStatus();
}

absl::Status InferTranspose(const Instruction& instruction,
                            const ValueType& operand, ValueType& value) {
  ASSIGN_OR_RETURN(const auto* attribute,
                   AttributeAs<DimensionsAttribute>(instruction, "dimensions"));
  const DimVector& permutation = attribute->dimensions;
  if (static_cast<int>(permutation.size()) != operand.shape.rank()) {
    return FieldError("dimensions.dimensions", permutation.size(),
                      " entries for operand ", Human(operand), " of rank ",
                      operand.shape.rank());
  }
  RETURN_IF_ERROR(CheckDistinct(permutation, operand));
  DimVector extents;
  for (int64_t dim : permutation) {
    extents.push_back(operand.shape.extent(static_cast<int>(dim)));
  }
  ASSIGN_OR_RETURN(value.shape, Shape::Create(extents));
  return absl::OkStatus();
}

absl::Status InferReverse(const Instruction& instruction,
                          const ValueType& operand, ValueType& value) {
  ASSIGN_OR_RETURN(const auto* attribute,
                   AttributeAs<DimensionsAttribute>(instruction, "dimensions"));
  RETURN_IF_ERROR(CheckDistinct(attribute->dimensions, operand));
  value.shape = operand.shape;
  return absl::OkStatus();
}

absl::Status CheckPerDimension(absl::string_view field, const DimVector& list,
                               const ValueType& operand) {
  if (static_cast<int>(list.size()) == operand.shape.rank()) {
    return absl::OkStatus();
  }
  return FieldError(field, list.size(), " entries for operand ", Human(operand),
                    " of rank ", operand.shape.rank());
}

absl::Status InferSlice(const Instruction& instruction,
                        const ValueType& operand, ValueType& value) {
  ASSIGN_OR_RETURN(const auto* slice,
                   AttributeAs<SliceAttribute>(instruction, "slice"));
  const int rank = operand.shape.rank();
  RETURN_IF_ERROR(CheckPerDimension("slice.start", slice->start, operand));
  RETURN_IF_ERROR(CheckPerDimension("slice.limit", slice->limit, operand));
  if (!slice->step.empty()) {
    RETURN_IF_ERROR(CheckPerDimension("slice.step", slice->step, operand));
  }
  DimVector extents;
  for (int d = 0; d < rank; ++d) {
    const int64_t start = slice->start[d];
    const int64_t limit = slice->limit[d];
    const int64_t step = slice->step.empty() ? 1 : slice->step[d];
    if (start < 0 || start > limit) {
      return FieldError(absl::StrCat("slice.start[", d, "]"), start,
                        " is not in [0,", limit, "], limit being ", limit);
    }
    if (limit > operand.shape.extent(d)) {
      return FieldError(absl::StrCat("slice.limit[", d, "]"), limit,
                        " is past the extent ", operand.shape.extent(d),
                        " of dimension ", d, " of ", Human(operand));
    }
    if (step <= 0) {
      return FieldError(absl::StrCat("slice.step[", d, "]"), step,
                        " is not positive");
    }
    // ceil((limit - start) / step), safe for any step.
    extents.push_back(limit == start ? 0 : (limit - start - 1) / step + 1);
  }
  ASSIGN_OR_RETURN(value.shape, Shape::Create(extents));
  return absl::OkStatus();
}

absl::Status InferReshape(const Instruction& instruction,
                          const ValueType& operand, ValueType& value) {
  ASSIGN_OR_RETURN(const auto* reshape,
                   AttributeAs<ReshapeAttribute>(instruction, "reshape"));
  const auto shape = Shape::Create(reshape->shape);
  if (!shape.ok()) return PrefixField("reshape.", shape.status());
  if (shape->num_elements() != operand.shape.num_elements()) {
    return FieldError("reshape.dimensions",
                      "Reshape operation has mismatched element counts: from=",
                      operand.shape.num_elements(), " (", Human(operand),
                      ") to=", shape->num_elements(), " (",
                      ShapeToString(operand.type, *shape), ")");
  }
  value.shape = *shape;
  return absl::OkStatus();
}

absl::Status InferConcatenate(const Instruction& instruction,
                              absl::Span<const ValueType> operands,
                              ValueType& value) {
  constexpr absl::string_view kField = "dimensions.dimensions";
  ASSIGN_OR_RETURN(const auto* attribute,
                   AttributeAs<DimensionsAttribute>(instruction, "dimensions"));
  if (attribute->dimensions.size() != 1) {
    return FieldError(kField, attribute->dimensions.size(),
                      " entries; CONCATENATE takes exactly one");
  }
  const int64_t dim = attribute->dimensions[0];
  const Shape& first = operands[0].shape;
  if (dim < 0 || dim >= first.rank()) {
    return FieldError(absl::StrCat(kField, "[0]"),
                      "Concatenate dimension out of bounds: ", dim,
                      " is not in [0,", first.rank(), ") of ",
                      Human(operands[0]));
  }
  DimVector extents(first.extents().begin(), first.extents().end());
  for (size_t i = 1; i < operands.size(); ++i) {
    const std::string field = absl::StrCat("operands[", i, "]");
    const Shape& shape = operands[i].shape;
    if (shape.rank() != first.rank()) {
      return FieldError(field,
                        "Cannot concatenate arrays with different ranks: ",
                        first.rank(), " (", Human(operands[0]), ") vs ",
                        shape.rank(), " (", Human(operands[i]), ")");
    }
    if (operands[i].type != operands[0].type) {
      return FieldError(
          field, "Cannot concatenate arrays with different element types: ",
          DTypeName(operands[0].type), " vs ", DTypeName(operands[i].type));
    }
    for (int d = 0; d < first.rank(); ++d) {
      if (d == dim || shape.extent(d) == first.extent(d)) continue;
      return FieldError(
          field,
          "Cannot concatenate arrays that differ in dimensions other than the "
          "one being concatenated. Dimension ",
          d, " in both shapes must be equal: ", Human(operands[0]), " vs ",
          Human(operands[i]));
    }
    if (__builtin_add_overflow(
            extents[dim], shape.extent(static_cast<int>(dim)), &extents[dim])) {
      return FieldError(field, "the extents of dimension ", dim,
                        " add up to more than 2^63-1");
    }
  }
  ASSIGN_OR_RETURN(value.shape, Shape::Create(extents));
  return absl::OkStatus();
}

absl::Status InferPad(const Instruction& instruction,
                      absl::Span<const ValueType> operands, ValueType& value) {
  ASSIGN_OR_RETURN(const auto* pad,
                   AttributeAs<PadAttribute>(instruction, "pad"));
  const ValueType& operand = operands[0];
  if (operands[1].type != operand.type) {
    return FieldError("operands[1]",
                      "The element types of the operands to Pad do not match: ",
                      Human(operand), " and ", Human(operands[1]));
  }
  if (operands[1].shape.rank() != 0) {
    return FieldError(
        "operands[1]",
        "Pad operation does not support non-scalar padding values: ",
        Human(operands[1]));
  }
  RETURN_IF_ERROR(CheckPerDimension("pad.low", pad->low, operand));
  RETURN_IF_ERROR(CheckPerDimension("pad.high", pad->high, operand));
  RETURN_IF_ERROR(CheckPerDimension("pad.interior", pad->interior, operand));
  DimVector extents;
  for (int d = 0; d < operand.shape.rank(); ++d) {
    if (pad->interior[d] < 0) {
      return FieldError(
          absl::StrCat("pad.interior[", d, "]"),
          "Interior padding cannot be negative: ", pad->interior[d]);
    }
    const int64_t extent = operand.shape.extent(d);
    // Terms past 2^63 may make up for each other.
    const absl::int128 padded =
        absl::int128(std::max<int64_t>(extent - 1, 0)) * pad->interior[d] +
        extent + pad->low[d] + pad->high[d];
    if (padded < 0 || padded > std::numeric_limits<int64_t>::max()) {
      return FieldError(
          absl::StrCat("pad.high[", d, "]"),
          padded < 0 ? "Padding result in negative size for dimension "
                     : "Padding result in a size past 2^63-1 for dimension ",
          d, ": ", extent, " with low ", pad->low[d], ", high ", pad->high[d],
          ", interior ", pad->interior[d]);
    }
    extents.push_back(static_cast<int64_t>(padded));
  }
  ASSIGN_OR_RETURN(value.shape, Shape::Create(extents));
  return absl::OkStatus();
}

absl::Status InferIota(const Instruction& instruction, ValueType& value) {
  ASSIGN_OR_RETURN(const auto* iota,
                   AttributeAs<IotaAttribute>(instruction, "iota"));
  const Operation& operation = OperationOf(instruction.opcode);
  if (!operation.IsDefinedOn(iota->type)) {
    return FieldError("iota.type", operation.label, " is not defined on ",
                      DTypeName(iota->type));
  }
  const auto shape = Shape::Create(iota->shape);
  if (!shape.ok()) return PrefixField("iota.shape.", shape.status());
  if (iota->dimension < 0 || iota->dimension >= shape->rank()) {
    return FieldError("iota.dimension", iota->dimension, " is not in [0,",
                      shape->rank(), ") of ",
                      ShapeToString(iota->type, *shape));
  }
  value = {iota->type, *shape};
  return absl::OkStatus();
}

absl::Status InferBitcastConvert(const Instruction& instruction,
                                 const ValueType& operand, ValueType& value) {
  ASSIGN_OR_RETURN(const auto* convert,
                   AttributeAs<ConvertAttribute>(instruction, "convert"));
  const DType to = convert->type;
  if (convert->overflow != Overflow::kUnspecified) {
    return FieldError("convert.overflow",
                      "BITCAST_CONVERT keeps the bits; it takes none");
  }
  const bool is_pred = operand.type == DType::kPred;
  if (IsComplex(operand.type) != IsComplex(to) ||
      is_pred != (to == DType::kPred)) {
    return FieldError("convert.type", DTypeName(operand.type),
                      " cannot be bitcast to ", DTypeName(to), ": ",
                      is_pred || to == DType::kPred
                          ? "pred only to pred"
                          : "complex only to complex");
  }
  DimVector extents(operand.shape.extents().begin(),
                    operand.shape.extents().end());
  const int64_t from_bytes = ElementBytes(operand.type);
  const int64_t to_bytes = ElementBytes(to);
  if (to_bytes < from_bytes) {
    extents.push_back(from_bytes / to_bytes);
  } else if (to_bytes > from_bytes) {
    const int64_t ratio = to_bytes / from_bytes;
    if (extents.empty() || extents.back() != ratio) {
      return FieldError("convert.type", DTypeName(to), " is ", ratio,
                        " times as wide as ", DTypeName(operand.type),
                        "; the last dimension must have that extent, got ",
                        Human(operand));
    }
    extents.pop_back();
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(extents));
  value = {to, shape};
  return absl::OkStatus();
}

}  // namespace

absl::Status InferDataOperation(const Instruction& instruction,
                                absl::Span<const ValueType> operands,
                                ValueType& value) {
  switch (OperationOf(instruction.opcode).form) {
    case Form::kTranspose:
      return InferTranspose(instruction, operands[0], value);
    case Form::kReverse:
      return InferReverse(instruction, operands[0], value);
    case Form::kSlice:
      return InferSlice(instruction, operands[0], value);
    case Form::kReshape:
      return InferReshape(instruction, operands[0], value);
    case Form::kConcatenate:
      return InferConcatenate(instruction, operands, value);
    case Form::kPad:
      return InferPad(instruction, operands, value);
    case Form::kIota:
      return InferIota(instruction, value);
    case Form::kBitcastConvert:
      return InferBitcastConvert(instruction, operands[0], value);
    default:
      return absl::InternalError(": no data operation");
  }
}

}  // namespace stridecast
