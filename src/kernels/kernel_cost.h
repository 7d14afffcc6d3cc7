#pragma once

#include "kernels/element_pass.h"
#include "kernels/kernel.h"

namespace stretto {

/// What a call asks of any device: the bytes of the elements that its arrays have in memory (one that is broadcast is
/// there once), and its operations where the operator counts them.
KernelCost cost_of(const KernelRow& row, const KernelCall& call);

/// Tells `meter` of a call of the row's kernel. Returns whether the kernel is to run.
bool begin_kernel(KernelMeter& meter, const KernelRow& row, const KernelCall& call);
/// The same of a pass: it asks for what it has in memory.
bool begin_pass(KernelMeter& meter, const ElementPass& pass, std::byte* const* addresses);

}  // namespace stretto
