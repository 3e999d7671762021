package remote

import (
	"net/http"
	"net/url"
	"strings"
)

// EncodedHeader names the headers of a request whose values are percent-encoded, because a
// header cannot carry them: it has one line of ASCII without spaces around it.
const EncodedHeader = "Techo-Encoded"

// encode encodes the values of a header that cannot be sent as they are.
func encode(h http.Header) {
	var encoded []string
	for name, values := range h {
		for _, v := range values {
			if !fits(v) {
				h[name] = []string{url.PathEscape(v)} // each name has one value
				encoded = append(encoded, name)
			}
		}
	}
	if encoded != nil {
		h.Set(EncodedHeader, strings.Join(encoded, ", "))
	}
}

// fits reports whether a header can carry a value.
func fits(v string) bool {
	return strings.TrimSpace(v) == v && !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r > '~' })
}

// Decode decodes the values of the header of a request. Only settings of a call can be encoded.
func Decode(h http.Header) error {
	for list := range strings.SplitSeq(h.Get(EncodedHeader), ",") {
		name := http.CanonicalHeaderKey(strings.TrimSpace(list))
		if !strings.HasPrefix(name, "Techo-") && name != "Idempotency-Key" {
			continue
		}
		for i, v := range h[name] {
			text, err := url.PathUnescape(v)
			if err != nil {
				return err
			}
			h[name][i] = text
		}
	}
	h.Del(EncodedHeader)
	return nil
}
