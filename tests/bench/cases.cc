// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/cases.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/engine/engine.h"
#include "core/program/infer.h"
#include "tests/support/builders.h"
#include "tests/support/sweep.h"

namespace stridecast::bench {
namespace {

using enum DType;
using testing::BinaryOp;
using testing::Desc;
using testing::Op;
using testing::Order;
using testing::Program;
using testing::Result;
using testing::Strides;

struct Permutation {
  DimVector shape;  // of the operand, f32: both arrays together over 300 MB
  DimVector order;
};

// Powers of two and odd extents, tall and flat, fast dimensions kept and moved.
const Permutation kPermutations[] = {
    {{6144, 6400}, {1, 0}},
    {{6143, 6401}, {1, 0}},
    {{8192, 4864}, {1, 0}},
    {{37, 1070003}, {1, 0}},
    {{1070003, 37}, {1, 0}},
    {{8, 4915200}, {1, 0}},
    {{4915200, 8}, {1, 0}},
    {{3, 13107200}, {1, 0}},
    {{13107200, 3}, {1, 0}},
    {{336, 340, 344}, {0, 2, 1}},
    {{336, 340, 344}, {1, 0, 2}},
    {{336, 340, 344}, {1, 2, 0}},
    {{336, 340, 344}, {2, 0, 1}},
    {{336, 340, 344}, {2, 1, 0}},
    {{256, 512, 304}, {0, 2, 1}},
    {{256, 512, 304}, {1, 2, 0}},
    {{256, 512, 304}, {2, 1, 0}},
    {{1201, 7, 4679}, {1, 2, 0}},
    {{1201, 7, 4679}, {2, 1, 0}},
    {{5, 2000, 4001}, {0, 2, 1}},
    {{64, 256, 49, 50}, {0, 2, 3, 1}},  // NCHW to NHWC
    {{64, 49, 50, 256}, {0, 3, 1, 2}},  // and back
    {{260, 3, 224, 225}, {0, 2, 3, 1}},
    {{260, 224, 225, 3}, {0, 3, 1, 2}},
    {{32, 4, 560, 560}, {0, 2, 3, 1}},
    {{32, 560, 560, 4}, {0, 3, 1, 2}},
    {{64, 80, 88, 89}, {3, 2, 1, 0}},
    {{64, 80, 88, 89}, {2, 3, 0, 1}},
    {{64, 80, 88, 89}, {0, 2, 1, 3}},
    {{64, 80, 88, 89}, {1, 0, 3, 2}},
    {{64, 80, 88, 89}, {3, 0, 1, 2}},
    {{128, 64, 64, 77}, {0, 3, 2, 1}},
    {{32, 33, 34, 35, 32}, {4, 3, 2, 1, 0}},
    {{32, 33, 34, 35, 32}, {0, 2, 1, 4, 3}},
    {{32, 33, 34, 35, 32}, {1, 3, 0, 4, 2}},
    {{32, 33, 34, 35, 32}, {3, 4, 0, 1, 2}},
    {{16, 16, 16, 97, 100}, {4, 1, 2, 3, 0}},
    {{18, 19, 18, 19, 18, 18}, {5, 4, 3, 2, 1, 0}},
    {{18, 19, 18, 19, 18, 18}, {0, 3, 2, 5, 4, 1}},
    {{18, 19, 18, 19, 18, 18}, {2, 0, 4, 1, 5, 3}},
    {{16, 16, 16, 16, 16, 37}, {5, 0, 1, 2, 3, 4}},
    {{2, 3, 4, 5, 6, 54613}, {5, 3, 1, 4, 2, 0}},
};

class Lister {
 public:
  explicit Lister(bool small) : small_(small) {}

  std::vector<Case> List() {
    Relayouts();
    Layouts();
    Arithmetic();
    Broadcasts();
    TwoOrders();
    Images();
    Programs();
    Functions();
    InCache();
    Scaling();
    SmallCalls();
    Operations();
    return std::move(cases_);
  }

 private:
  Case& Add(std::string group, std::string name, Signature signature,
            double wanted) {
    cases_.push_back(
        {std::move(group), std::move(name), std::move(signature), wanted});
    return cases_.back();
  }

  // To about that many bytes: along the greatest extent, after greatest extents
  // are halved while there are twice as many.
  DimVector Scaled(DimVector shape, int64_t element_bytes,
                   int64_t bytes) const {
    if (small_) bytes /= 64;
    int64_t elements = 1;
    for (int64_t extent : shape) elements *= extent;
    auto greatest = std::max_element(shape.begin(), shape.end());
    while (elements * element_bytes > 2 * bytes) {
      elements = elements / *greatest * (*greatest / 2);
      *greatest /= 2;
      greatest = std::max_element(shape.begin(), shape.end());
    }
    const double factor = static_cast<double>(bytes) /
                          static_cast<double>(elements * element_bytes);
    *greatest = std::max<int64_t>(
        1, static_cast<int64_t>(static_cast<double>(*greatest) * factor));
    return shape;
  }

