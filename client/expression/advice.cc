// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/expression/advice.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "client/expression/functions.h"

namespace stridecast {
namespace {

// The beginnings of NumPy's names of types, and of ours.
constexpr std::pair<absl::string_view, absl::string_view> kNumPyTypes[] = {
    {"bfloat", "bf"}, {"float", "f"}, {"uint", "u"},
    {"int", "s"},     {"i", "s"},     {"complex", "c"}};

std::optional<DType> TypeOfNumPy(absl::string_view name) {
  if (name == "bool") return DType::kPred;
  for (const auto& [theirs, ours] : kNumPyTypes) {
    absl::string_view bits = name;
    if (!absl::ConsumePrefix(&bits, theirs)) continue;
    if (const auto type = ParseDType(absl::StrCat(ours, bits))) return type;
  }
  return std::nullopt;
}

struct NumPyFunction {
  absl::string_view name;
  absl::string_view advice;
};
constexpr NumPyFunction kNumPyFunctions[] = {
    {"absolute", "write abs(x)"},
    {"arccos", "write acos(x)"},
    {"arcsin", "write asin(x)"},
    {"arctan", "write atan(x)"},
    {"arctan2", "write atan2(x, y)"},
    {"astype", "a type is a function, as in f32(x)"},
    {"clip", "write clamp(low, x, high)"},
    {"fabs", "write abs(x)"},
    {"flip", "write reverse(x, LETTERS)"},
    {"negative", "write -x"},
    {"permute", "write transpose(x, LETTERS)"},
};
constexpr absl::string_view kReductions[] = {
    "all",    "any",  "argmax", "argmin",  "cumsum", "dot", "einsum",
    "matmul", "norm", "prod",   "softmax", "std",    "sum", "var"};

// "f99", "u7".
bool LooksLikeType(absl::string_view name) {
  const size_t letters = absl::ConsumePrefix(&name, "bf") ? 0 : 1;
  if (letters == 1) {
    if (name.empty() || name.find_first_of("bcfisu") != 0) return false;
    name.remove_prefix(1);
  }
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), absl::ascii_isdigit);
}

// Types that hold more kinds of numbers have greater ones.
int KindOf(DType type) {
  if (IsComplex(type)) return 3;
  if (IsFloat(type)) return 2;
  return IsInteger(type) ? 1 : 0;
}

// None if neither holds the other's numbers: f16 and bf16.
std::optional<DType> Wider(DType a, DType b) {
  if (KindOf(a) != KindOf(b)) return KindOf(a) > KindOf(b) ? a : b;
  if (ElementBytes(a) != ElementBytes(b)) {
    return ElementBytes(a) > ElementBytes(b) ? a : b;
  }
  if (IsInteger(a)) return DTypeName(a)[0] == 's' ? a : b;
  return std::nullopt;
}

}  // namespace

std::string DidYouMean(absl::string_view name,
                       const std::vector<std::string>& candidates) {
  const std::string closest = Closest(name, candidates);
  if (closest.empty()) return "";
  return absl::StrCat("; did you mean \"", closest, "\"?");
}

std::string CallOf(absl::string_view name) {
  if (ParseDType(name)) return absl::StrCat(name, "(x)");
  const Operation* const operation = FindFunction(name);
  if (operation == nullptr) return "";
  constexpr absl::string_view kArguments[] = {"", "x", "x, y", "x, y, z"};
  const auto arity = static_cast<size_t>(
      std::clamp(static_cast<int>(ArityOf(operation->form)), 0, 3));
  return absl::StrCat(name, "(", kArguments[arity], ")");
}

std::string TypeAdvice(absl::string_view name) {
  if (const auto type = TypeOfNumPy(name)) {
    return absl::StrCat("; did you mean \"", DTypeName(*type), "\"?");
  }
  if (!LooksLikeType(name)) return "";
  return absl::StrCat(
      "; element types are ",
      absl::StrJoin(kAllDTypes, " ", [](std::string* out, DType type) {
        absl::StrAppend(out, DTypeName(type));
      }));
}

std::string FunctionAdvice(absl::string_view name) {
  for (const auto& [theirs, advice] : kNumPyFunctions) {
    if (name == theirs) return absl::StrCat("; ", advice);
  }
  if (std::count(std::begin(kReductions), std::end(kReductions), name) == 0) {
    return "";
  }
  return "; functions are element by element, none reduces a dimension";
}

std::string ConversionAdvice(DType a, DType b) {
  const auto wider = Wider(a, b);
  return absl::StrCat("convert ", wider ? "one" : "both", ", as ",
                      DTypeName(wider.value_or(DType::kF32)), "(x) does");
}

}  // namespace stridecast
