# Packages the checkout that this port lies in; a registry would have vcpkg_from_github here instead.
#   vcpkg install snack --overlay-ports=packaging/vcpkg/ports --no-binarycaching
# vcpkg does not see changes of the checkout, hence the last option.

set(VCPKG_BUILD_TYPE release)  # header-only
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DSNACK_BUILD_TESTS=OFF -DSNACK_BUILD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/snack)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/licenses")  # vcpkg has it under share/snack/copyright
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
