#define CORPUS_SUBJECT "float"
#include "tests/sass/corpus/each_float.hpp"
