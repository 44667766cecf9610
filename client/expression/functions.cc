// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/expression/functions.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "absl/strings/ascii.h"
#include "stridecast/dtype.h"

namespace stridecast {
namespace {

struct Alias {
  absl::string_view name;
  Opcode opcode;
};
constexpr Alias kAliases[] = {
    {"max", Opcode::kMaximum},
    {"min", Opcode::kMinimum},
    {"pow", Opcode::kPower},
    {"ln", Opcode::kLog},
    {"mod", Opcode::kFloorMod},
    {"round", Opcode::kRoundNearestEven},
    {"rint", Opcode::kRoundNearestEven},
    {"sigmoid", Opcode::kLogistic},
    {"gelu", Opcode::kGeluErf},
    {"where", Opcode::kSelect},
    {"isnan", Opcode::kIsNan},
    {"isinf", Opcode::kIsInf},
    {"isfinite", Opcode::kIsFinite},
    {"isclose", Opcode::kIsClose},
};

// Those that are written another way, or not at all, are none.
bool IsFunction(Form form) {
  switch (form) {
    case Form::kConvert:
    case Form::kCompare:
    case Form::kBroadcastInDim:
    case Form::kSlice:
    case Form::kConcatenate:
    case Form::kPad:
    case Form::kIota:
    case Form::kConstant:
      return false;
    default:
      return true;
  }
}

const std::map<std::string, const Operation*, std::less<>>& Functions() {
  static const auto* const functions = [] {
    auto* table = new std::map<std::string, const Operation*, std::less<>>;
    for (const Operation& operation : AllOperations()) {
      if (!IsFunction(operation.form)) continue;
      table->emplace(absl::AsciiStrToLower(operation.label), &operation);
    }
    for (const Alias& alias : kAliases) {
      table->emplace(alias.name, &OperationOf(alias.opcode));
    }
    return table;
  }();
  return *functions;
}

// Letters to be changed, removed or added to make one name of the other
// (Levenshtein), row by row of the table of all prefixes.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

const Operation* FindFunction(absl::string_view name) {
  const auto found = Functions().find(name);
  return found == Functions().end() ? nullptr : found->second;
}

std::vector<std::string> FunctionNames() {
  std::vector<std::string> names;
  for (const auto& [name, operation] : Functions()) names.push_back(name);
  for (DType type : kAllDTypes) names.emplace_back(DTypeName(type));
  return names;
}

std::string Closest(absl::string_view name,
                    const std::vector<std::string>& candidates) {
  // Longer names are no slips, and would take long.
  constexpr size_t kMaxLength = 64;
  if (name.size() > kMaxLength) return "";
  size_t least = std::max<size_t>(name.size() / 3, 1) + 1;
  std::string closest;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kMaxLength) continue;
    const size_t distance = EditDistance(name, candidate);
    // Not a name of other letters altogether, as y would be of x.
    if (distance >= std::min(least, name.size())) continue;
    least = distance;
    closest = candidate;
  }
  return closest;
}

}  // namespace stridecast
