package folder

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
)

func openStore(t testing.TB, dir string) *Engine {
	t.Helper()
	l, err := Open(dir, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// put writes pairs of a key and a value in one transaction.
func put(l *Engine, pairs ...string) error {
	return l.Update(context.Background(), func(tx kv.Tx) error {
		for i := 0; i < len(pairs); i += 2 {
			if err := tx.Put([]byte(pairs[i]), []byte(pairs[i+1])); err != nil {
				return err
			}
		}
		return nil
	})
}

func mustPut(t testing.TB, l *Engine, pairs ...string) {
	t.Helper()
	if err := put(l, pairs...); err != nil {
		t.Fatal(err)
	}
}

func mustMerge(t testing.TB, l *Engine) {
	t.Helper()
	if err := l.forceMerge(); err != nil {
		t.Fatal(err)
	}
}

// everything reads a store by a scan, and asks for each key once more.
func everything(l *Engine) (model, error) {
	var m model
	err := l.View(context.Background(), func(tx kv.Tx) error {
		m = model{}
		for item, err := range tx.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			v, err := item.Value()
			if err != nil {
				return err
			}
			m[string(item.Key)] = string(v)
		}
		for k, v := range m {
			if got, err := tx.Get([]byte(k)); err != nil || string(got) != v {
				return fmt.Errorf("key %q: scanned but not got: %w", k, err)
			}
		}
		return nil
	})
	return m, err
}

// recordsIn returns the records of the store in a folder, and closes it again.
func recordsIn(t testing.TB, dir string) (model, error) {
	t.Helper()
	l := openStore(t, dir)
	defer l.Close()
	return everything(l)
}

func wantAll(t testing.TB, l *Engine, want model) {
	t.Helper()
	if got, err := everything(l); err != nil {
		t.Fatal(err)
	} else if !maps.Equal(got, want) {
		t.Fatalf("%s, want %s", got, want)
	}
}

// String names the keys, with values as long as they are short.
func (m model) String() string {
	var b strings.Builder
	for _, k := range m.scan(kv.Range{}) {
		v := m[k]
		if len(v) > 20 {
			v = fmt.Sprintf("%d bytes", len(v))
		}
		fmt.Fprintf(&b, "%q=%s ", k, v)
	}
	return "[" + b.String() + "]"
}

func readJournal(t testing.TB, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, disk.JournalName))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func storeOf(t testing.TB, journal []byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	writeJournal(t, dir, journal)
	return dir
}

func writeJournal(t testing.TB, dir string, journal []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, disk.JournalName), journal, 0o600); err != nil {
		t.Fatal(err)
	}
}

func isCorrupt(err error) bool { return errors.As(err, new(*kv.CorruptError)) }

// sealed returns the bytes of a frame.
func sealed(generation, number uint64, payload []byte) []byte {
	b := make([]byte, journal.FrameHeader, journal.FrameHeader+len(payload))
	binary.BigEndian.PutUint32(b, uint32(len(payload)))
	binary.BigEndian.PutUint64(b[8:], generation)
	binary.BigEndian.PutUint64(b[16:], number)
	binary.BigEndian.PutUint32(b[4:], disk.Checksum(b[8:], payload))
	return append(b, payload...)
}

// slots returns the bytes before the frames, with one header and no watermarks.
func slots(version uint32, generation uint64) []byte {
	b := make([]byte, journal.FramesAt)
	copy(b, journal.Magic)
	binary.BigEndian.PutUint32(b[16:], version)
	binary.BigEndian.PutUint64(b[20:], generation)
	binary.BigEndian.PutUint32(b[60:], disk.Checksum(b[:60]))
	return b
}

// tornJournal returns a journal of four transactions, what it holds, and a
// fifth frame that is to be torn. Behind the first bytes of that frame stands
// what would pass for the sixth, if the next write of "next" did not cut it off.
func tornJournal(t *testing.T) (data []byte, want model, torn []byte) {
	dir := t.TempDir()
	l := openStore(t, dir)
	want = model{}
	for i := range 4 {
		k, v := fmt.Sprintf("key%d", i), strings.Repeat("v", i*7)
		mustPut(t, l, k, v, "same", v)
		want[k], want["same"] = v, v
	}
	next := len(sealed(1, 4, journal.AppendPut(nil, []byte("next"), []byte("good"))))
	ghost := sealed(1, 5, journal.AppendPut(nil, []byte("ghost"), []byte("boo")))
	start := journal.FrameHeader + len(journal.AppendPut(nil, []byte("torn"), nil)) // where the value starts
	value := append(make([]byte, next-start), ghost...)
	torn = sealed(1, 4, journal.AppendPut(nil, []byte("torn"), append(value, "the end"...)))
	if !bytes.HasPrefix(torn[next:], ghost) {
		t.Fatalf("the frame in the value is not where the sixth would be")
	}
	return readJournal(t, dir), want, torn
}
