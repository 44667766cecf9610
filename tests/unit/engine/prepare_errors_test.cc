// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What Prepare refuses: the code, the field by its path in ComputeSpec, the
// rule and the numbers. Broadcasting, result layouts and a selection of
// operations are in tests/support/examples_refused.cc.

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;
using enum DType;

constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;
constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;

const Engine& TestEngine() {
  static const Engine* engine =
      Engine::Create(EngineOptions()).value().release();
  return *engine;
}

void ExpectRefused(const Engine& engine, const Signature& signature,
                   absl::StatusCode code,
                   const std::vector<std::string>& texts) {
  const absl::Status status = engine.Prepare(signature).status();
  EXPECT_EQ(status.code(), code) << status;
  for (const std::string& text : texts) {
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }
}

struct Row {
  const char* name;
  Signature signature;
  std::vector<std::string> texts;
  absl::StatusCode code = kInvalid;
};

void ExpectAllRefused(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    ExpectRefused(TestEngine(), row.signature, row.code, row.texts);
  }
}

// On f32[2,3] values 0, 1, 2 and pred[2,3] value 3.
Signature On(Instruction instruction) {
  return Program({Desc(kF32, {2, 3}), Desc(kF32, {2, 3}), Desc(kF32, {2, 3}),
                  Desc(kPred, {2, 3})},
                 {std::move(instruction)});
}

// On one operand.
Signature On(DType type, const DimVector& shape, Instruction instruction) {
  return Program({Desc(type, shape)}, {std::move(instruction)});
}

Signature WithResult(ResultSpec result) {
  return {{Desc(kF32, {2, 3})}, {}, {std::move(result)}};
}

TEST(PrepareErrorsTest, AMessageNamesFieldOperationRuleAndNumbers) {
  const absl::Status status =
      TestEngine()
          .Prepare(
              Program({Desc(kF32, {2}), Desc(kS32, {2})},
                      {Op(Opcode::kNegate, {0}), BinaryOp(Opcode::kAdd, 0, 1)}))
          .status();
  EXPECT_EQ(status.code(), kInvalid);
  EXPECT_EQ(
      status.message(),
      "instructions[1] (ADD): Binary op add with different element types: "
      "f32[2] and s32[2].");
}

TEST(PrepareErrorsTest, Values) {
  const auto kAdd = Opcode::kAdd;
  ExpectAllRefused({
      {"value that does not exist",
       On(BinaryOp(kAdd, 0, 9)),
       {"instructions[0].operands[1]", "ADD", "9"}},
      {"its own value",
       On(BinaryOp(kAdd, 4, 0)),
       {"instructions[0].operands[0]", "ADD", "4"}},
      {"greatest value number",
       On(Op(Opcode::kNegate, {std::numeric_limits<uint32_t>::max()})),
       {"instructions[0].operands[0]", "NEGATE", "4294967295"}},
      {"later value",
       Program({Desc(kF32, {})},
               {Op(Opcode::kNegate, {2}), Op(Opcode::kNegate, {0})}),
       {"instructions[0].operands[0]", "NEGATE", "2"}},
      {"result of a value that does not exist",
       WithResult(ResultOf(1)),
       {"results[0].value", "1"}},
      {"last value of no values", {{}, {}, {ResultSpec{}}}, {"results[0]"}},
  });
}

TEST(PrepareErrorsTest, Arity) {
  const auto row = [](const char* name, Opcode opcode, ValueIds operands,
                      Attribute attribute = {}) {
    const auto count = operands.size();
    return Row{name,
               On(Op(opcode, std::move(operands), std::move(attribute))),
               {"instructions[0]", std::string(OperationOf(opcode).label),
                std::to_string(count)}};
  };
  ExpectAllRefused({
      row("add of one", Opcode::kAdd, {0}),
      row("add of three", Opcode::kAdd, {0, 1, 2}),
      row("negate of none", Opcode::kNegate, {}),
      row("negate of two", Opcode::kNegate, {0, 1}),
      row("select of two", Opcode::kSelect, {3, 0}),
      row("clamp of four", Opcode::kClamp, {0, 1, 2, 0}),
      row("slice of two", Opcode::kSlice, {0, 1},
          SliceAttribute{{0, 0}, {2, 3}, {}}),
      row("constant of one", Opcode::kConstant, {0},
          ConstantAttribute{Desc(kU8, {}), std::string(1, '\0')}),
  });
}

