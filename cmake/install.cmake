# What `cmake --install` puts below its prefix: the command with all that it reads, and the model as
# a library for find_package(perfmodel).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The program looks for its specifications in ../share/perfmodel/specs.
install(TARGETS perfmodel RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY specs DESTINATION ${CMAKE_INSTALL_DATADIR}/perfmodel)
install(FILES ${CMAKE_BINARY_DIR}/perfmodel.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES app/completions/perfmodel.bash RENAME perfmodel
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES app/completions/_perfmodel
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES app/completions/perfmodel.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/perfmodel)
# Headers include each other as "model/device.hpp".
install(TARGETS perfmodel_model EXPORT perfmodel
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/perfmodel)
install(EXPORT perfmodel FILE perfmodel-targets.cmake NAMESPACE perfmodel:: DESTINATION ${package})
configure_package_config_file(cmake/perfmodel-config.cmake.in
  ${CMAKE_BINARY_DIR}/perfmodel-config.cmake INSTALL_DESTINATION ${package}
  PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/perfmodel-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/perfmodel-config.cmake
  ${CMAKE_BINARY_DIR}/perfmodel-config-version.cmake cmake/system_libraries.cmake
  DESTINATION ${package})
