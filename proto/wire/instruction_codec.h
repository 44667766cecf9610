// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Instructions and their attributes. What is checked here is what the message
// alone shows: that opcode and enums mean something, and that the attribute is
// the one that the opcode's Form takes. The rest is Engine::Prepare's.

#ifndef STRIDECAST_PROTO_WIRE_INSTRUCTION_CODEC_H_
#define STRIDECAST_PROTO_WIRE_INSTRUCTION_CODEC_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "stridecast/request.h"
#include "stridecast/v1/program.pb.h"

namespace stridecast {

// `scalars` that are left out become a ScalarsAttribute without numbers.
// Errors, the field relative to Instruction and followed by the operation,
// "slice (SLICE): ...": kInvalidArgument; kUnimplemented for an opcode without
// a meaning. A typed list in a constant is taken off `typed_elements_left`.
absl::StatusOr<Instruction> InstructionFromProto(const v1::Instruction& message,
                                                 int64_t& typed_elements_left);
v1::Instruction InstructionToProto(const Instruction& instruction);

absl::StatusOr<ConvertAttribute> ConvertFromProto(const v1::Convert& message);
v1::Convert ConvertToProto(const ConvertAttribute& convert);

}  // namespace stridecast

#endif  // STRIDECAST_PROTO_WIRE_INSTRUCTION_CODEC_H_
