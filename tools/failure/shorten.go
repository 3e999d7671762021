package failure

import "techo/tools/jsontree"

// Shorten returns the error cut to maxBytes bytes of JSON; 0 means unlimited. It
// drops the last details first, then cuts texts.
func (e *Error) Shorten(maxBytes int) *Error {
	const around = len(`{"error":}`)
	size := func(e *Error) int {
		b, err := jsontree.Marshal(e)
		if err != nil {
			panic(err) // an Error has only strings and a bool
		}
		return len(b) + around
	}
	if maxBytes <= 0 || size(e) <= maxBytes {
		return e
	}
	short := *e
	short.Details = append([]Detail(nil), e.Details...)
	for limit := maxBytes / 2; limit >= 16; limit /= 2 {
		short.Message, short.Hint, short.Tool = shortText(e.Message, limit), shortText(e.Hint, limit),
			shortText(e.Tool, limit)
		for i, d := range e.Details[:len(short.Details)] {
			short.Details[i] = Detail{Path: shortText(d.Path, limit), Message: shortText(d.Message, limit),
				Hint: shortText(d.Hint, limit)}
		}
		if limit > maxBytes/8 {
			continue // a few details with full texts are more useful
		}
		for len(short.Details) > 1 && size(&short) > maxBytes {
			short.Details = short.Details[:len(short.Details)*3/4]
		}
		if size(&short) <= maxBytes {
			return &short
		}
	}
	short.Details = nil
	return &short
}

func shortText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return jsontree.Cut(text, limit-len("…")) + "…"
}