// One attribute per form; any other is refused, and so is none where one is
// needed (WIRE.md: a newer field must not be dropped).
TEST(PrepareErrorsTest, Attributes) {
  ExpectAllRefused({
      {"convert without",
       On(Op(Opcode::kConvert, {0})),
       {"instructions[0]", "CONVERT", "convert"}},
      {"slice without",
       On(Op(Opcode::kSlice, {0})),
       {"instructions[0]", "SLICE", "slice"}},
      {"transpose without",
       On(Op(Opcode::kTranspose, {0})),
       {"instructions[0]", "TRANSPOSE", "dimensions"}},
      {"broadcast_in_dim without",
       On(Op(Opcode::kBroadcastInDim, {0})),
       {"instructions[0]", "BROADCAST_IN_DIM", "broadcast_in_dim"}},
      {"compare without",
       On(BinaryOp(Opcode::kCompare, 0, 1)),
       {"instructions[0]", "COMPARE", "compare"}},
      {"constant without",
       On(Op(Opcode::kConstant, {})),
       {"instructions[0]", "CONSTANT", "constant"}},
      {"add with slice",
       On(BinaryOp(Opcode::kAdd, 0, 1, {}, SliceAttribute{{0}, {1}, {}})),
       {"instructions[0]", "ADD", "slice"}},
      {"negate with convert",
       On(Op(Opcode::kNegate, {0}, ConvertAttribute{kF32})),
       {"instructions[0]", "NEGATE", "convert"}},
      {"slice with dimensions",
       On(Op(Opcode::kSlice, {0}, DimensionsAttribute{{0}})),
       {"instructions[0]", "SLICE", "dimensions"}},
      {"negate with broadcast_dimensions",
       On({Opcode::kNegate, {0}, {0, 1}, {}}),
       {"instructions[0]", "NEGATE", "broadcast_dimensions"}},
      {"select with broadcast_dimensions",
       On({Opcode::kSelect, {3, 0, 1}, {0, 1}, {}}),
       {"instructions[0]", "SELECT", "broadcast_dimensions"}},
  });
}

TEST(PrepareErrorsTest, UndefinedOnAType) {
  std::vector<Row> rows;
  for (Opcode opcode :
       {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kDivide,
        Opcode::kRemainder, Opcode::kMaximum, Opcode::kMinimum, Opcode::kAnd,
        Opcode::kOr, Opcode::kXor, Opcode::kAbs, Opcode::kNegate, Opcode::kNot,
        Opcode::kSqrt, Opcode::kClamp}) {
    const Operation& operation = OperationOf(opcode);
    for (DType type : kAllDTypes) {
      if (operation.IsDefinedOn(type)) continue;
      ValueIds operands;
      if (operation.form == Form::kUnary) operands = {0};
      if (operation.form == Form::kBinary) operands = {0, 0};
      if (operation.form == Form::kClamp) operands = {0, 0, 0};
      rows.push_back({operation.label.data(),
                      On(type, {2}, Op(opcode, operands)),
                      {"instructions[0]", std::string(operation.label),
                       std::string(DTypeName(type))}});
    }
  }
  // Subtract, divide, abs, negate on pred; remainder on pred and c; maximum,
  // minimum, clamp on c; logic on f and c; sqrt on all but f and c.
  EXPECT_EQ(rows.size(), 4u + 3u + 3 * 2u + 4 * 6u + 9u);
  ExpectAllRefused(rows);
}

TEST(PrepareErrorsTest, NotBuilt) {
  const auto f32 = [](Instruction instruction) {
    return On(kF32, {2, 3}, std::move(instruction));
  };
  const auto row = [&](Instruction instruction) {
    const std::string label(OperationOf(instruction.opcode).label);
    return Row{OperationOf(instruction.opcode).label.data(),
               f32(std::move(instruction)),
               {"instructions[0]", label},
               kUnimplemented};
  };
  const auto built = [](Opcode opcode) {
    return TestEngine().Supports(opcode, kF32);
  };
  // Once an operation is built, its row here has to go.
  std::vector<Row> rows;
  rows.push_back(row(Op(Opcode::kLgamma, {0})));
  rows.push_back(row(Op(Opcode::kDigamma, {0})));
  rows.push_back(row(BinaryOp(Opcode::kLdexp, 0, 0)));
  for (const Row& r : rows) {
    SCOPED_TRACE(r.name);
    EXPECT_FALSE(built(r.signature.instructions[0].opcode));
    ExpectRefused(TestEngine(), r.signature, r.code, r.texts);
  }
  // Undefined comes before not built: it will stay so.
  ExpectRefused(TestEngine(), On(kS32, {2}, Op(Opcode::kLgamma, {0})), kInvalid,
                {"instructions[0]", "LGAMMA", "s32"});
}

