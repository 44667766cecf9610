// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What expressions mean: computed by the engine, against plain C++.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/expression.h"
#include "tests/unit/engine/run_plan.h"

namespace stridecast {
namespace {

using testing::Bytes;
using testing::BytesOf;

const Engine& TheEngine() {
  static const auto* const engine =
      new std::unique_ptr<Engine>(*Engine::Create(EngineOptions()));
  return **engine;
}

struct OperandData {
  std::string name;
  TensorDesc desc;
  std::string letters;
  Bytes bytes;
};

template <typename T>
OperandData Data(const char* name, const char* shape, const char* letters,
                 const std::vector<T>& elements) {
  return {name, *ParseShapeString(shape), letters, BytesOf(elements)};
}

// The elements of the expression's value, in row-major order.
template <typename T>
std::vector<T> Evaluate(const std::string& text,
                        const std::vector<OperandData>& data) {
  ProgramBuilder b;
  ExpressionOperands operands;
  std::vector<Bytes> bytes;
  for (const OperandData& operand : data) {
    operands.insert(
        {operand.name, {b.Parameter(operand.desc), operand.letters}});
    bytes.push_back(operand.bytes);
  }
  const auto value = ParseExpression(text, operands, b);
  EXPECT_TRUE(value.ok()) << value.status().message();
  if (!value.ok()) return {};
  EXPECT_EQ(b.TypeOf(value->value)->type, kDTypeOf<T>) << text;
  b.Result(value->value);
  const auto plan = TheEngine().Prepare(*b.Build());
  EXPECT_TRUE(plan.ok()) << text << plan.status();
  if (!plan.ok()) return {};
  const Bytes result = testing::RunWhole(**plan, bytes)[0];
  std::vector<T> elements(result.size() / sizeof(T));
  std::memcpy(elements.data(), result.data(), result.size());
  return elements;
}

struct FloatCase {
  const char* text;
  std::function<double(float x, float y)> expected;
};

float Fold(double x) { return static_cast<float>(x); }

// x and y are f32; what C++ rounds otherwise than the server is compared to
// some units in the last place.
const FloatCase kFloatCases[] = {
    {"(x/255 - y)/0.25", [](float x, float y) { return (x / 255 - y) / .25f; }},
    {"x - y - x", [](float x, float y) { return x - y - x; }},
    {"x / y * x", [](float x, float y) { return x / y * x; }},
    {"1 - x", [](float x, float) { return 1 - x; }},
    {"x * 0.1", [](float x, float) { return x * 0.1f; }},
    {"x * (1/3)", [](float x, float) { return x * Fold(1.0 / 3); }},
    {"-x**2", [](float x, float) { return -(x * x); }},
    {"(-x)**2", [](float x, float) { return x * x; }},
    {"2**3**2 * x", [](float x, float) { return 512 * x; }},
    {"2**-x", [](float x, float) { return std::pow(2.0, -x); }},
    {"x % 2", [](float x, float) { return std::fmod(x, 2); }},
    {"mod(x, 2)", [](float x, float) { return x - 2 * std::floor(x / 2); }},
    {"x // 2", [](float x, float) { return std::floor(x / 2); }},
    {"max(x, y) - min(x, y)",
     [](float x, float y) { return std::max(x, y) - std::min(x, y); }},
    {"where(x > y, x, 0)", [](float x, float y) { return x > y ? x : 0; }},
    {"clamp(0, x, 1)",
     [](float x, float) { return std::min(std::max(x, 0.f), 1.f); }},
    {"abs(x) + sign(y)",
     [](float x, float y) {
       return std::abs(x) + static_cast<float>((y > 0) - (y < 0));
     }},
    {"round(x)", [](float x, float) { return std::nearbyint(x); }},
    {"sqrt(x*x + y*y)",
     [](float x, float y) { return std::sqrt(x * x + y * y); }},
    {"exp(x) + ln(abs(y) + 1)",
     [](float x, float y) {
       return std::exp(double{x}) + std::log(std::abs(double{y}) + 1);
     }},
    {"sin(2*pi*x)",
     [](float x, float) { return std::sin(Fold(2 * M_PI) * x); }},
    {"atan2(y, x)", [](float x, float y) { return std::atan2(y, x); }},
    {"fma(x, y, 1)",
     [](float x, float y) { return std::fma(double{x}, double{y}, 1.0); }},
    {"elu(x, 0.5)",
     [](float x, float) { return x > 0 ? x : 0.5 * std::expm1(double{x}); }},
    {"sigmoid(x)",
     [](float x, float) { return 1 / (1 + std::exp(-double{x})); }},
    {"f32(s8(x))",
     [](float x, float) { return static_cast<float>(static_cast<int8_t>(x)); }},
    {"f32(x < y) * 2 + f32(!(x < y))",
     [](float x, float y) { return x < y ? 2 : 1; }},
    {"f32((0 < x) & (x <= 2))",
     [](float x, float) { return 0 < x && x <= 2 ? 1 : 0; }},
    {"f32(u8(300*x, saturate))",
     [](float x, float) {
       return std::trunc(std::min(std::max(300 * x, 0.f), 255.f));
     }},
};

TEST(ExpressionValuesTest, OfFloats) {
  const std::vector<float> x = {-2.5f, -0.75f, 0.5f, 1.f, 1.5f, 3.75f, 20.f};
  const std::vector<float> y = {0.25f, 2.f, -3.f, 1.f, -0.125f, 7.f, -100.f};
  for (const FloatCase& c : kFloatCases) {
    const auto actual = Evaluate<float>(
        c.text, {Data("x", "f32[7]", "", x), Data("y", "f32[7]", "", y)});
    ASSERT_EQ(actual.size(), x.size()) << c.text;
    for (size_t i = 0; i < x.size(); ++i) {
      const double expected = c.expected(x[i], y[i]);
      EXPECT_NEAR(actual[i], expected, 1e-6 * std::abs(expected))
          << c.text << " of " << x[i] << " and " << y[i];
    }
  }
}

TEST(ExpressionValuesTest, OfIntegers) {
  const std::vector<uint8_t> u = {0, 1, 7, 128, 200, 255};
  const std::vector<int32_t> i = {-7, -1, 0, 5, 2147483647, -2147483647 - 1};
  const std::vector<OperandData> data = {Data("u", "u8[6]", "", u),
                                         Data("i", "s32[6]", "", i)};
  using ::testing::ElementsAre;
  EXPECT_THAT(Evaluate<uint8_t>("u / 2 + 100", data),
              ElementsAre(100, 100, 103, 164, 200, 227));
  EXPECT_THAT(Evaluate<uint8_t>("u + 100", data),
              ElementsAre(100, 101, 107, 228, 44, 99));
  EXPECT_THAT(Evaluate<uint8_t>("~u & 0x0F", data),
              ElementsAre(15, 14, 8, 15, 7, 0));
  EXPECT_THAT(Evaluate<int32_t>("i % 4", data),
              ElementsAre(-3, -1, 0, 1, 3, 0));
  EXPECT_THAT(Evaluate<int32_t>("mod(i, 4)", data),
              ElementsAre(1, 3, 0, 1, 3, 0));
  EXPECT_THAT(Evaluate<int32_t>("i / 2", data),
              ElementsAre(-3, 0, 0, 2, 1073741823, -1073741824));
  EXPECT_THAT(Evaluate<int32_t>("i // 2", data),
              ElementsAre(-4, -1, 0, 2, 1073741823, -1073741824));
  EXPECT_THAT(Evaluate<uint8_t>("u8(i)", data),
              ElementsAre(249, 255, 0, 5, 255, 0));
  EXPECT_THAT(Evaluate<uint8_t>("u8(i, saturate)", data),
              ElementsAre(0, 0, 0, 5, 255, 0));
  EXPECT_THAT(Evaluate<int32_t>("where((s32(u) > i) | (i == 5), i, -1)", data),
              ElementsAre(-7, -1, 0, 5, -1, -2147483647 - 1));
}

// image[h,w,c] = 100h + 10w + c; the others likewise by their letters.
TEST(ExpressionValuesTest, OfShapes) {
  constexpr int kH = 2, kW = 3, kC = 4;
  std::vector<float> image, planes, wh, c, row;
  for (int h = 0; h < kH; ++h)
    for (int w = 0; w < kW; ++w)
      for (int k = 0; k < kC; ++k)
        image.push_back(static_cast<float>(100 * h + 10 * w + k));
  for (int k = 0; k < kC; ++k)
    for (int h = 0; h < kH; ++h)
      for (int w = 0; w < kW; ++w)
        planes.push_back(static_cast<float>(1000 * (100 * h + 10 * w + k)));
  for (int w = 0; w < kW; ++w)
    for (int h = 0; h < kH; ++h)
      wh.push_back(static_cast<float>(5000 * h + 7000 * w));
  for (int k = 0; k < kC; ++k) c.push_back(static_cast<float>(k * k));
  for (int w = 0; w < kW; ++w) row.push_back(static_cast<float>(w * w));
  const std::vector<OperandData> data = {
      Data("image", "f32[2,3,4]", "HWC", image),
      Data("planes", "f32[4,2,3]", "CHW", planes),
      Data("wh", "f32[3,2]", "WH", wh),
      Data("c", "f32[4]", "C", c),
      Data("row", "f32[1,3]", "HW", row),
      Data("plain", "f32[3,1]", "", row)};
  const struct {
    const char* text;
    std::function<int(int h, int w, int k)> expected;
  } kCases[] = {
      {"image - c",
       [](int h, int w, int k) { return 100 * h + 10 * w + k - k * k; }},
      {"image + planes",
       [](int h, int w, int k) { return 1001 * (100 * h + 10 * w + k); }},
      {"transpose(planes - image, HWC)",
       [](int h, int w, int k) { return 999 * (100 * h + 10 * w + k); }},
      {"wh + image",
       [](int h, int w, int k) { return 5100 * h + 7010 * w + k; }},
      {"image - row",
       [](int h, int w, int k) { return 100 * h + 10 * w + k - w * w; }},
      {"image - plain",
       [](int h, int w, int k) { return 100 * h + 10 * w + k - w * w; }},
      {"where(image > c, wh, image)",
       [](int h, int w, int k) {
         const int x = 100 * h + 10 * w + k;
         return x > k * k ? 5000 * h + 7000 * w : x;
       }},
      {"reverse(image, CH)",
       [](int h, int w, int k) {
         return 100 * (kH - 1 - h) + 10 * w + (kC - 1 - k);
       }},
  };
  for (const auto& test : kCases) {
    std::vector<float> expected;
    for (int h = 0; h < kH; ++h)
      for (int w = 0; w < kW; ++w)
        for (int k = 0; k < kC; ++k)
          expected.push_back(static_cast<float>(test.expected(h, w, k)));
    EXPECT_EQ(Evaluate<float>(test.text, data), expected) << test.text;
  }
}

// A random expression of x, y, z and numbers, that is written with only the
// parentheses that Python needs, and computed as it was made up.
template <typename T>
struct Node {
  std::string symbol;  // of an operator or function; "" of a leaf
  int level = 100;     // Python's precedence, greater binds tighter
  std::function<T(T, T)> compute;
  std::vector<Node> operands;
  std::string leaf;
  int variable = -1;
  T number = {};