  int64_t Large(int64_t elements) const {
    return small_ ? elements / 64 : elements;
  }

  static Instruction Scalar(float value) {
    std::string data(4, '\0');
    std::memcpy(data.data(), &value, 4);
    return Op(Opcode::kConstant, {}, ConstantAttribute{Desc(kF32, {}), data});
  }

  void Relayout(std::string group, DType type, const Permutation& permutation,
                int64_t bytes, double wanted, bool is_cached = false) {
    const int64_t element_bytes = ElementBytes(type);
    const DimVector shape = Scaled(permutation.shape, element_bytes, bytes);
    Add(std::move(group),
        absl::StrCat("relayout ", DTypeName(type), "[",
                     absl::StrJoin(shape, ","), "] by ",
                     absl::StrJoin(permutation.order, ",")),
        Program({Desc(type, shape)},
                {Op(Opcode::kTranspose, {0},
                    DimensionsAttribute{permutation.order})}),
        wanted)
        .is_cached = is_cached;
  }

  void Relayouts() {
    struct Size {
      DType type;
      const char* group;
      double wanted;
    };
    constexpr Size kSizes[] = {{kF32, "relayout 4 bytes", 0.55},
                               {kF64, "relayout 8 bytes", 0.55},
                               {kBF16, "relayout 2 bytes", 0},
                               {kU8, "relayout 1 byte", 0}};
    // All of one permutation after each other: memory's speed changes.
    for (const Permutation& p : kPermutations) {
      for (const auto& [type, group, wanted] : kSizes) {
        Relayout(group, type, p, 157 << 20, wanted);
      }
      for (const int64_t mib : {16, 8}) {
        for (const auto& [type, group, wanted] : kSizes) {
          Relayout(absl::StrCat(group, ", 2 x ", mib, " MiB"), type, p,
                   mib << 20, 0, /*is_cached=*/true);
        }
      }
    }
  }

  void Layouts() {
    const char* group = "layouts";
    const int64_t n = Large(16384 * 2304);
    const DimVector shape = {n / 2304, 48, 48};
    const auto identity = [&](const char* name, const TensorDesc& operand,
                              PhysicalForm result) {
      Signature signature = Program({operand}, {Op(Opcode::kIdentity, {0})});
      signature.results = {Result(std::move(result))};
      Add(group, name, std::move(signature), 0.75);
    };
    const DimVector padded = {n / 2304, 50, 64};
    const DimVector rows = {n / 2304 * 4, 2304};
    identity("padded to dense", Desc(kF32, shape, Order({2, 1, 0}, padded)),
             {});
    identity("dense to padded", Desc(kF32, shape), Order({2, 1, 0}, padded));
    identity("padded to padded", Desc(kF32, shape, Order({2, 1, 0}, padded)),
             Order({2, 1, 0}, {n / 2304, 48, 56}));
    identity("strided rows to dense", Desc(kF32, rows, Strides({2400, 1})), {});
    identity("dense to strided rows", Desc(kF32, rows), Strides({2400, 1}));
    identity("column-major to row-major", Desc(kF32, rows, Order({0, 1})), {});
    identity("row-major to column-major", Desc(kF32, rows), Order({0, 1}));
    identity("every second element", Desc(kF32, {n}, Strides({2})), {});
    identity("reversed", Desc(kF32, {n}, Strides({-1}, n - 1)), {});
    identity("reversed rows",
             Desc(kF32, rows, Strides({-2304, 1}, (rows[0] - 1) * 2304)), {});
    const PhysicalForm mirrored = Strides({2304, -1}, 2303);
    identity("mirrored rows", Desc(kF32, rows, mirrored), {});
    identity("column-major to column-major", Desc(kF32, rows, Order({0, 1})),
             Order({0, 1}));
    const auto sum = [&](const char* name, const DimVector& sum_shape,
                         const PhysicalForm& form) {
      Add(group, name,
          Program({Desc(kF32, sum_shape), Desc(kF32, sum_shape, form)},
                  {BinaryOp(Opcode::kAdd, 0, 1)}),
          0.75);
    };
    sum("ADD of mirrored rows", rows, mirrored);
    sum("ADD of reversed rows", rows,
        Strides({-2304, 1}, (rows[0] - 1) * 2304));
    sum("ADD of short reversed rows", {n / 100, 100},
        Strides({-100, 1}, (n / 100 - 1) * 100));
    sum("ADD of strided rows", rows, Strides({2400, 1}));
    sum("ADD of every second element", {n}, Strides({2}));
    sum("ADD of column-major", rows, Order({0, 1}));
  }

