#include <algorithm>

#include "peer.h"

// OpenMP tasks with `depend`: the compiler's runtime infers the edges from addresses, as Stretto does from tensors.
namespace {

using namespace peer;

template <typename Submit>
void in_parallel_region(Submit submit) {
#pragma omp parallel
#pragma omp single
  submit();
}

void independent(std::vector<Value>& values, std::int64_t count) {
  const auto number = static_cast<std::int64_t>(values.size());
  in_parallel_region([&] {
    Value* variables = values.data();
    for (std::int64_t begin = 0; begin < count; begin += number) {
      const std::int64_t end = std::min(count, begin + number);
      for (std::int64_t i = begin; i < end; ++i) {
        Value* target = variables + (i - begin);
#pragma omp task firstprivate(target) depend(inout : target[0])
        update(*target);
      }
#pragma omp taskwait
    }
  });
}

void chain(Value& value, std::int64_t count) {
  in_parallel_region([&] {
    Value* target = &value;
    for (std::int64_t i = 0; i < count; ++i) {
#pragma omp task firstprivate(target) depend(inout : target[0])
      update(*target);
    }
  });
}

void random_dag(std::vector<Value>& values, const std::vector<DagTask>& tasks) {
  in_parallel_region([&] {
    Value* variables = values.data();
    for (const DagTask& task : tasks) {
      const Value* first = variables + task.first;
      const Value* second = variables + task.second;
      Value* target = variables + task.target;
#pragma omp task firstprivate(first, second, target) depend(in : first[0], second[0]) depend(inout : target[0])
      update(*target, *first, *second);
    }
  });
}

}  // namespace

int main(int argc, char** argv) { return peer::run(argc, argv, {&independent, &chain, &random_dag}); }
