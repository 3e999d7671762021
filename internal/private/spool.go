package private

import (
	"io"
	"os"
)

// Spool is a temporary file that only this user can open. Close removes it.
type Spool struct{ *os.File }

// SpoolError reports that a spool could not be created or written.
type SpoolError struct{ Err error }

func (e *SpoolError) Error() string { return e.Err.Error() }

func (e *SpoolError) Unwrap() error { return e.Err }

// NewSpool creates an empty spool in the folder for temporary files.
func NewSpool() (Spool, error) {
	f, err := os.CreateTemp("", "techo-spool-")
	if err != nil {
		return Spool{}, &SpoolError{err}
	}
	_ = os.Remove(f.Name()) // a killed process leaves nothing behind; Windows removes only closed files
	return Spool{f}, nil
}

// SpoolOf returns a spool with a copy of an input, at its begin.
func SpoolOf(in io.Reader) (Spool, error) {
	s, err := NewSpool()
	if err != nil {
		return s, err
	}
	// Its ReadFrom is that of the file, whose errors are not those of a spool.
	if _, err = io.Copy(struct{ io.Writer }{s}, in); err == nil {
		_, err = s.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = s.Close() // the error is told already
	}
	return s, err
}

// Write writes to the file.
func (s Spool) Write(b []byte) (int, error) {
	n, err := s.File.Write(b)
	if err != nil {
		err = &SpoolError{err}
	}
	return n, err
}

// Close closes and removes the file.
func (s Spool) Close() error {
	err := s.File.Close()
	_ = os.Remove(s.Name()) // it may be gone
	return err
}