  void Arithmetic() {
    const char* group = "arithmetic";
    for (DType type : {kF32, kF64, kS32, kBF16, kU8}) {
      const int64_t n = Large((int64_t{480} << 20) / ElementBytes(type) / 3);
      const auto dense = Desc(type, {n});
      for (Opcode opcode :
           {Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum}) {
        Add(group,
            absl::StrCat(OperationOf(opcode).label, " ", DTypeName(type)),
            Program({dense, dense}, {BinaryOp(opcode, 0, 1)}), 0.93);
      }
      for (Opcode opcode : {Opcode::kNegate, Opcode::kAbs, Opcode::kSquare}) {
        Add(group,
            absl::StrCat(OperationOf(opcode).label, " ", DTypeName(type)),
            Program({dense}, {Op(opcode, {0})}), 0.93);
      }
    }
    const int64_t n = Large(40 << 20);
    Add(group, "DIVIDE f32",
        Program({Desc(kF32, {n}), Desc(kF32, {n})},
                {BinaryOp(Opcode::kDivide, 0, 1)}),
        0.93);
    Add(group, "SQRT f32", Program({Desc(kF32, {n})}, {Op(Opcode::kSqrt, {0})}),
        0.93);
    const int64_t narrowed = Large(56 << 20);
    Add(group, "CONVERT u8 to f32",
        Program({Desc(kU8, {narrowed})},
                {Op(Opcode::kConvert, {0}, ConvertAttribute{kF32})}),
        0.93);
    Add(group, "x*255 to u8 f32",
        Program({Desc(kF32, {narrowed})},
                {Scalar(255), BinaryOp(Opcode::kMultiply, 0, 1),
                 Op(Opcode::kConvert, {2}, ConvertAttribute{kU8})}),
        0.93);
  }

  void Broadcasts() {
    const char* group = "broadcast";
    const DimVector nchw = {Large(64), 256, 49, 50};
    for (int64_t d = 0; d < 4; ++d) {
      Add(group, absl::StrCat("bias along dimension ", d, " of f32 NCHW"),
          Program({Desc(kF32, nchw), Desc(kF32, {nchw[d]})},
                  {BinaryOp(Opcode::kAdd, 0, 1, {d})}),
          0.90);
    }
    const DimVector nhwc = {Large(256), 224, 225, 3};
    Add(group, "bias along 3 channels of f32 NHWC",
        Program({Desc(kF32, nhwc), Desc(kF32, {3})},
                {BinaryOp(Opcode::kAdd, 0, 1, {3})}),
        0.90);
    const int64_t rows = small_ ? 1024 : 8192;
    Add(group, "outer product f32",
        Program({Desc(kF32, {rows}), Desc(kF32, {9216})},
                {Op(Opcode::kBroadcastInDim, {0},
                    BroadcastInDimAttribute{{rows, 9216}, {0}}),
                 BinaryOp(Opcode::kMultiply, 2, 1, {1})}),
        0.90);
    Add(group, "scalar operand f32",
        Program({Desc(kF32, {Large(40 << 20)}), Desc(kF32, {})},
                {BinaryOp(Opcode::kMultiply, 0, 1)}),
        0.90);
  }

  void TwoOrders() {
    const char* group = "two orders";
    const int64_t side = small_ ? 512 : 4096;
    Add(group, "a + transpose(a) f32",
        Program({Desc(kF32, {side, side})},
                {Op(Opcode::kTranspose, {0}, DimensionsAttribute{{1, 0}}),
                 BinaryOp(Opcode::kAdd, 0, 1)}),
        0.55);
    Add(group, "f32 NCHW * scale to NHWC",
        Program(
            {Desc(kF32, {Large(64), 256, 49, 50}), Desc(kF32, {256})},
            {BinaryOp(Opcode::kMultiply, 0, 1, {1}),
             Op(Opcode::kTranspose, {2}, DimensionsAttribute{{0, 2, 3, 1}})}),
        0.55);
  }

