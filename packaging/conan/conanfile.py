# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Conan 2 recipe. It packages the checkout that it lies in and needs no remote:

    conan create packaging/conan -s compiler.cppstd=20
"""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout

required_conan_version = ">=2.0"


class SnackConan(ConanFile):
    name = "snack"
    description = "Truly sparse neural-network layers for C++"
    license = "Apache-2.0 WITH LLVM-exception"
    topics = ("sparse", "neural-network", "dynamic-sparse-training", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    @property
    def checkout(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self.checkout, "include", "snack", "version.hpp"))
        self.version = re.search(r'SNACK_VERSION_STRING "([^"]+)"', header).group(1)

    def export_sources(self):
        copy(self, "LICENSE", self.checkout, self.export_sources_folder)
        copy(self, "include/*", self.checkout, self.export_sources_folder)

    def layout(self):
        basic_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        for pattern in ("*.hpp", "*.cuh"):
            copy(self, pattern, os.path.join(self.source_folder, "include"),
                 os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "snack")
        self.cpp_info.set_property("cmake_target_name", "snack::snack")
        self.cpp_info.set_property("pkg_config_name", "snack")
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