TEST(PrepareErrorsTest, Transpose) {
  const auto row = [](const char* name, DimVector permutation) {
    return Row{name,
               On(Op(Opcode::kTranspose, {0},
                     DimensionsAttribute{std::move(permutation)})),
               {"instructions[0]", "TRANSPOSE", "dimensions"}};
  };
  ExpectAllRefused({row("short", {0}), row("long", {0, 1, 2}),
                    row("repeated", {1, 1}), row("negative", {-1, 0}),
                    row("too great", {0, 2}),
                    row("far too great", {0, int64_t{1} << 32})});
}

TEST(PrepareErrorsTest, Reverse) {
  const auto row = [](const char* name, DimVector dimensions,
                      std::string number) {
    return Row{name,
               On(Op(Opcode::kReverse, {0},
                     DimensionsAttribute{std::move(dimensions)})),
               {"instructions[0]", "REVERSE", "dimensions", std::move(number)}};
  };
  ExpectAllRefused({row("repeated", {1, 1}, "1"), row("negative", {-1}, "-1"),
                    row("too great", {2}, "2"),
                    row("far too great", {int64_t{1} << 32}, "4294967296")});
}

TEST(PrepareErrorsTest, Slice) {
  const auto row = [](const char* name, SliceAttribute slice, std::string field,
                      std::string number) {
    return Row{
        name,
        On(Op(Opcode::kSlice, {0}, std::move(slice))),
        {"instructions[0]", "SLICE", std::move(field), std::move(number)}};
  };
  ExpectAllRefused({
      row("starts too few", {{0}, {2, 3}, {}}, "slice", "1"),
      row("limits too many", {{0, 0}, {2, 3, 1}, {}}, "slice", "3"),
      row("steps too few", {{0, 0}, {2, 3}, {1}}, "slice", "1"),
      row("start negative", {{0, -1}, {2, 3}, {}}, "slice.start", "-1"),
      row("start past limit", {{0, 3}, {2, 2}, {}}, "slice", "3"),
      row("limit past the end", {{0, 0}, {3, 3}, {}}, "slice.limit", "3"),
      row("step zero", {{0, 0}, {2, 3}, {1, 0}}, "slice.step", "0"),
      row("step negative", {{0, 0}, {2, 3}, {-1, 1}}, "slice.step", "-1"),
      row("limit far past the end", {{0, 0}, {2, kMax64}, {}}, "slice.limit",
          "9223372036854775807"),
  });
}

TEST(PrepareErrorsTest, BroadcastInDim) {
  const auto row = [](const char* name, BroadcastInDimAttribute attribute,
                      std::vector<std::string> texts) {
    texts.insert(texts.end(),
                 {"instructions[0]", "BROADCAST_IN_DIM", "broadcast_in_dim"});
    return Row{name, On(Op(Opcode::kBroadcastInDim, {0}, std::move(attribute))),
               std::move(texts)};
  };
  ExpectAllRefused({
      row("dimensions too few", {{2, 3}, {0}}, {"1"}),
      row("dimensions too many", {{2, 3, 4}, {0, 1, 2}}, {"3"}),
      row("dimension negative", {{2, 3}, {0, -1}}, {"-1"}),
      row("dimension too great", {{2, 3}, {0, 2}}, {"2"}),
      row("dimension repeated", {{2, 3}, {0, 0}}, {"0"}),
      row("extent differs", {{2, 4}, {0, 1}}, {"3", "4"}),
      row("extents swapped", {{2, 3}, {1, 0}}, {"2", "3"}),
      row("extent negative", {{2, 3, -1}, {0, 1}}, {"-1"}),
      row("rank 17", {DimVector(17, 1), {0, 1}}, {"17"}),
  });
}