  void Images() {
    const char* group = "images";
    const int64_t count = small_ ? 2 : 32;
    const DimVector nhwc = {count, 224, 224, 3};
    const auto channels = Desc(kF32, {3});
    for (DType type : {kF32, kF16, kBF16}) {
      std::vector<Instruction> program = {
          Op(Opcode::kConvert, {0}, ConvertAttribute{kF32}),  // 3
          Scalar(255),                                        // 4
          BinaryOp(Opcode::kDivide, 3, 4),                    // 5
          BinaryOp(Opcode::kSubtract, 5, 1, {3}),             // 6
          BinaryOp(Opcode::kDivide, 6, 2, {3}),               // 7
          Op(Opcode::kConvert, {7}, ConvertAttribute{type}),  // 8
          Op(Opcode::kTranspose, {8}, DimensionsAttribute{{0, 3, 1, 2}})};
      Add(group,
          absl::StrCat("u8 NHWC to normalised ", DTypeName(type), " NCHW"),
          Program({Desc(kU8, nhwc), channels, channels}, program), 0.55);
      program = {
          Op(Opcode::kConvert, {0}, ConvertAttribute{kF32}),  // 3
          BinaryOp(Opcode::kMultiply, 3, 2, {1}),             // 4
          BinaryOp(Opcode::kAdd, 4, 1, {1}),                  // 5
          Scalar(255),                                        // 6
          BinaryOp(Opcode::kMultiply, 5, 6),                  // 7
          Op(Opcode::kConvert, {7}, ConvertAttribute{kU8}),   // 8
          Op(Opcode::kTranspose, {8}, DimensionsAttribute{{0, 2, 3, 1}})};
      Add(group,
          absl::StrCat("normalised ", DTypeName(type), " NCHW to u8 NHWC"),
          Program({Desc(type, {count, 3, 224, 224}), channels, channels},
                  program),
          0.55);
    }
  }

  static Signature Norm(int64_t n) {
    return Program(
        {Desc(kF32, {n}), Desc(kF32, {n})},
        {BinaryOp(Opcode::kMultiply, 0, 0),  // 2
         BinaryOp(Opcode::kMultiply, 1, 1), BinaryOp(Opcode::kAdd, 2, 3),
         Op(Opcode::kSqrt, {4}), Scalar(2), BinaryOp(Opcode::kMultiply, 5, 6),
         Scalar(1), BinaryOp(Opcode::kSubtract, 7, 8)});
  }

  static Signature MulAddMax(int64_t n) {
    return Program(
        {Desc(kF32, {n}), Desc(kF32, {n})},
        {BinaryOp(Opcode::kMultiply, 0, 1), BinaryOp(Opcode::kAdd, 2, 0),
         BinaryOp(Opcode::kMaximum, 3, 1)});
  }

  static Signature MulPlus(int64_t n) {
    return Program(
        std::vector<TensorDesc>(3, Desc(kF32, {n})),
        {BinaryOp(Opcode::kMultiply, 0, 1), BinaryOp(Opcode::kAdd, 3, 2)});
  }

  static Signature MulPlusMul(int64_t n) {
    return Program(
        std::vector<TensorDesc>(4, Desc(kF32, {n})),
        {BinaryOp(Opcode::kMultiply, 0, 1), BinaryOp(Opcode::kAdd, 4, 2),
         BinaryOp(Opcode::kMultiply, 5, 3)});
  }

  static Signature Polynomial(int64_t n) {
    std::vector<Instruction> program = {Scalar(0.1f)};
    uint32_t sum = 1;
    for (int k = 2; k <= 7; ++k) {
      program.push_back(BinaryOp(Opcode::kMultiply, 0, sum));
      program.push_back(Scalar(0.1f * static_cast<float>(k)));
      const auto last = static_cast<uint32_t>(program.size());
      program.push_back(BinaryOp(Opcode::kAdd, last - 1, last));
      sum = last + 1;
    }
    return Program({Desc(kF32, {n})}, program);
  }

  void Programs() {
    const int64_t n = Large(40 << 20);
    Add("program up to 4", "max(x*y + x, y) f32", MulAddMax(n), 1 / 1.15)
        .hand_written = {MulAddMaxLoop, MulAddMaxLoopPastCache};
    Add("program up to 4", "x*y + z f32", MulPlus(n), 1 / 1.15).hand_written = {
        MulPlusLoop, MulPlusLoopPastCache};
    Add("program up to 4", "(x*y + z)*w f32", MulPlusMul(n), 1 / 1.15)
        .hand_written = {MulPlusMulLoop, MulPlusMulLoopPastCache};
    Add("program up to 12", "sqrt(x*x + y*y)*2 - 1 f32", Norm(n), 1 / 1.5)
        .hand_written = {NormLoop, NormLoopPastCache};
    Add("program up to 12", "polynomial of degree 6 f32", Polynomial(n),
        1 / 1.5)
        .hand_written = {PolynomialLoop, PolynomialLoopPastCache};
  }

