/* Loaded into a program before the C library, this tells which options the program knows, and ends it there:
   nothing that the program does ever begins. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct option {
    const char *name;
    int has_arg;
    int *flag;
    int val;
};

static int tell(const char *letters, const struct option *longs) {
    const char *path = getenv("GETOPT_TOLD");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%s\n", letters ? letters : "");
        for (; longs && longs->name; longs++) fprintf(file, "%s %d\n", longs->name, longs->has_arg);
        fclose(file);
    }
    _exit(71);
}

int getopt(int argc, char *const *argv, const char *letters) {
    return tell(letters, NULL);
}

int getopt_long(int argc, char *const *argv, const char *letters, const struct option *longs, int *at) {
    return tell(letters, longs);
}

int getopt_long_only(int argc, char *const *argv, const char *letters, const struct option *longs, int *at) {
    return tell(letters, longs);
}