TEST(PrepareErrorsTest, SelectAndClamp) {
  const auto select = [](std::vector<TensorDesc> operands) {
    return Program(std::move(operands), {Op(Opcode::kSelect, {0, 1, 2})});
  };
  const auto clamp = [](std::vector<TensorDesc> operands) {
    return Program(std::move(operands), {Op(Opcode::kClamp, {0, 1, 2})});
  };
  ExpectAllRefused({
      {"select by u8",
       select({Desc(kU8, {2}), Desc(kF32, {2}), Desc(kF32, {2})}),
       {"instructions[0]", "SELECT", "u8"}},
      {"select of two types",
       select({Desc(kPred, {2}), Desc(kF32, {2}), Desc(kF64, {2})}),
       {"instructions[0]", "SELECT", "f32[2]", "f64[2]"}},
      {"select of two shapes",
       select({Desc(kPred, {2}), Desc(kF32, {2}), Desc(kF32, {3})}),
       {"instructions[0]", "SELECT", "f32[2]", "f32[3]"}},
      {"select, scalar against vector",
       select({Desc(kPred, {2}), Desc(kF32, {2}), Desc(kF32, {})}),
       {"instructions[0]", "SELECT", "f32[2]", "f32[]"}},
      {"select by a predicate of extent 1",
       select({Desc(kPred, {1}), Desc(kF32, {2}), Desc(kF32, {2})}),
       {"instructions[0]", "SELECT", "pred[1]"}},
      {"clamp with another type",
       clamp({Desc(kF64, {}), Desc(kF32, {2}), Desc(kF32, {})}),
       {"instructions[0]", "CLAMP", "f64[]"}},
      {"clamp with another shape",
       clamp({Desc(kF32, {}), Desc(kF32, {2}), Desc(kF32, {3})}),
       {"instructions[0]", "CLAMP", "f32[3]"}},
      {"clamp of a scalar by vectors",
       clamp({Desc(kF32, {2}), Desc(kF32, {}), Desc(kF32, {2})}),
       {"instructions[0]", "CLAMP", "f32[2]"}},
  });
}

TEST(PrepareErrorsTest, Compare) {
  const auto compare = [](DType type, CompareAttribute attribute) {
    return On(type, {2}, BinaryOp(Opcode::kCompare, 0, 0, {}, attribute));
  };
  using Direction = CompareAttribute::Direction;
  std::vector<Row> rows;
  for (Direction direction :
       {Direction::kGe, Direction::kGt, Direction::kLe, Direction::kLt}) {
    rows.push_back({"order of complex",
                    compare(kC64, {direction}),
                    {"instructions[0]", "COMPARE", "c64"}});
  }
  ExpectAllRefused(rows);
}

TEST(PrepareErrorsTest, Constant) {
  const auto row = [](const char* name, const TensorDesc& desc, size_t bytes,
                      std::vector<std::string> texts) {
    texts.insert(texts.end(), {"instructions[0]", "CONSTANT", "constant"});
    return Row{
        name,
        Program({}, {Op(Opcode::kConstant, {},
                        ConstantAttribute{desc, std::string(bytes, '\0')})}),
        std::move(texts)};
  };
  ExpectAllRefused({
      row("data too short", Desc(kF32, {2}), 7, {"7", "8"}),
      row("data too long", Desc(kF32, {2}), 9, {"9", "8"}),
      row("data without padding", Desc(kF32, {2}, Order({0}, {3})), 8,
          {"8", "12"}),
  });
  // The limit is of all constants together.
  const Instruction half =
      Op(Opcode::kConstant, {},
         ConstantAttribute{Desc(kU8, {32768}), std::string(32768, '\0')});
  EXPECT_TRUE(TestEngine().Prepare(Program({}, {half, half})).ok());
  const Instruction one =
      Op(Opcode::kConstant, {},
         ConstantAttribute{Desc(kU8, {}), std::string(1, '\0')});
  ExpectRefused(TestEngine(), Program({}, {half, half, one}),
                absl::StatusCode::kResourceExhausted,
                {"instructions[2].constant.payload", "65537", "65536"});
}

TEST(PrepareErrorsTest, ResultTypeAndShape) {
  ResultSpec type;
  type.type = kF64;
  ResultSpec shape;
  shape.shape = DimVector{3, 2};
  ResultSpec scalar;
  scalar.shape = DimVector{};
  ResultSpec rank;
  rank.shape = DimVector{2, 3, 1};
  ExpectAllRefused({
      {"type", WithResult(type), {"results[0].type", "f64", "f32"}},
      {"shape", WithResult(shape), {"results[0].shape", "[3,2]", "[2,3]"}},
      {"scalar", WithResult(scalar), {"results[0].shape", "[]", "[2,3]"}},
      {"rank", WithResult(rank), {"results[0].shape", "[2,3,1]", "[2,3]"}},
  });
}

TEST(PrepareErrorsTest, TheFieldNamesTheResult) {
  Signature signature = WithResult(ResultOf(0));
  signature.results.push_back(ResultOf(0, Strides({0, 1})));
  ExpectRefused(TestEngine(), signature, kInvalid, {"results[1].strides"});
}

