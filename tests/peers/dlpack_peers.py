#!/usr/bin/env python3
"""Hands tensors to NumPy and PyTorch and takes theirs, in one process: dlpack_peers.py LIBRARY.

Exit code 77: neither is here.
"""

import ctypes
import gc
import sys

lib = ctypes.CDLL(sys.argv[1])
lib.bridge_make.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_float]
lib.bridge_lend.argtypes = [ctypes.c_int, ctypes.c_void_p]
lib.bridge_lend.restype = ctypes.c_void_p
lib.bridge_take.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
lib.bridge_add.argtypes = [ctypes.c_int, ctypes.c_float]
lib.bridge_sum.restype = ctypes.c_double

NAME, USED = b"dltensor_versioned", b"used_dltensor_versioned"
capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype = ctypes.py_object
capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype = ctypes.c_void_p
capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
capsule_rename = ctypes.pythonapi.PyCapsule_SetName
capsule_rename.argtypes = [ctypes.py_object, ctypes.c_char_p]

COUNT = 1 << 20


class Lent:
    """One of our tensors, as the libraries ask for it."""

    def __init__(self, tensor, on_gpu):
        self.tensor, self.on_gpu = tensor, on_gpu

    def __dlpack_device__(self):
        return (2 if self.on_gpu else 1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        managed = lib.bridge_lend(self.tensor, stream)
        assert managed, "the tensor was not lent"
        return capsule_new(managed, NAME, None)


def take(array, ours=None, **arguments):
    """Our tensor over the memory of an array."""
    capsule = array.__dlpack__(max_version=(1, 0), **arguments)
    tensor = lib.bridge_take(capsule_pointer(capsule, NAME), ours)
    assert tensor > 0, "the array was not taken"
    capsule_rename(capsule, USED)
    return tensor


def expect(value, wanted, what):
    assert value == wanted, f"{what}: {value}, not {wanted}"


def lend_and_borrow(name, from_dlpack, make, total):
    """The same with each library, in memory of the host."""
    tensor = lib.bridge_make(b"cpu:0", COUNT, 3)
    theirs = from_dlpack(Lent(tensor, False))
    expect(total(theirs), 3 * COUNT, f"{name} reads what it was lent")
    lib.bridge_add(tensor, 1)  # waits until the array is gone
    expect(total(theirs), 3 * COUNT, f"{name} still reads it")
    del theirs
    gc.collect()
    expect(lib.bridge_sum(tensor), 4 * COUNT, f"the writer goes on when {name} is done")
    lib.bridge_drop(tensor)
    array = make(5)
    tensor = take(array)
    expect(lib.bridge_sum(tensor), 5 * COUNT, f"an array of {name} is read")
    lib.bridge_add(tensor, 1)
    expect(lib.bridge_sum(tensor), 6 * COUNT, f"an array of {name} is written")
    expect(total(array), 6 * COUNT, f"{name} sees it")
    lib.bridge_drop(tensor)
    print(f"{name}: lent and borrowed on the CPU")


def with_torch_on_gpu(torch):
    side = torch.cuda.Stream()
    for number, stream in enumerate([torch.cuda.current_stream(), side] * 5):
        with torch.cuda.stream(stream):
            tensor = lib.bridge_make(b"cuda:0", COUNT, 3)
            theirs = torch.from_dlpack(Lent(tensor, True))
            torch.cuda._sleep(3_000_000)
            doubled = theirs * 2
            del theirs
            gc.collect()
            lib.bridge_add(tensor, 1)  # after what the stream still has to read
            expect(lib.bridge_sum(tensor), 4 * COUNT, "the writer has written")
            expect(doubled.double().sum().item(), 6 * COUNT, "PyTorch has read what was there before")
            lib.bridge_drop(tensor)
            torch.cuda._sleep(3_000_000)
            array = torch.full((COUNT,), 7.0, device="cuda:0")
            tensor = take(array, stream.cuda_stream, stream=-1)
            expect(lib.bridge_sum(tensor), 7 * COUNT, "a tensor of PyTorch is read once it is there")
            lib.bridge_drop(tensor)
    print("torch: lent and borrowed on a GPU, in its default stream and in another")


def main():
    libraries = []
    try:
        import numpy

        version = tuple(int(part) for part in numpy.__version__.split(".")[:2])
        if version >= (2, 1):  # the first with the versioned interface
            libraries.append("numpy")
            lend_and_borrow(
                "numpy",
                numpy.from_dlpack,
                lambda value: numpy.full(COUNT, value, numpy.float32),
                lambda array: array.sum(dtype=numpy.float64),
            )
    except ImportError:
        pass
    try:
        import torch

        libraries.append("torch")
        lend_and_borrow(
            "torch",
            torch.from_dlpack,
            lambda value: torch.full((COUNT,), float(value)),
            lambda tensor: tensor.double().sum().item(),
        )
        if torch.cuda.is_available() and lib.bridge_device_count() > 0:
            with_torch_on_gpu(torch)
    except ImportError:
        pass
    if not libraries:
        print("neither NumPy 2.1 nor PyTorch is here")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
