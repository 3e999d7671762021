package change

import (
	"bytes"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// copyAttributes copies the extended attributes of a file to another, including
// access control lists.
func copyAttributes(to, from *os.File) error {
	src, dst := int(from.Fd()), int(to.Fd())
	n, err := unix.Flistxattr(src, nil)
	if n == 0 || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	if err != nil {
		return err
	}
	list := make([]byte, n)
	if n, err = unix.Flistxattr(src, list); err != nil {
		return err
	}
	for name := range bytes.SplitSeq(bytes.TrimSuffix(list[:n], []byte{0}), []byte{0}) {
		value, err := attribute(src, string(name))
		if err != nil {
			return err
		}
		if have, err := attribute(dst, string(name)); err == nil && bytes.Equal(have, value) {
			continue // for example a security label that every new file gets
		}
		if err := unix.Fsetxattr(dst, string(name), value, 0); err != nil {
			return err
		}
	}
	return nil
}

func attribute(fd int, name string) ([]byte, error) {
	n, err := unix.Fgetxattr(fd, name, nil)
	if err != nil || n == 0 {
		return nil, err
	}
	value := make([]byte, n)
	n, err = unix.Fgetxattr(fd, name, value)
	return value[:max(n, 0)], err
}
