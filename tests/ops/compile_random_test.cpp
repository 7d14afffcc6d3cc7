// Random programs of element-wise operations over views, compiled and plain.

#include <array>
#include <random>
#include <vector>

#include <stretto/stretto.h>

#include "tensor/testing.h"

namespace stretto {
namespace {

constexpr int argument_count = 3, captured_count = 2;
constexpr std::int64_t side = 6;

/// One statement: `target` is made of two others, or changed in place.
struct Statement {
  enum class Kind { make, add_to, scale, copy_to, fill, task } kind;
  std::array<int, 3> tensors;  // target, and what is read: numbers of tensors, in the order in which they are made
  std::array<int, 3> views;
  float number;
};

struct Program {
  std::vector<Statement> statements;
  std::vector<int> results;
};

Program draw_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<std::uint64_t>(limit)); };
  Program program;
  int tensors = argument_count + captured_count;
  const int length = 4 + below(24);
  for (int i = 0; i < length; ++i) {
    // Views of the same statement have one shape: 0 is the whole, 1 to 3 are parts of 3 x 3.
    const bool parts = below(3) > 0;
    const auto view = [&] { return parts ? 1 + below(4) : 0; };
    const auto any = [&] { return below(tensors); };
    Statement statement{static_cast<Statement::Kind>(below(6)),
                        {any(), any(), any()},
                        {view(), view(), view()},
                        static_cast<float>(below(7) - 3) * 0.5f};
    if (statement.kind == Statement::Kind::make) statement.tensors[0] = tensors++;
    program.statements.push_back(statement);
  }
  const int results = below(4);
  for (int i = 0; i < results; ++i) program.results.push_back(below(tensors));
  return program;
}

Tensor view_of(const Tensor& tensor, int view) {
  switch (view) {
    case 1: return tensor.slice(0, 0, 3).slice(1, 0, 3);
    case 2: return tensor.slice(0, 2, 5).slice(1, 1, 4);
    case 3: return tensor.slice(0, 0, side, 2).slice(1, 3, side);
    case 4: return tensor.t().slice(0, 3, side).slice(1, 3, side);
    default: return tensor;
  }
}

std::vector<Tensor> run(const Program& program, std::vector<Tensor> tensors) {
  for (const Statement& one : program.statements) {
    const Tensor first = view_of(tensors[one.tensors[1]], one.views[1]);
    const Tensor second = view_of(tensors[one.tensors[2]], one.views[2]);
    if (one.kind == Statement::Kind::make) {
      // Halved, so that numbers stay small.
      Tensor made = zeros({side, side}, first.device());
      view_of(made, one.views[0]).copy_(first * 0.5f - second * one.number);
      tensors.push_back(made);
      continue;
    }
    const Tensor target = view_of(tensors[one.tensors[0]], one.views[0]);
    switch (one.kind) {
      case Statement::Kind::add_to: target += first * 0.25f; break;
      case Statement::Kind::scale: target *= one.number; break;
      case Statement::Kind::copy_to: target.copy_(second); break;
      case Statement::Kind::fill: target.fill_(one.number); break;
      default:
        task("negate", target.device())
            .read_write(target)
            .run([rows = target.size(0), columns = target.size(1), down = target.strides()[0],
                  right = target.strides()[1]](TaskContext& context) {
              float* const values = context.data<float>(0);
              for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t j = 0; j < columns; ++j) values[i * down + j * right] *= -0.5f;
            });
    }
  }
  std::vector<Tensor> results;
  for (const int result : program.results) results.push_back(tensors[static_cast<std::size_t>(result)]);
  return results;
}

std::vector<Tensor> fresh(std::uint64_t seed, int count, Device device) {
  Generator generator(seed);
  std::vector<Tensor> tensors;
  for (int i = 0; i < count; ++i) tensors.push_back(uniform(generator, -1, 1, {side, side}).to(device));
  return tensors;
}

void expect_equal(const std::vector<Tensor>& got, const std::vector<Tensor>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i].to_vector<float>(), wanted[i].to_vector<float>()) << "tensor " << i;
}

/// Several calls in a row, with the same and with other arguments, which may be one tensor, and with operations in
/// between; what is left everywhere is that of the plain program.
void compare(std::uint64_t seed, Device device) {
  const Program program = draw_program(seed);
  std::mt19937_64 random(seed + 1000);
  std::vector<Tensor> captured = fresh(seed, captured_count, device);
  std::vector<Tensor> plain_captured = fresh(seed, captured_count, device);
  const auto compiled = compile([&](const Tensor& x, const Tensor& y, const Tensor& z) {
    return run(program, {x, y, z, captured[0], captured[1]});
  });
  std::vector<Tensor> pool = fresh(seed + 1, 5, device), plain_pool = fresh(seed + 1, 5, device);
  std::vector<Tensor> got, wanted;
  for (int call = 0; call < 12; ++call) {
    std::array<std::size_t, argument_count> chosen{};
    for (std::size_t& one : chosen) one = random() % pool.size();
    const std::vector<Tensor> results = compiled(pool[chosen[0]], pool[chosen[1]], pool[chosen[2]]);
    got.insert(got.end(), results.begin(), results.end());
    const std::vector<Tensor> plain = run(program, {plain_pool[chosen[0]], plain_pool[chosen[1]], plain_pool[chosen[2]],
                                                    plain_captured[0], plain_captured[1]});
    wanted.insert(wanted.end(), plain.begin(), plain.end());
    if (random() % 3 == 0) {
      const std::size_t one = random() % pool.size(), other = random() % pool.size();
      pool[one] *= 0.5f;
      plain_pool[one] *= 0.5f;
      captured[0][static_cast<std::int64_t>(other)] += 0.25f;
      plain_captured[0][static_cast<std::int64_t>(other)] += 0.25f;
    }
    if (random() % 4 == 0) {
      const std::size_t one = random() % pool.size();
      pool[one] = pool[one] + 1.0f;
      plain_pool[one] = plain_pool[one] + 1.0f;
    }
  }
  expect_equal(got, wanted);
  expect_equal(pool, plain_pool);
  expect_equal(captured, plain_captured);
  EXPECT_EQ(compiled.statistics().reason, "");
}

class CompileRandom : public testing::TestWithParam<Device> {};

TEST_P(CompileRandom, ProgramsAreThoseOfThePlainEngine) {
  const char* const begin = std::getenv("COMPILE_TEST_SEED");
  const std::uint64_t first = begin == nullptr ? 1 : std::strtoull(begin, nullptr, 10);
  const std::uint64_t count = begin == nullptr ? 60 : 1;
  for (std::uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("COMPILE_TEST_SEED=" + std::to_string(seed));
    compare(seed, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Compile, CompileRandom,
                         testing::Values(Device(DeviceKind::cpu, 0), Device(DeviceKind::sim, 0)), device_name);

}  // namespace
}  // namespace stretto
