# Third-party libraries, all from the distribution. With PERFMODEL_PORTABLE they are linked
# statically, so that the programs run on a machine that has none of them.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)

if(PERFMODEL_PORTABLE)
  set(default_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  find_path(YAML_CPP_INCLUDE yaml-cpp/yaml.h REQUIRED)
  find_library(YAML_CPP_LIBRARY yaml-cpp REQUIRED)
  add_library(yaml-cpp::yaml-cpp STATIC IMPORTED GLOBAL)
  set_target_properties(yaml-cpp::yaml-cpp PROPERTIES
    IMPORTED_LOCATION ${YAML_CPP_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${YAML_CPP_INCLUDE})
  # Distributions ship no static fmt; its headers contain all of it.
  find_path(FMT_INCLUDE fmt/format.h REQUIRED)
  add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
  set_target_properties(fmt::fmt PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${FMT_INCLUDE} INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
  add_link_options(-static-libstdc++ -static-libgcc)
else()
  find_package(yaml-cpp REQUIRED)
  find_package(fmt REQUIRED)
endif()
# libelf reads cubins, zlib stored listings. A static libelf needs zlib, and zstd where the
# distribution built it with that.
include(cmake/system_libraries.cmake)
find_library(ZSTD_LIBRARY zstd)
mark_as_advanced(ZSTD_LIBRARY)
if(PERFMODEL_PORTABLE)
  set(libelf_needs ZLIB::ZLIB)
  if(ZSTD_LIBRARY)
    list(APPEND libelf_needs ${ZSTD_LIBRARY})
  endif()
  set_property(TARGET libelf::libelf PROPERTY INTERFACE_LINK_LIBRARIES ${libelf_needs})
endif()
find_library(GMPXX_LIBRARY gmpxx REQUIRED)  # prints fractions in failed assertions
if(PERFMODEL_PORTABLE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES ${default_suffixes})
endif()
