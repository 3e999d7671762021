package web

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"

	"techo/internal/neterr"
)

// encodingError is an unsupported or invalid content encoding.
type encodingError struct{ name string }

func (e *encodingError) Error() string { return "content encoding " + e.name }

// slowError means that a body did not end in time.
type slowError struct {
	got int
	err error
}

func (e *slowError) Error() string { return fmt.Sprintf("body: %d bytes: %v", e.got, e.err) }
func (e *slowError) Unwrap() error { return e.err }

// read reads and decompresses a body of at most maxBytes bytes.
func (out *response) read(res *http.Response, maxBytes int) error {
	from, err := unpack(res.Body, strings.ToLower(strings.TrimSpace(res.Header.Get("Content-Encoding"))))
	if err == io.EOF { // empty body
		return nil
	}
	if err != nil {
		return packedError(err)
	}
	out.body, err = io.ReadAll(io.LimitReader(from, int64(maxBytes)+1))
	if len(out.body) > maxBytes {
		out.truncate(maxBytes)
		return nil
	}
	switch {
	case err == nil:
		return nil
	case isMalformed(err):
		return packedError(err)
	case errors.Is(err, io.ErrUnexpectedEOF) && len(out.body) > 0, neterr.Reset(err) && len(out.body) > 0:
		out.incomplete = true
		return nil
	}
	return &slowError{len(out.body), err}
}

func unpack(from io.Reader, encoding string) (io.Reader, error) {
	switch encoding {
	case "", "identity":
		return from, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(from)
	case "br":
		return brotli.NewReader(from), nil
	case "deflate":
		head := bufio.NewReader(from)
		// Some servers leave out the header of zlib, which is a multiple of 31.
		first, err := head.Peek(2)
		if err != nil {
			return nil, err
		}
		if first[0]&0x0f == 8 && (int(first[0])<<8|int(first[1]))%31 == 0 {
			return zlib.NewReader(head)
		}
		return flate.NewReader(head), nil
	case "compress", "x-compress", "zstd", "dcb", "dcz", "exi", "pack200-gzip":
		return nil, &encodingError{encoding}
	}
	return from, nil // no coding at all, such as utf-8, none or 8bit: browsers ignore it
}

// isMalformed reports whether compressed data is invalid.
func isMalformed(err error) bool {
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zlib.ErrHeader) ||
		errors.Is(err, zlib.ErrChecksum) || strings.HasPrefix(err.Error(), "flate:") ||
		strings.HasPrefix(err.Error(), "brotli:")
}

func packedError(err error) error {
	switch {
	case errors.As(err, new(*encodingError)):
		return err
	case isMalformed(err), errors.Is(err, io.ErrUnexpectedEOF):
		return &encodingError{}
	}
	return &slowError{0, err}
}
