// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Makes a failing request small and readable.

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tests/support/builders.h"
#include "tests/support/random_program.h"

namespace stridecast::testing {
namespace {

uint32_t ResultValue(const Signature& signature, const ResultSpec& spec) {
  return spec.value.value_or(static_cast<uint32_t>(
      signature.operands.size() + signature.instructions.size() - 1));
}

// Values stated, so that instructions may go.
RandomCase WithStatedValues(RandomCase c) {
  for (ResultSpec& spec : c.signature.results) {
    spec.value = ResultValue(c.signature, spec);
  }
  return c;
}

// Without the operands and instructions on which no result depends.
RandomCase Pruned(const RandomCase& from) {
  const Signature& old = from.signature;
  const size_t num_operands = old.operands.size();
  std::vector<bool> used(num_operands + old.instructions.size());
  for (const ResultSpec& spec : old.results) used[*spec.value] = true;
  for (size_t i = old.instructions.size(); i > 0; --i) {
    if (!used[num_operands + i - 1]) continue;
    for (uint32_t v : old.instructions[i - 1].operands) used[v] = true;
  }
  RandomCase pruned;
  std::vector<uint32_t> ids(used.size());
  uint32_t next = 0;
  for (size_t v = 0; v < used.size(); ++v) {
    if (!used[v]) continue;
    ids[v] = next++;
    if (v < num_operands) {
      pruned.signature.operands.push_back(old.operands[v]);
      pruned.operands.push_back(from.operands[v]);
      continue;
    }
    Instruction instruction = old.instructions[v - num_operands];
    for (uint32_t& value : instruction.operands) value = ids[value];
    pruned.signature.instructions.push_back(std::move(instruction));
  }
  pruned.signature.results = old.results;
  for (ResultSpec& spec : pruned.signature.results)
    spec.value = ids[*spec.value];
  return pruned;
}

// Instruction `index` gone: its value is an operand of what the oracle says.
RandomCase WithInstructionAsOperand(const RandomCase& from, size_t index) {
  const Signature& old = from.signature;
  const size_t gone = old.operands.size() + index;
  const LogicalTensor value = ReferenceValues(old, from.operands)[gone];
  RandomCase c = from;
  c.signature.operands.push_back(Desc(value.type, value.shape));
  c.operands.push_back(WriteTensor(value, {}));
  c.signature.instructions.erase(c.signature.instructions.begin() +
                                 static_cast<int64_t>(index));
  const auto renumber = [&](uint32_t id) {
    if (id == gone) return static_cast<uint32_t>(old.operands.size());
    return id >= old.operands.size() && id < gone ? id + 1 : id;
  };
  for (Instruction& instruction : c.signature.instructions) {
    for (uint32_t& id : instruction.operands) id = renumber(id);
  }
  for (ResultSpec& spec : c.signature.results)
    spec.value = renumber(*spec.value);
  return Pruned(c);
}

RandomCase WithDenseOperand(const RandomCase& from, size_t index) {
  RandomCase c = from;
  TensorDesc& desc = c.signature.operands[index];
  const LogicalTensor value =
      ReadTensor(desc.type(), desc.shape().extents(), desc.layout().form(),
                 c.operands[index]);
  desc = Desc(value.type, value.shape);
  c.operands[index] = WriteTensor(value, {});
  return c;
}

// All requests that are a little simpler.
std::vector<RandomCase> Simpler(const RandomCase& c) {
  std::vector<RandomCase> simpler;
  for (size_t r = 0; r < c.signature.results.size(); ++r) {
    if (c.signature.results.size() > 1) {
      RandomCase one = c;
      one.signature.results = {c.signature.results[r]};
      simpler.push_back(Pruned(one));
    }
    if (!std::holds_alternative<std::monostate>(c.signature.results[r].form)) {
      RandomCase dense = c;
      dense.signature.results[r].form = {};
      simpler.push_back(std::move(dense));
    }
  }
  const size_t num_operands = c.signature.operands.size();
  for (size_t i = 0; i < c.signature.instructions.size(); ++i) {
    RandomCase earlier = c;
    earlier.signature.results = {
        ResultOf(static_cast<uint32_t>(num_operands + i))};
    earlier = Pruned(earlier);
    if (earlier.signature.instructions.size() <
        c.signature.instructions.size()) {
      simpler.push_back(std::move(earlier));
    }
    simpler.push_back(WithInstructionAsOperand(c, i));
  }
  for (size_t i = 0; i < num_operands; ++i) {
    const TensorDesc& desc = c.signature.operands[i];
    const TensorDesc dense =
        TensorDesc::Create(desc.type(), desc.shape()).value();
    if (desc.layout().form() != dense.layout().form()) {
      simpler.push_back(WithDenseOperand(c, i));
    }
  }
  return simpler;
}

std::string ListOf(absl::Span<const int64_t> numbers) {
  return absl::StrCat("{", absl::StrJoin(numbers, ","), "}");
}

std::string AttributeToString(const Attribute& attribute) {
  if (const auto* a = std::get_if<ConstantAttribute>(&attribute)) {
    return absl::StrCat(" ", a->desc.ToString(), " ",
                        ToString(a->desc.layout().form()));
  }
  if (const auto* a = std::get_if<BroadcastInDimAttribute>(&attribute)) {
    return absl::StrCat(" to ", ListOf(a->shape), " dims ",
                        ListOf(a->dimensions));
  }
  if (const auto* a = std::get_if<DimensionsAttribute>(&attribute)) {
    return absl::StrCat(" dims ", ListOf(a->dimensions));
  }
  if (const auto* a = std::get_if<SliceAttribute>(&attribute)) {
    return absl::StrCat(" start ", ListOf(a->start), " limit ",
                        ListOf(a->limit), " step ", ListOf(a->step));
  }
  if (const auto* a = std::get_if<ConvertAttribute>(&attribute)) {
    return absl::StrCat(" to ", DTypeName(a->type), " overflow ",
                        static_cast<int>(a->overflow));
  }
  if (const auto* a = std::get_if<CompareAttribute>(&attribute)) {
    return absl::StrCat(" direction ", static_cast<int>(a->direction),
                        a->total_order ? " total order" : "");
  }
  if (const auto* a = std::get_if<PadAttribute>(&attribute)) {
    return absl::StrCat(" low ", ListOf(a->low), " high ", ListOf(a->high),
                        " interior ", ListOf(a->interior));
  }
  if (const auto* a = std::get_if<ReshapeAttribute>(&attribute)) {
    return absl::StrCat(" to ", ListOf(a->shape));
  }
  if (const auto* a = std::get_if<ReducePrecisionAttribute>(&attribute)) {
    return absl::StrCat(" to ", a->exponent_bits, " and ", a->mantissa_bits,
                        " bits");
  }
  if (const auto* a = std::get_if<ScalarsAttribute>(&attribute)) {
    const auto text = [](std::optional<double> number) {
      return number ? absl::StrCat(*number) : "default";
    };
    return absl::StrCat(" alpha ", text(a->alpha), " beta ", text(a->beta));
  }
  if (const auto* a = std::get_if<QuantizeAttribute>(&attribute)) {
    return absl::StrCat(" to ", DTypeName(a->type), " dims ",
                        ListOf(a->broadcast_dimensions));
  }
  if (const auto* a = std::get_if<IotaAttribute>(&attribute)) {
    return absl::StrCat(" ", DTypeName(a->type), " ", ListOf(a->shape), " dim ",
                        a->dimension);
  }
  return "";
}

}  // namespace

RandomCase Shrink(RandomCase failing,
                  const std::function<bool(const RandomCase&)>& fails) {
  failing = WithStatedValues(std::move(failing));
  for (bool shrunk = true; shrunk;) {
    shrunk = false;
    for (RandomCase& candidate : Simpler(failing)) {
      if (!fails(candidate)) continue;
      failing = std::move(candidate);
      shrunk = true;
      break;
    }
  }
  return failing;
}

std::string ToString(const PhysicalForm& form) {
  if (const auto* order = std::get_if<DimensionOrder>(&form)) {
    return absl::StrCat("order ", ListOf(order->minor_to_major), " padded ",
                        ListOf(order->padded_dimensions), " value ",
                        static_cast<int>(order->padding_value));
  }
  if (const auto* strided = std::get_if<ElementStrides>(&form)) {
    return absl::StrCat("strides ", ListOf(strided->strides), " offset ",
                        strided->offset, " total ", strided->total_elements);
  }
  return "dense";
}

std::string ToString(const Signature& signature) {
  std::string text;
  size_t value = 0;
  for (const TensorDesc& desc : signature.operands) {
    absl::StrAppend(&text, "  v", value++, " = operand ",
                    ShapeToString(desc.type(), desc.shape()), " ",
                    ToString(desc.layout().form()), "\n");
  }
  for (const Instruction& instruction : signature.instructions) {
    absl::StrAppend(&text, "  v", value++, " = ",
                    OperationOf(instruction.opcode).label);
    for (uint32_t id : instruction.operands) absl::StrAppend(&text, " v", id);
    if (!instruction.broadcast_dimensions.empty()) {
      absl::StrAppend(&text, " broadcast ",
                      ListOf(instruction.broadcast_dimensions));
    }
    absl::StrAppend(&text, AttributeToString(instruction.attribute), "\n");
  }
  for (const ResultSpec& spec : signature.results) {
    absl::StrAppend(&text, "  result v", ResultValue(signature, spec), " ",
                    ToString(spec.form), "\n");
  }
  return text;
}

std::string ToString(const RandomCase& random_case) {
  std::string text = ToString(random_case.signature);
  for (size_t i = 0; i < random_case.operands.size(); ++i) {
    absl::StrAppend(&text, "  v", i, " bytes");
    const Bytes& bytes = random_case.operands[i];
    for (size_t k = 0; k < std::min<size_t>(bytes.size(), 64); ++k) {
      const DType type = random_case.signature.operands[i].type();
      const auto width = static_cast<size_t>(ElementBytes(type));
      absl::StrAppendFormat(&text, "%s%02x", k % width == 0 ? " " : "",
                            static_cast<unsigned>(bytes[k]));
    }
    absl::StrAppend(&text, bytes.size() > 64 ? " ...\n" : "\n");
  }
  return text;
}

}  // namespace stridecast::testing