  bool IsNumber() const { return symbol.empty() && variable < 0; }

  T Value(const T (&values)[3]) const {
    if (symbol.empty()) return variable < 0 ? number : values[variable];
    const T first = operands[0].Value(values);
    return compute(first, operands.back().Value(values));
  }

  std::string Text() const {
    if (symbol.empty()) return leaf;
    if (level == 100) {
      return absl::StrCat(symbol, "(", operands[0].Text(), ", ",
                          operands[1].Text(), ")");
    }
    if (operands.size() == 1) return symbol + Inside(operands[0], level);
    return absl::StrCat(Inside(operands[0], level), symbol,
                        Inside(operands[1], level + 1));
  }
  static std::string Inside(const Node& node, int least) {
    return node.level < least ? "(" + node.Text() + ")" : node.Text();
  }
};

template <typename T>
struct RandomOperator {
  const char* symbol;
  int level;
  int arity;
  std::function<T(T, T)> compute;
};

template <typename T>
Node<T> RandomNode(const std::vector<RandomOperator<T>>& operators, int depth,
                   bool may_be_number, std::mt19937& random) {
  Node<T> node;
  if (depth == 0 || random() % 6 == 0) {
    if (may_be_number && random() % 3 == 0) {
      node.number = static_cast<T>(random() % 100);
      node.leaf = absl::StrCat(static_cast<int>(node.number));
      return node;
    }
    node.variable = static_cast<int>(random() % 3);
    node.leaf = std::string(1, static_cast<char>('x' + node.variable));
    return node;
  }
  const RandomOperator<T>& chosen = operators[random() % operators.size()];
  node.symbol = chosen.symbol;
  node.level = chosen.level;
  node.compute = chosen.compute;
  // Numbers beside a tensor only: two of them are no arithmetic of T.
  const bool number_first = chosen.arity == 2 && random() % 2 == 0;
  node.operands.push_back(
      RandomNode(operators, depth - 1, number_first, random));
  if (chosen.arity == 2) {
    const bool number_next = !node.operands[0].IsNumber();
    node.operands.push_back(
        RandomNode(operators, depth - 1, number_next, random));
  }
  return node;
}

template <typename T>
void CheckRandom(const std::vector<RandomOperator<T>>& operators,
                 const char* shape, const std::vector<T> (&values)[3],
                 unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < 400; ++i) {
    const auto node = RandomNode(operators, 1 + i % 5, false, random);
    const std::string text = node.Text();
    const auto actual = Evaluate<T>(
        text, {Data("x", shape, "", values[0]), Data("y", shape, "", values[1]),
               Data("z", shape, "", values[2])});
    ASSERT_EQ(actual.size(), values[0].size()) << text;
    for (size_t k = 0; k < actual.size(); ++k) {
      const T expected = node.Value({values[0][k], values[1][k], values[2][k]});
      // NaN is NaN, whatever its bits.
      ASSERT_TRUE(actual[k] == expected ||
                  (actual[k] != actual[k] && expected != expected))
          << text << " of " << values[0][k] << ", " << values[1][k] << ", "
          << values[2][k] << " is " << expected << ", not " << actual[k];
    }
  }
}

TEST(ExpressionValuesTest, OfRandomIntegerExpressions) {
  using U = uint32_t;
  const std::vector<RandomOperator<U>> operators = {
      {" | ", 2, 2, [](U a, U b) { return a | b; }},
      {" ^ ", 3, 2, [](U a, U b) { return a ^ b; }},
      {" & ", 4, 2, [](U a, U b) { return a & b; }},
      {" + ", 6, 2, [](U a, U b) { return a + b; }},
      {" - ", 6, 2, [](U a, U b) { return a - b; }},
      {" * ", 7, 2, [](U a, U b) { return a * b; }},
      {" / ", 7, 2, [](U a, U b) { return b == 0 ? ~U{0} : a / b; }},
      {" // ", 7, 2, [](U a, U b) { return b == 0 ? ~U{0} : a / b; }},
      {" % ", 7, 2, [](U a, U b) { return b == 0 ? a : a % b; }},
      {"-", 8, 1, [](U a, U) { return U{0} - a; }},
      {"~", 8, 1, [](U a, U) { return ~a; }},
      {"max", 100, 2, [](U a, U b) { return std::max(a, b); }},
      {"min", 100, 2, [](U a, U b) { return std::min(a, b); }},
  };
  CheckRandom<U>(
      operators, "u32[4]",
      {{0, 1, 0xFFFFFFFF, 12345}, {5, 0, 77, 0x80000000}, {3, 0xFFFF, 2, 1}},
      1);
}

TEST(ExpressionValuesTest, OfRandomFloatExpressions) {
  const std::vector<RandomOperator<float>> operators = {
      {" + ", 6, 2, [](float a, float b) { return a + b; }},
      {" - ", 6, 2, [](float a, float b) { return a - b; }},
      {" * ", 7, 2, [](float a, float b) { return a * b; }},
      {" / ", 7, 2, [](float a, float b) { return a / b; }},
      {"-", 8, 1, [](float a, float) { return -a; }},
      {"copysign", 100, 2,
       [](float a, float b) { return std::copysign(a, b); }},
  };
  CheckRandom<float>(operators, "f32[4]",
                     {{0.5f, -1.25f, 3e10f, 1e-20f},
                      {3.f, 0.1f, -7.f, 123.456f},
                      {-2.f, 1e5f, 0.3f, 9.f}},
                     2);
}

}  // namespace
}  // namespace stridecast
