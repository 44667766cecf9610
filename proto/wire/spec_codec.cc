// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/spec_codec.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/instruction_codec.h"
#include "proto/wire/tensor_codec.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// Far above every limit of Engine::Prepare. It bounds what we allocate: an
// empty message is two bytes on the wire and hundreds as a C++ object.
constexpr int kMaxEntries = 4096;

absl::Status CheckCount(absl::string_view field, int count) {
  if (count > kMaxEntries) {
    return FieldError(field, count, " entries; no server takes more than ",
                      kMaxEntries);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Encoding> EncodingFromProto(const v1::ResultSpec& message) {
  if (!v1::ResultSpec::Encoding_IsValid(message.encoding())) {
    return FieldError("encoding", static_cast<int>(message.encoding()),
                      " is not an encoding of this server");
  }
  return static_cast<Encoding>(message.encoding());
}

absl::StatusOr<ResultSpec> ResultSpecFromProto(const v1::ResultSpec& message) {
  ResultSpec result;
  if (message.has_value()) result.value = message.value();
  if (message.type() != v1::DTYPE_UNSPECIFIED) {
    ASSIGN_OR_RETURN(result.type, DTypeFromProto(message.type(), "type"));
  }
  if (message.has_shape()) {
    result.shape = DimsFromProto(message.shape().dimensions());
  }
  ASSIGN_OR_RETURN(result.form, FormFromProto(message));
  return result;
}

v1::ResultSpec ResultSpecToProto(const ResultSpec& result, Encoding encoding) {
  v1::ResultSpec message;
  if (result.value) message.set_value(*result.value);
  if (result.type) message.set_type(DTypeToProto(*result.type));
  if (result.shape) {
    DimsToProto(*result.shape, message.mutable_shape()->mutable_dimensions());
  }
  FormToProto(result.form, &message);
  message.set_encoding(static_cast<v1::ResultSpec::Encoding>(encoding));
  return message;
}

absl::StatusOr<DecodedSpec> SpecFromProto(const v1::ComputeSpec& message,
                                          int64_t& typed_elements_left) {
  RETURN_IF_ERROR(CheckCount("operands", message.operands_size()));
  RETURN_IF_ERROR(CheckCount("instructions", message.instructions_size()));
  RETURN_IF_ERROR(CheckCount("results", message.results_size()));
  DecodedSpec spec;
  for (int i = 0; i < message.operands_size(); ++i) {
    auto desc = TensorDescFromProto(message.operands(i));
    if (!desc.ok()) {
      return PrefixField(absl::StrCat("operands[", i, "]."), desc.status());
    }
    spec.signature.operands.push_back(*std::move(desc));
  }
  for (int i = 0; i < message.instructions_size(); ++i) {
    auto instruction =
        InstructionFromProto(message.instructions(i), typed_elements_left);
    if (!instruction.ok()) {
      return PrefixField(absl::StrCat("instructions[", i, "]."),
                         instruction.status());
    }
    spec.signature.instructions.push_back(*std::move(instruction));
  }
  for (int i = 0; i < message.results_size(); ++i) {
    const std::string path = absl::StrCat("results[", i, "].");
    auto result = ResultSpecFromProto(message.results(i));
    if (!result.ok()) return PrefixField(path, result.status());
    spec.signature.results.push_back(*std::move(result));
    const auto encoding = EncodingFromProto(message.results(i));
    if (!encoding.ok()) return PrefixField(path, encoding.status());
    spec.encodings.push_back(*encoding);
  }
  return spec;
}

v1::ComputeSpec SpecToProto(const Signature& signature,
                            absl::Span<const Encoding> encodings) {
  v1::ComputeSpec message;
  for (const TensorDesc& desc : signature.operands) {
    *message.add_operands() = TensorDescToProto(desc);
  }
  for (const Instruction& instruction : signature.instructions) {
    *message.add_instructions() = InstructionToProto(instruction);
  }
  for (size_t i = 0; i < signature.results.size(); ++i) {
    *message.add_results() =
        ResultSpecToProto(signature.results[i], encodings[i]);
  }
  return message;
}

}  // namespace stridecast
