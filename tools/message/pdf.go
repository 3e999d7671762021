package message

import (
	"errors"

	"techo/internal/pdftext"
)

// PDFCause gives the errors of a PDF a text in every language.
func PDFCause(err error) error {
	switch {
	case errors.Is(err, pdftext.ErrSlow):
		return NewError("it takes too long to read")
	case errors.Is(err, pdftext.ErrLarge):
		return NewError("it takes too much memory to read")
	case errors.Is(err, pdftext.ErrEmpty):
		return NewError("it has no text, perhaps only images")
	case errors.Is(err, pdftext.ErrEncrypted):
		return NewError("it is encrypted")
	case errors.Is(err, pdftext.ErrDamaged):
		return NewError("it is damaged")
	}
	return err
}
