// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// ComputeSpec to and from Signature.

#ifndef STRIDECAST_PROTO_WIRE_SPEC_CODEC_H_
#define STRIDECAST_PROTO_WIRE_SPEC_CODEC_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proto/wire/request_codec.h"
#include "stridecast/request.h"
#include "stridecast/v1/program.pb.h"

namespace stridecast {

// A Signature and what it has no place for.
struct DecodedSpec {
  Signature signature;
  std::vector<Encoding> encodings;  // one per result, as stated: may be kAuto
};

// Errors, the field relative to ComputeSpec: kInvalidArgument; kUnimplemented
// for an opcode without a meaning. Typed lists in constants are taken off
// `typed_elements_left`.
absl::StatusOr<DecodedSpec> SpecFromProto(const v1::ComputeSpec& message,
                                          int64_t& typed_elements_left);
// `encodings` has one entry per result.
v1::ComputeSpec SpecToProto(const Signature& signature,
                            absl::Span<const Encoding> encodings);

// The parts of it that Relayout has too.
absl::StatusOr<ResultSpec> ResultSpecFromProto(const v1::ResultSpec& message);
absl::StatusOr<Encoding> EncodingFromProto(const v1::ResultSpec& message);
v1::ResultSpec ResultSpecToProto(const ResultSpec& result, Encoding encoding);

}  // namespace stridecast

#endif  // STRIDECAST_PROTO_WIRE_SPEC_CODEC_H_