TEST(PrepareErrorsTest, Counts) {
  const TensorDesc scalar = Desc(kF32, {});
  const Instruction negate = Op(Opcode::kNegate, {0});
  const auto with = [&](size_t operands, size_t instructions, size_t results) {
    return Signature{std::vector<TensorDesc>(operands, scalar),
                     std::vector<Instruction>(instructions, negate),
                     std::vector<ResultSpec>(results)};
  };
  EXPECT_TRUE(TestEngine().Prepare(with(64, 256, 64)).ok());
  ExpectAllRefused({
      {"operands", with(65, 1, 1), {"operands", "65", "64"}},
      {"instructions", with(1, 257, 1), {"instructions", "257", "256"}},
      {"results", with(1, 1, 65), {"results", "65", "64"}},
      {"no results", with(1, 1, 0), {"results"}},
  });
}

TEST(PrepareErrorsTest, Limits) {
  EngineOptions options;
  options.limits.max_instructions = 2;
  options.limits.max_operands = 1;
  options.limits.max_results = 1;
  options.limits.max_operand_references = 4;
  options.limits.max_constant_bytes = 3;
  options.limits.max_result_bytes = 100;
  const auto engine = Engine::Create(options);
  ASSERT_TRUE(engine.ok()) << engine.status();
  EXPECT_EQ((*engine)->limits().max_result_bytes, 100);
  const Instruction negate = Op(Opcode::kNegate, {0});
  const auto vector = [&](int64_t n) {
    return Program({Desc(kF32, {n})}, {negate});
  };
  EXPECT_TRUE((*engine)->Prepare(vector(25)).ok());
  ExpectRefused(**engine, vector(26), kExhausted, {"104", "100"});
  // Padding and gaps count.
  ExpectRefused(**engine, {{Desc(kF32, {2})}, {}, {Result(Order({0}, {26}))}},
                kExhausted, {"104", "100"});
  ExpectRefused(**engine, {{Desc(kF32, {2})}, {}, {Result(Strides({25}))}},
                kExhausted, {"104", "100"});
  ExpectRefused(**engine, Program({Desc(kF32, {})}, {negate, negate, negate}),
                kInvalid, {"instructions", "3", "2"});
  ExpectRefused(**engine,
                {{Desc(kF32, {})}, {negate}, {ResultSpec{}, ResultSpec{}}},
                kInvalid, {"results", "2", "1"});
  ExpectRefused(**engine, Program({Desc(kF32, {}), Desc(kF32, {})}, {negate}),
                kInvalid, {"operands", "2", "1"});
  const Instruction join =
      Op(Opcode::kConcatenate, {0, 0, 0}, DimensionsAttribute{{0}});
  EXPECT_TRUE((*engine)->Prepare(Program({Desc(kF32, {1})}, {join})).ok());
  ExpectRefused(**engine, Program({Desc(kF32, {1})}, {join, join}), kInvalid,
                {"instructions[1].operands (CONCATENATE)", "6", "4"});
  ExpectRefused(
      **engine,
      Program({},
              {Op(Opcode::kConstant, {},
                  ConstantAttribute{Desc(kF32, {}), std::string(4, '\0')})}),
      absl::StatusCode::kResourceExhausted, {"constant", "4", "3"});
}

TEST(PrepareErrorsTest, CostLimit) {
  EngineOptions options;
  options.limits.max_cost_ns = 1e6;
  const auto engine = Engine::Create(options);
  ASSERT_TRUE(engine.ok()) << engine.status();
  // 2^26 square roots of 2^26 sums, a millisecond at most for the result.
  const auto work = [](int64_t n) {
    return Program({Desc(kF64, {n})},
                   {BinaryOp(Opcode::kDivide, 0, 0), Op(Opcode::kSqrt, {1})});
  };
  EXPECT_TRUE((*engine)->Prepare(work(1000)).ok());
  ExpectRefused(**engine, work(1 << 26), kExhausted, {"1000000"});
}

TEST(PrepareErrorsTest, SumOfResultBytes) {
  Signature signature = {
      {Desc(kU8, {1, 1})},
      {Op(Opcode::kBroadcastInDim, {0},
          BroadcastInDimAttribute{{1 << 15, 1 << 15}, {0, 1}})},
      {ResultSpec{}}};
  EXPECT_TRUE(TestEngine().Prepare(signature).ok());  // 1 GiB
  signature.results.push_back(ResultOf(0));
  ExpectRefused(TestEngine(), signature, kExhausted,
                {"1073741825", "1073741824"});
  // The sum may not overflow unnoticed.
  signature.results.assign(
      64, ResultOf(0, Order({0, 1}, {int64_t{1} << 31, int64_t{1} << 31})));
  ExpectRefused(TestEngine(), signature, kExhausted, {"results"});
}

}  // namespace
}  // namespace stridecast::testing
