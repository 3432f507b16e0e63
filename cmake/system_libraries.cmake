# Targets for libraries whose distribution packages bring no CMake files of their own. Used by the
# build and by the installed package.
find_path(LIBELF_INCLUDE gelf.h REQUIRED)
find_library(LIBELF_LIBRARY elf REQUIRED)
find_path(ZLIB_INCLUDE zlib.h REQUIRED)
find_library(ZLIB_LIBRARY z REQUIRED)
find_path(GMP_INCLUDE gmpxx.h REQUIRED)
find_library(GMP_LIBRARY gmp REQUIRED)
mark_as_advanced(LIBELF_INCLUDE LIBELF_LIBRARY ZLIB_INCLUDE ZLIB_LIBRARY GMP_INCLUDE GMP_LIBRARY)
if(NOT TARGET ZLIB::ZLIB)
  add_library(ZLIB::ZLIB UNKNOWN IMPORTED GLOBAL)
  set_target_properties(ZLIB::ZLIB PROPERTIES
    IMPORTED_LOCATION ${ZLIB_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${ZLIB_INCLUDE})
endif()
if(NOT TARGET libelf::libelf)
  add_library(libelf::libelf UNKNOWN IMPORTED GLOBAL)
  set_target_properties(libelf::libelf PROPERTIES
    IMPORTED_LOCATION ${LIBELF_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${LIBELF_INCLUDE})
endif()
if(NOT TARGET gmp::gmp)
  add_library(gmp::gmp UNKNOWN IMPORTED GLOBAL)
  set_target_properties(gmp::gmp PROPERTIES
    IMPORTED_LOCATION ${GMP_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${GMP_INCLUDE})
endif()
# The oldest supported yaml-cpp exports its target without a namespace.
if(TARGET yaml-cpp AND NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
