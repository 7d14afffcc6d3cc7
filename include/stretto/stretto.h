#pragma once

/// All of Stretto's public interface.

#include <stretto/base/error.h>
#include <stretto/io/idx.h>
#include <stretto/ops/activation.h>
#include <stretto/ops/arithmetic.h>
#include <stretto/ops/axes.h>
#include <stretto/ops/comparison.h>
#include <stretto/ops/creation.h>
#include <stretto/ops/indexing.h>
#include <stretto/ops/joining.h>
#include <stretto/ops/logical.h>
#include <stretto/ops/loss.h>
#include <stretto/ops/matmul.h>
#include <stretto/ops/order.h>
#include <stretto/ops/random.h>
#include <stretto/ops/reduction.h>
#include <stretto/ops/scan.h>
#include <stretto/ops/selection.h>
#include <stretto/ops/softmax.h>
#include <stretto/ops/triangle.h>
#include <stretto/ops/unary.h>
#include <stretto/report/system.h>
#include <stretto/tensor/compile.h>
#include <stretto/tensor/creation.h>
#include <stretto/tensor/devices.h>
#include <stretto/tensor/dlpack.h>
#include <stretto/tensor/generator.h>
#include <stretto/tensor/repeat_statistics.h>
#include <stretto/tensor/task.h>
#include <stretto/tensor/tensor.h>
#include <stretto/trace/section.h>
#include <stretto/trace/session.h>
