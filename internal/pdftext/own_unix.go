//go:build unix

package pdftext

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether a folder is the user's and nobody else can write to it.
func isOwn(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
