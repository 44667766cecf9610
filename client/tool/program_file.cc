// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/program_file.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/tool/file_bytes.h"
#include "client/tool/tensor_argument.h"
#include "client/tool/usage_error.h"
#include "google/protobuf/util/json_util.h"
#include "grpcpp/support/byte_buffer.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/tensor_codec.h"
#include "stridecast/status_macros.h"
#include "stridecast/v1/service.pb.h"

namespace stridecast {
namespace {

// More are refused by any server; keeps "999999999=FILE" from allocating.
constexpr size_t kMaxOperands = 1024;

absl::StatusOr<v1::ComputeSpec> ParseProgram(const std::string& json) {
  v1::ComputeSpec spec;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &spec);
  if (!status.ok()) {
    const auto text = status.message();
    return absl::InvalidArgumentError(
        absl::StrCat("no ComputeSpec in JSON: ",
                     absl::string_view(text.data(), text.size())));
  }
  return spec;
}

// The files by operand number; where none is given, none.
absl::StatusOr<std::vector<std::optional<std::string>>> AssignFiles(
    const std::vector<std::string>& arguments) {
  std::vector<std::optional<std::string>> files;
  size_t next = 0;
  for (const std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    size_t operand = 0;
    std::string path = argument;
    if (equals != std::string::npos &&
        absl::SimpleAtoi(argument.substr(0, equals), &operand)) {
      path = argument.substr(equals + 1);
    } else {
      while (next < files.size() && files[next]) ++next;
      operand = next;
    }
    if (operand >= kMaxOperands) {
      return UsageError(
          absl::StrCat(argument, ": operand ", operand, " is too many"));
    }
    if (operand >= files.size()) files.resize(operand + 1);
    if (files[operand]) {
      return UsageError(
          absl::StrCat(argument, ": operand ", operand, " already has a file"));
    }
    files[operand] = std::move(path);
  }
  return files;
}

// The descriptor that the program states, if it does.
absl::StatusOr<std::optional<TensorDesc>> StatedDesc(const v1::TensorDesc& m) {
  if (m.ByteSizeLong() == 0) return std::optional<TensorDesc>();
  ASSIGN_OR_RETURN(TensorDesc desc, TensorDescFromProto(m));
  return std::optional<TensorDesc>(std::move(desc));
}

absl::Status LoadOperands(const std::vector<std::string>& arguments,
                          TensorPart part, v1::ComputeSpec* spec,
                          std::vector<LoadedTensor>* operands) {
  ASSIGN_OR_RETURN(const auto files, AssignFiles(arguments));
  if (spec->operands().empty()) {
    for (size_t i = 0; i < files.size(); ++i) spec->add_operands();
  }
  if (static_cast<size_t>(spec->operands_size()) != files.size()) {
    return UsageError(absl::StrCat("the program has ", spec->operands_size(),
                                   " operands; files are given for ",
                                   files.size()));
  }
  for (size_t i = 0; i < files.size(); ++i) {
    v1::TensorDesc* message = spec->mutable_operands(static_cast<int>(i));
    auto stated = StatedDesc(*message);
    if (!stated.ok()) {
      return PrefixField(absl::StrCat("operands[", i, "]."), stated.status());
    }
    if (!files[i]) {
      return UsageError(absl::StrCat("no file for operand ", i));
    }
    ASSIGN_OR_RETURN(LoadedTensor loaded, LoadTensor(*files[i], *stated, part));
    *message = TensorDescToProto(loaded.desc);
    operands->push_back(std::move(loaded));
  }
  return absl::OkStatus();
}

// Tensors more than a program needs would also change what its numbers mean:
// instructions are counted from behind the last operand.
absl::Status CheckAllUsed(const Signature& signature) {
  std::vector<bool> used(signature.operands.size());
  const auto use = [&used](uint32_t value) {
    if (value < used.size()) used[value] = true;
  };
  for (const Instruction& instruction : signature.instructions) {
    for (uint32_t operand : instruction.operands) use(operand);
  }
  for (const ResultSpec& result : signature.results) {
    // Absent, the last value; with no instruction that is an operand.
    use(result.value.value_or(static_cast<uint32_t>(
        used.size() + signature.instructions.size() - 1)));
  }
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused == used.end()) return absl::OkStatus();
  return UsageError(absl::StrCat("the program, which does not describe its ",
                                 "operands, does not use operand ",
                                 unused - used.begin(), " of the ", used.size(),
                                 " that are given"));
}

absl::Status CheckPipes(const std::string& program,
                        const std::vector<std::string>& operands) {
  std::vector<std::string> paths = {program};
  for (const std::string& argument : operands) {
    paths.push_back(PathOfArgument(argument.substr(argument.find('=') + 1)));
  }
  return CheckOnePipe(paths, "standard input");
}

absl::StatusOr<Signature> ToSignature(const v1::ComputeSpec& spec) {
  v1::ExplainRequest request;
  *request.mutable_compute() = spec;
  const grpc::Slice bytes(request.SerializeAsString());
  ASSIGN_OR_RETURN(DecodedRequest decoded,
                   DecodeExplainRequest(grpc::ByteBuffer(&bytes, 1)));
  return std::move(decoded.signature);
}

}  // namespace

absl::StatusOr<LoadedProgram> LoadProgram(
    const std::string& path, const std::vector<std::string>& operand_files,
    TensorPart part) {
  RETURN_IF_ERROR(CheckPipes(path, operand_files));
  const std::string prefix = absl::StrCat(path, ": ");
  ASSIGN_OR_RETURN(const std::string json, ReadFile(path));
  auto spec = ParseProgram(json);
  if (!spec.ok()) return PrefixField(prefix, spec.status());
  LoadedProgram program;
  const bool describes_operands = spec->operands_size() > 0;
  if (!operand_files.empty()) {
    RETURN_IF_ERROR(
        LoadOperands(operand_files, part, &*spec, &program.operands));
  }
  auto signature = ToSignature(*spec);
  if (!signature.ok()) return PrefixField(prefix, signature.status());
  program.signature = *std::move(signature);
  if (!describes_operands) RETURN_IF_ERROR(CheckAllUsed(program.signature));
  return program;
}

}  // namespace stridecast
