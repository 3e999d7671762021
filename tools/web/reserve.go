package web

import (
	"context"

	"techo/internal/page"
	"techo/internal/pdftext"
)

// reserve waits for the memory that parsing a body needs, so that a server parses
// only a few large pages at once.
func (f *fetch) reserve(ctx context.Context, r *response) (release func(), err error) {
	if f.env.Room == nil {
		return func() {}, nil
	}
	need := int64(len(r.body)) * 4 // as text, in the result, and as JSON
	switch {
	case pdftext.Is(r.body):
		need += pdftext.MaxMemory
	case f.in.Format != "raw":
		need = max(need, page.Weight(string(r.body)))
	}
	return f.env.Room.Wait(ctx, need)
}
