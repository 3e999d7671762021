package export

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// removeLeftovers removes the temporary files of writers of this file that were
// killed long ago.
func removeLeftovers(path string) {
	const long = time.Hour
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	for _, n := range names {
		number, ok := strings.CutPrefix(n.Name(), "."+filepath.Base(path))
		if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if st, err := n.Info(); err == nil && st.Mode().IsRegular() && time.Since(st.ModTime()) > long {
			_ = os.Remove(filepath.Join(filepath.Dir(path), n.Name()))
		}
	}
}