  void Functions() {
    const int64_t n = Large(40 << 20);
    const auto x = Desc(kF32, {n});
    for (Opcode opcode : {Opcode::kExp, Opcode::kLog, Opcode::kSin}) {
      Add("exp, log, sin", absl::StrCat(OperationOf(opcode).label, " f32"),
          Program({x}, {Op(opcode, {0})}), 0.5);
    }
    for (Opcode opcode : {Opcode::kTanh, Opcode::kLogistic, Opcode::kErf}) {
      Add("tanh, logistic, erf",
          absl::StrCat(OperationOf(opcode).label, " f32"),
          Program({x}, {Op(opcode, {0})}), 0.4);
    }
    Add("pow", "POWER f32", Program({x, x}, {BinaryOp(Opcode::kPower, 0, 1)}),
        0.2);
  }

  void InCache() {
    for (int64_t kib : {4, 32, 64, 128, 256}) {
      const int64_t n = kib * 256;
      Case& add =
          Add("in cache, one core", absl::StrCat("ADD f32 ", kib, " KiB"),
              Program({Desc(kF32, {n}), Desc(kF32, {n})},
                      {BinaryOp(Opcode::kAdd, 0, 1)}),
              kib == 4 ? 1 : 0.85);
      add.hand_written = {AddLoop};
      add.seconds_over = kib == 4 ? 60e-9 : 0;
      add.num_threads = 1;
    }
  }

  // Two threads; bound by what they compute.
  void Scaling() {
    const int64_t n = Large(4 << 20);
    const auto x = Desc(kF64, {n});
    for (Opcode opcode : {Opcode::kTan, Opcode::kErf, Opcode::kExpm1}) {
      Add("two threads over one",
          absl::StrCat(OperationOf(opcode).label, " f64"),
          Program({x}, {Op(opcode, {0})}), 1.7)
          .scales = true;
    }
  }

  void SmallCalls() {
    const auto add = [&](std::string name, Signature signature,
                         double seconds) {
      Case& added =
          Add("Prepare and Run", std::move(name), std::move(signature), 1);
      added.seconds_with_prepare = seconds;
      added.num_threads = 1;
    };
    add("ADD f32 1024 elements",
        Program({Desc(kF32, {1024}), Desc(kF32, {1024})},
                {BinaryOp(Opcode::kAdd, 0, 1)}),
        2e-6);
    // Kinds of functions that no chain takes, and ones that it does.
    const std::vector<Opcode> opcodes = {
        Opcode::kAdd,   Opcode::kExp,    Opcode::kMultiply, Opcode::kTanh,
        Opcode::kAbs,   Opcode::kAdd,    Opcode::kSqrt,     Opcode::kMaximum,
        Opcode::kLog1p, Opcode::kDivide, Opcode::kNegate,   Opcode::kSubtract};
    std::vector<Instruction> instructions;
    for (uint32_t i = 0; i < opcodes.size(); ++i) {
      const uint32_t last = i == 0 ? 0 : i + 1;
      instructions.push_back(OperationOf(opcodes[i]).form == Form::kUnary
                                 ? Op(opcodes[i], {last})
                                 : BinaryOp(opcodes[i], last, 1));
    }
    add("12 operations on 16 elements",
        Program({Desc(kF32, {16}), Desc(kF32, {16})}, instructions), 6e-6);
  }

  // Every element-wise operation on every type, dense and in L2.
  void Operations() {
    constexpr int64_t kBytes = 64 << 10;
    const auto engine = Engine::Create({}).value();
    const auto supports = [&](Opcode opcode, DType type) {
      return IsElementwise(OperationOf(opcode).form) &&
             engine->Supports(opcode, type);
    };
    for (const testing::Subject& subject : testing::AllSubjects(supports)) {
      const std::string name = testing::ToString(subject);
      if (!cases_.empty() && cases_.back().name == name) continue;
      Instruction instruction{subject.opcode, {}, {}, subject.attribute};
      std::vector<TensorDesc> operands;
      for (const DType type : testing::OperandTypes(subject)) {
        instruction.operands.push_back(static_cast<uint32_t>(operands.size()));
        operands.push_back(Desc(type, {kBytes / ElementBytes(subject.type)}));
      }
      Case& added =
          Add("operations", name, Program(operands, {instruction}), 0);
      added.estimated = true;
      added.num_threads = 1;
    }
  }

  const bool small_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> AllCases(bool small) { return Lister(small).List(); }

}  // namespace stridecast::bench
