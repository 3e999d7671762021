package unzip

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// archive packs files with the standard library.
func archive(t testing.TB, files ...zip.FileHeader) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, h := range files {
		text := h.Comment
		h.Comment = "a comment"
		f, err := w.CreateHeader(&h)
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.SetComment("PK\x05 of the archive"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpacked returns the files of an archive as texts, or their errors.
func unpacked(b []byte) (all []string, err error) {
	files, err := Files(bytes.NewReader(b), int64(len(b)), time.UTC)
	for _, f := range files {
		var text []byte
		r, err := f.Open()
		if err == nil {
			text, err = io.ReadAll(io.LimitReader(r, 1<<20))
		}
		if err != nil {
			text = []byte(err.Error())
		}
		all = append(all, fmt.Sprintf("%s %d %s", f.Name, f.Size, text))
	}
	return all, err
}

// TestFiles reads what the standard library has packed; folders and links are no files.
func TestFiles(t *testing.T) {
	link := zip.FileHeader{Name: "link", Comment: "/etc/passwd"}
	link.SetMode(0o777 | 1<<27) // a symbolic link
	at := time.Date(2026, 1, 5, 8, 0, 1, 0, time.UTC)
	b := archive(t, zip.FileHeader{Name: "a.md", Method: zip.Deflate, Comment: strings.Repeat("tea ", 3), Modified: at},
		zip.FileHeader{Name: "dir/"}, link, zip.FileHeader{Name: "../b", Comment: "stored"},
		zip.FileHeader{Name: "empty"})
	got, err := unpacked(b)
	want := []string{"a.md 12 tea tea tea ", "../b 6 stored", "empty 0 "}
	if fmt.Sprint(got) != fmt.Sprint(want) || err != nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if files, _ := Files(bytes.NewReader(b), int64(len(b)), time.UTC); !files[0].Changed.Equal(at) {
		t.Errorf("changed at %v", files[0].Changed)
	}
}

// TestLarge reads the numbers of an archive of more than 4 GB.
func TestLarge(t *testing.T) {
	b := archive(t, zip.FileHeader{Name: "a", Comment: "stored"})
	i := bytes.Index(b, []byte(entryMark))
	end := bytes.LastIndex(b, []byte(endMark))
	list := bytes.Clone(b[i:end])
	for _, at := range []int{20, 24, 42} {
		binary.LittleEndian.PutUint32(list[at:], 1<<32-1)
	}
	binary.LittleEndian.PutUint16(list[30:], 28)
	extra := binary.LittleEndian.AppendUint32(nil, 24<<16|1)
	for _, number := range []uint64{6, 6, 0} {
		extra = binary.LittleEndian.AppendUint64(extra, number)
	}
	list = append(list[:entrySize+1:entrySize+1], append(extra, list[entrySize+1:]...)...)
	all := append(b[:i:i], list...)
	end64 := make([]byte, end64Size)
	copy(end64, end64Mark)
	binary.LittleEndian.PutUint64(end64[40:], uint64(len(list)))
	binary.LittleEndian.PutUint64(end64[48:], uint64(i))
	locator := make([]byte, locatorSize)
	copy(locator, locatorMark)
	binary.LittleEndian.PutUint64(locator[8:], uint64(len(all)))
	all = append(append(append(all, end64...), locator...), b[end:]...)
	if got, err := unpacked(all); fmt.Sprint(got) != "[a 6 stored]" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestDamaged reads archives that are cut, changed, encrypted, or larger than they say.
func TestDamaged(t *testing.T) {
	whole := archive(t, zip.FileHeader{Name: "a", Method: zip.Deflate, Comment: strings.Repeat("tea ", 99)})
	entry := bytes.Index(whole, []byte(entryMark))
	changed := func(at int, to byte) []byte {
		b := bytes.Clone(whole)
		b[at] = to
		return b
	}
	for name, c := range map[string]struct {
		archive []byte
		want    error
	}{
		"encrypted": {changed(entry+8, 1), ErrEncrypted}, "method": {changed(entry+10, 9), ErrMethod},
		"larger": {changed(entry+24, 9), ErrDamaged}, "smaller": {changed(entry+25, 9), ErrDamaged},
		"sum": {changed(entry+16, whole[entry+16]+1), ErrDamaged}, "data": {changed(34, 0xff), ErrDamaged},
		"local": {changed(0, 'x'), ErrDamaged},
	} {
		got, err := unpacked(c.archive)
		if err != nil || len(got) != 1 || !strings.HasSuffix(got[0], " "+c.want.Error()) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for n := range len(whole) - 1 {
		if _, err := unpacked(whole[:n]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// FuzzFiles reads any bytes: nothing fails, and no file has more bytes than it says.
func FuzzFiles(f *testing.F) {
	f.Add(archive(f, zip.FileHeader{Name: "a", Method: zip.Deflate, Comment: "text"}, zip.FileHeader{Name: "b"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		files, _ := Files(bytes.NewReader(b), int64(len(b)), time.UTC)
		for _, file := range files {
			if r, err := file.Open(); err == nil {
				if n, _ := io.Copy(io.Discard, r); n > file.Size {
					t.Errorf("%d of %d bytes", n, file.Size)
				}
			}
		}
	})
}
