#define CORPUS_SUBJECT "convert"
#include "tests/sass/corpus/each_convert.hpp"
