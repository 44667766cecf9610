// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/cost.h"

#include <algorithm>

namespace stridecast {
namespace {

// Nanoseconds per element on an AVX-512 core of 2.5 GHz, of ordinary numbers in
// L2: medians of what stridecast_core_bench's group "operations" prints.
struct Row {
  double narrow_integer;  // up to 4 bytes
  double wide_integer;
  double f32;  // f16 and bf16 too, which are computed as f32
  double f64;
  double c64;
  double c128;
};

constexpr Row RowOf(Cost cost) {
  switch (cost) {
    case Cost::kSimple:
      return {0.1, 0.3, 0.25, 0.4, 0.5, 1};
    case Cost::kDivision:
      return {0.7, 15, 0.35, 1, 5, 16};
    case Cost::kFunction:
      return {0.7, 0.7, 1.5, 4, 20, 60};
    case Cost::kLongFunction:
      return {1, 2, 3.5, 8, 20, 60};
    case Cost::kLanewise:
      return {10, 20, 14, 25, 30, 60};
  }
  return {};
}

}  // namespace

double OperationCostNs(Opcode opcode, DType type) {
  const Row row = RowOf(OperationOf(opcode).cost);
  if (IsComplex(type)) return type == DType::kC64 ? row.c64 : row.c128;
  if (IsFloat(type)) return type == DType::kF64 ? row.f64 : row.f32;
  return ElementBytes(type) > 4 ? row.wide_integer : row.narrow_integer;
}

int64_t RelayoutTileBytes(int64_t all_bytes) {
  constexpr int64_t kLeast = 64 << 10;
  constexpr int64_t kMost = 2 << 20;
  constexpr int64_t kMinTiles = 16;
  return std::clamp(all_bytes / kMinTiles, kLeast, kMost);
}

}  // namespace stridecast
