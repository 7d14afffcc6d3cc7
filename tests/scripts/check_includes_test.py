"""scripts/check-includes notices each thing it is there for."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check-includes"
SOUND = {
    "include/stretto/base/error.h": "#pragma once\n#include <string>\n",
    "include/stretto/core/shape.h": "#pragma once\n#include <stretto/base/error.h>\n",
    "include/stretto/stretto.h": "#pragma once\n#include <stretto/core/shape.h>\n",
    "src/core/stride.h": "#pragma once\n#include <stretto/core/shape.h>\n",
    "src/core/shape.cpp": '#include <fmt/format.h>\n#include "core/stride.h"\n',
    "src/kernels/cpu/add.cpp": '#include <dnnl.hpp>\n#include "core/stride.h"\n',
    "tests/core/shape_test.cpp": '#include <gtest/gtest.h>\n#include <stretto/stretto.h>\n',
}


class CheckIncludes(unittest.TestCase):
    def run_on(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**SOUND, **changes}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)

    def expect_problem(self, changes, line):
        result = self.run_on(changes)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertEqual(result.stderr.strip(), line)

    def test_sound_tree_passes(self):
        result = self.run_on({})
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_include_up(self):
        self.expect_problem(
            {"src/base/log.cpp": "#include <stretto/core/shape.h>\n"},
            "src/base/log.cpp:1: floor base includes stretto/core/shape.h of floor core, which is not below it",
        )
        self.expect_problem(
            {"src/memory/pool.cpp": '#include "engine/task.h"\n', "src/engine/task.h": "#pragma once\n"},
            "src/memory/pool.cpp:1: floor memory includes engine/task.h of floor engine, which is not below it",
        )

    def test_include_sideways(self):
        self.expect_problem(
            {"src/io/file.cpp": '#include "report/graph.h"\n', "src/report/graph.h": "#pragma once\n"},
            "src/io/file.cpp:1: floor io includes report/graph.h of floor report, which is not below it",
        )

    def test_umbrella_inside(self):
        self.expect_problem(
            {"src/ops/add.cpp": "#include <stretto/stretto.h>\n"},
            "src/ops/add.cpp:1: stretto/stretto.h lies over floor ops",
        )

    def test_third_party_in_public_header(self):
        self.expect_problem(
            {"include/stretto/base/error.h": "#pragma once\n#include <cuda_runtime.h>\n"},
            "include/stretto/base/error.h:2: the third-party header cuda_runtime.h in a public header",
        )

    def test_internal_in_public_header(self):
        self.expect_problem(
            {"include/stretto/core/shape.h": '#pragma once\n#include <stretto/base/error.h>\n#include "core/stride.h"\n'},
            "include/stretto/core/shape.h:3: the internal header core/stride.h in a public header",
        )

    def test_fmt_in_header(self):
        self.expect_problem(
            {"src/core/stride.h": "#pragma once\n#include <fmt/format.h>\n"},
            "src/core/stride.h:2: fmt/format.h in a header; fmt belongs in .cpp files",
        )

    def test_header_nobody_includes(self):
        self.expect_problem({"src/core/box.h": "#pragma once\n"}, "src/core/box.h: no file includes it")

    def test_missing_header(self):
        self.expect_problem(
            {"src/core/box.cpp": '#include "core/box.h"\n'}, "src/core/box.cpp:1: core/box.h does not exist"
        )

    def test_unknown_floor(self):
        self.expect_problem({"src/attic/old.cpp": "#include <string>\n"}, "src/attic/old.cpp: attic is no floor")

    def test_empty_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    unittest.main()
