#define CORPUS_SUBJECT "double"
#include "tests/sass/corpus/each_double.hpp"
