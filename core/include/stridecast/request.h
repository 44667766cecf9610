// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A Signature is everything about a request but its data: operand descriptors,
// a program and what is asked of the results. It is plain data as the caller
// stated it, nothing checked beyond the descriptors; the server settles the
// rest. ProgramBuilder (stridecast/program.h) writes it. Field names are those
// of stridecast.v1.ComputeSpec.
//
// Values: operands are 0 ... operands.size()-1, instruction i makes value
// operands.size()+i. An instruction names smaller values only.

#ifndef STRIDECAST_REQUEST_H_
#define STRIDECAST_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "stridecast/dtype.h"
#include "stridecast/layout.h"
#include "stridecast/operation.h"
#include "stridecast/shape.h"
#include "stridecast/tensor.h"

namespace stridecast {

// Data that the program carries itself; `data` has desc.size_bytes() bytes.
struct ConstantAttribute {
  TensorDesc desc;
  std::string data;
};

// Result dimension dimensions[i] is operand dimension i, whose extent is 1 or
// that of the result. Distinct; need not ascend.
struct BroadcastInDimAttribute {
  DimVector shape;
  DimVector dimensions;
};

struct DimensionsAttribute {
  DimVector dimensions;
};

// Elements start, start+step, ... below limit, per dimension. An empty step is
// all ones.
struct SliceAttribute {
  DimVector start;
  DimVector limit;
  DimVector step;
};

// Per dimension; low and high may be negative (they crop), interior may not.
struct PadAttribute {
  DimVector low;
  DimVector high;
  DimVector interior;
};

struct ReshapeAttribute {
  DimVector shape;
};

// What becomes of a number that the target type cannot hold.
enum class Overflow : int8_t {
  kUnspecified = 0,  // integer to integer: wrap; float to integer: saturate
  kSaturate = 1,
  kWrap = 2,
};

struct ConvertAttribute {
  DType type;
  Overflow overflow = Overflow::kUnspecified;
};

struct CompareAttribute {
  enum class Direction : int8_t {
    kEq = 1,
    kNe = 2,
    kGe = 3,
    kGt = 4,
    kLe = 5,
    kLt = 6,
  };
  Direction direction;
  bool total_order = false;
};

struct ReducePrecisionAttribute {
  int32_t exponent_bits;
  int32_t mantissa_bits;
};

struct ScalarsAttribute {
  std::optional<double> alpha;
  std::optional<double> beta;
};

struct QuantizeAttribute {
  DType type;
  DimVector broadcast_dimensions;
};

struct IotaAttribute {
  DType type;
  DimVector shape;
  int64_t dimension;
};

using Attribute =
    std::variant<std::monostate, ConstantAttribute, BroadcastInDimAttribute,
                 DimensionsAttribute, SliceAttribute, PadAttribute,
                 ReshapeAttribute, ConvertAttribute, CompareAttribute,
                 ReducePrecisionAttribute, ScalarsAttribute, QuantizeAttribute,
                 IotaAttribute>;

// The field of stridecast.v1.Instruction that holds this attribute:
// "broadcast_in_dim"; "" for none.
absl::string_view AttributeName(const Attribute& attribute);

struct Instruction {
  Opcode opcode;
  absl::InlinedVector<uint32_t, 3> operands;
  DimVector broadcast_dimensions;
  Attribute attribute;
};

struct ResultSpec {
  std::optional<uint32_t> value;   // absent: the last value
  std::optional<DType> type;       // checked if present
  std::optional<DimVector> shape;  // checked if present
  PhysicalForm form;               // monostate: row-major, dense
};

struct Signature {
  std::vector<TensorDesc> operands;
  std::vector<Instruction> instructions;
  std::vector<ResultSpec> results;
};

}  // namespace stridecast

#endif  // STRIDECAST_REQUEST_H_
