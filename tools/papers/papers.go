// Package papers reads documents for the tools that fetch pages and read files.
package papers

import (
	"context"
	"errors"
	"time"

	"techo/internal/pdftext"
	"techo/tools"
	"techo/tools/message"
)

// PDF reads pages of a PDF, from 1.
func PDF(ctx context.Context, env *tools.Env, body []byte, first, last int, patience time.Duration) (*pdftext.Document,
	error) {
	return pdftext.Pages(ctx, body, first, last, pdftext.Options{Timeout: patience, Cache: env.Cache,
		Starting: func() { env.Doing("preparing the reader of PDFs, once") }})
}

// Cause gives the errors of a document a text in every language.
func Cause(err error) error {
	switch {
	case errors.Is(err, pdftext.ErrSlow):
		return message.NewError("it takes too long to read")
	case errors.Is(err, pdftext.ErrLarge):
		return message.NewError("it takes too much memory to read")
	case errors.Is(err, pdftext.ErrEmpty):
		return message.NewError("it has no text, perhaps only images")
	case errors.Is(err, pdftext.ErrEncrypted):
		return message.NewError("it needs a password")
	case errors.Is(err, pdftext.ErrDamaged):
		return message.NewError("it is damaged")
	}
	return err
}
