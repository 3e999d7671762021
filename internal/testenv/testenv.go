// Package testenv decides which tests run. An ordinary `go test ./...` needs no
// network, no other programs and no privileges, and takes at most three minutes.
// The environment selects more:
//
//	TECHO_TEST_ALL=1   runs every test with its full samples; a program or a
//	                   privilege that is missing then fails the test. .ci/run sets it.
//	TECHO_TEST_DOWNLOADS=0
//	                   leaves out of them the tests that download hundreds of megabytes.
//	TECHO_TEST_LONG=1  runs randomized tests for minutes or hours instead of seconds.
//	TECHO_TEST_SEED=N  sets the seed of randomized tests, which failed tests report.
//	TECHO_TEST_POSTGRES
//	                   is the address of a PostgreSQL database for tests.
//	TECHO_TEST_STORE=postgres
//	                   lets the scripts and the tests of packages store and commands, and
//	                   those of tools that open a store, keep their stores in that database.
//	TECHO_TEST_STORE=twice
//	                   lets the tests of package store run each transaction twice.
//	TECHO_TEST_WINE=1  lets the scripts and the proofs run the Windows program (winetest).
//	TECHO_TEST_DATA    names the folder of the large test data, by default
//	                   ../shared/data beside the repository.
package testenv

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Full reports whether every test runs with its full samples.
func Full() bool { return os.Getenv("TECHO_TEST_ALL") == "1" }

// Long reports whether randomized tests may run for minutes or hours.
func Long() bool { return os.Getenv("TECHO_TEST_LONG") == "1" }

// Pick returns a sample size: ordinary for `go test ./...`, full for
// TECHO_TEST_ALL=1 and TECHO_TEST_LONG=1.
func Pick[T any](ordinary, full T) T {
	if Full() || Long() {
		return full
	}
	return ordinary
}

// All skips the test unless all tests run. The reason completes
// "it …".
func All(t testing.TB, reason string) {
	t.Helper()
	if !Full() {
		t.Skip("runs with TECHO_TEST_ALL=1 only: it " + reason)
	}
}

// Download skips a test that downloads hundreds of megabytes: it runs with all tests,
// unless TECHO_TEST_DOWNLOADS=0 leaves it out. The reason completes "it …".
func Download(t testing.TB, reason string) {
	t.Helper()
	All(t, reason)
	if os.Getenv("TECHO_TEST_DOWNLOADS") == "0" {
		t.Skip("left out with TECHO_TEST_DOWNLOADS=0: it " + reason)
	}
}

// Missing ends a test that needs something this machine does not have: it skips
// the test, or fails it if all tests have to run.
func Missing(t testing.TB, what string) {
	t.Helper()
	if Full() {
		t.Fatal("missing: " + what)
	}
	t.Skip("missing: " + what)
}

// Forbidden skips a test that the system does not permit, for example to mount a
// file system in a container. Installing something cannot change that.
func Forbidden(t testing.TB, what string) {
	t.Helper()
	t.Skip("not permitted here: " + what)
}

// Tool returns the path of a program. A test that needs one runs with TECHO_TEST_ALL=1 only, so that
// the other tests take the same time wherever they run. If the program is not installed, Tool ends
// the test as Missing does.
func Tool(t testing.TB, name string) string {
	t.Helper()
	All(t, "needs the program "+name)
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "the program "+name)
	}
	return path
}

// Data returns the path of a file or folder of the large test data, which is not
// part of the repository. It skips the test if the path does not exist.
func Data(t testing.TB, elem ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{dataFolder(t)}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("test data not found, set TECHO_TEST_DATA: %v", err)
	}
	return path
}

// ReadData returns the content of a file of the large test data. It skips the
// test if the file does not exist.
func ReadData(t testing.TB, elem ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(Data(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func dataFolder(t testing.TB) string {
	t.Helper()
	if folder := os.Getenv("TECHO_TEST_DATA"); folder != "" {
		return folder
	}
	return filepath.Join(Root(t), "..", "shared", "data")
}

// Root returns the folder of the repository: the nearest parent with a go.mod.
func Root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Fatal("no go.mod above the working folder")
		}
		folder = parent
	}
}

// PDF creates a PDF with one text per page.
func PDF(texts ...string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(at)}, args...)...)
	}
	b.WriteString("%PDF-1.4\n")
	var kids []string
	for i := range texts {
		kids = append(kids, fmt.Sprintf("%d 0 R", 4+2*i))
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(texts))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, text := range texts {
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R /Resources << /Font << /F1 3 "+
			"0 R >> >> >>", 5+2*i)
		stream := "BT /F1 12 Tf 72 700 Td (" + text + ") Tj ET"
		object("<< /Length %d >>\nstream\n%s\nendstream", len(stream), stream)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, table)
	return b.Bytes()
}

// Held returns the bytes of memory that this process holds.
func Held() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Cache returns the folder in which test programs keep PDFium compiled, so that one of them
// compiles it and not each: that takes five seconds. With TECHO_TEST_ALL=1 each compiles it.
func Cache() string {
	folder, err := os.UserCacheDir()
	if err != nil || Full() {
		return ""
	}
	return filepath.Join(folder, "techo-test")
}
