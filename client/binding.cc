// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/binding.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

absl::Status CheckData(absl::string_view of, size_t index,
                       const TensorDesc& desc, const void* data) {
  if (data != nullptr || desc.size_bytes() == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(of, " ", index, ": data is null, of ", DescAndSize(desc)));
}

}  // namespace

bool AreAlike(const TensorDesc& a, const TensorDesc& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         a.size_bytes() == b.size_bytes() &&
         (a.num_elements() == 0 || (a.byte_offset() == b.byte_offset() &&
                                    a.byte_strides() == b.byte_strides()));
}

std::string DescAndSize(const TensorDesc& desc) {
  return absl::StrCat(desc.ToString(), ", ", desc.size_bytes(), " bytes");
}

SegmentedBytes BytesOf(const TensorView& view) {
  return SegmentedBytes(view.data, view.desc.size_bytes());
}

absl::StatusOr<std::vector<SegmentedBytes>> BindOperands(
    const Signature& signature, absl::Span<const TensorView> operands) {
  if (operands.size() != signature.operands.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(operands.size(), " operands given to a program of ",
                     signature.operands.size()));
  }
  std::vector<SegmentedBytes> payloads;
  for (size_t i = 0; i < operands.size(); ++i) {
    // A signature's descriptor decides how many bytes of the operand are sent.
    if (!AreAlike(operands[i].desc, signature.operands[i])) {
      return absl::InvalidArgumentError(absl::StrCat(
          "operand ", i, " given as ", DescAndSize(operands[i].desc),
          "; the program takes ", DescAndSize(signature.operands[i]),
          ", with exactly the strides of that"));
    }
    RETURN_IF_ERROR(
        CheckData("operand", i, operands[i].desc, operands[i].data));
    payloads.push_back(BytesOf(operands[i]));
  }
  return payloads;
}

absl::StatusOr<Signature> WithResults(Signature signature,
                                      absl::Span<const TensorDesc> results) {
  if (results.size() != signature.results.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(results.size(), " buffers given for ",
                     signature.results.size(), " results"));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const auto extents = results[i].shape().extents();
    signature.results[i].type = results[i].type();
    signature.results[i].shape = DimVector(extents.begin(), extents.end());
    signature.results[i].form = results[i].layout().form();
  }
  return signature;
}

absl::StatusOr<Signature> BindResults(
    const Signature& signature, absl::Span<const MutableTensorView> results) {
  RETURN_IF_ERROR(CheckMemory(results));
  return WithResults(signature, DescsOf(results));
}

absl::Status CheckMemory(absl::Span<const MutableTensorView> results) {
  for (size_t i = 0; i < results.size(); ++i) {
    RETURN_IF_ERROR(CheckData("result", i, results[i].desc, results[i].data));
  }
  return absl::OkStatus();
}

std::vector<TensorDesc> DescsOf(absl::Span<const MutableTensorView> views) {
  std::vector<TensorDesc> descs;
  for (const MutableTensorView& view : views) descs.push_back(view.desc);
  return descs;
}

}  // namespace stridecast
