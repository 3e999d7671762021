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
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
)

// TestTornEnd cuts the last frame, which was never acknowledged, at each of
// its bytes, or fills it up with zeros as file systems do after a power cut.
func TestTornEnd(t *testing.T) {
	data, want, torn := tornJournal(t)
	check := func(name string, end []byte) {
		dir := storeOf(t, bytes.Join([][]byte{data, end}, nil))
		l := openStore(t, dir)
		if got, err := everything(l); err != nil || !maps.Equal(got, want) {
			t.Fatalf("%s: read %s, %v, want %s", name, got, err, want)
		}
		mustPut(t, l, "next", "good")
		want := maps.Clone(want)
		want["next"] = "good"
		wantAll(t, l, want)
		l = openStore(t, dir)
		wantAll(t, l, want)
		mustPut(t, l, "later", "too")
		want["later"] = "too"
		wantAll(t, openStore(t, dir), want)
	}
	for n := range torn {
		check(fmt.Sprintf("%d of %d bytes", n, len(torn)), torn[:n])
		zeros := append(bytes.Clone(torn[:n]), make([]byte, len(torn)-n)...)
		if !bytes.Equal(zeros, torn) {
			check(fmt.Sprintf("%d of %d bytes and zeros", n, len(torn)), zeros)
		}
	}
	want["torn"] = string(torn[journal.FrameHeader+len(journal.AppendPut(nil, []byte("torn"), nil)):])
	wantAll(t, openStore(t, storeOf(t, append(bytes.Clone(data), torn...))), want)
}

// TestMarkedEnd cuts off acknowledged transactions: that is damage, and not a torn
// end.
func TestMarkedEnd(t *testing.T) {
	data, _, _ := tornJournal(t)
	for n := journal.FramesAt; n < len(data); n++ {
		l := openStore(t, storeOf(t, data[:n]))
		if got, err := everything(l); !isCorrupt(err) {
			t.Fatalf("cut at %d of %d: read %s, %v", n, len(data), got, err)
		}
		if err := put(l, "k", "v"); !isCorrupt(err) {
			t.Fatalf("cut at %d of %d: written to: %v", n, len(data), err)
		}
	}
}

// TestFlippedJournal flips a bit of each byte of journals of one to four
// generations, the second of which was merged with nothing in it. A journal may be refused, but never be read as less
// than it held.
func TestFlippedJournal(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		generation uint64
		txns       int
	}{{1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}, {3, 0}, {3, 1}, {3, 2}, {4, 1}} {
		if i%testenv.Pick(3, 1) != 1%testenv.Pick(3, 1) {
			continue
		}
		t.Run(fmt.Sprintf("generation %d, %d transactions", c.generation, c.txns), func(t *testing.T) {
			flipJournal(t, c.generation, c.txns)
		})
	}
}

func flipJournal(t *testing.T, generation uint64, txns int) {
	dir := t.TempDir()
	l := openStore(t, dir)
	want := model{}
	add := func(k, v string) {
		mustPut(t, l, k, v)
		want[k] = v
	}
	for g := uint64(1); g < generation; g++ {
		for i := range 3 * (g % 2) {
			add(fmt.Sprintf("merged %d %d", g, i), "value")
		}
		mustMerge(t, l)
	}
	for i := range txns {
		add(fmt.Sprintf("key%d", i), strings.Repeat("v", i))
	}
	data := readJournal(t, dir)
	for at := range data {
		// Most of the room before the frames is never looked at.
		unused := at < journal.FramesAt && (at%journal.SlotStride > journal.SlotSize ||
			at > journal.WatermarkAt+2*journal.SlotStride)
		if unused && at%397 != 0 {
			continue
		}
		bad := bytes.Clone(data)
		bad[at] ^= 1 << (at % 8)
		writeJournal(t, dir, bad)
		checkFlipped(t, dir, at, want)
	}
}

func checkFlipped(t *testing.T, dir string, at int, want model) {
	t.Helper()
	l, err := Open(dir, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got, err := everything(l)
	if isCorrupt(err) || errors.As(err, new(*kv.VersionError)) {
		// A write would bury what can still be saved.
		if err := put(l, "new", "value"); err == nil {
			t.Fatalf("byte %d: a journal that cannot be read was written to", at)
		}
		return
	}
	if err != nil || !maps.Equal(got, want) {
		t.Fatalf("byte %d: read %s, %v, want %s", at, got, err, want)
	}
}

func TestNewerVersion(t *testing.T) {
	for _, at := range []int64{0, journal.SlotStride} {
		data := slots(journal.Format, 1)
		copy(data[at:], slots(journal.Format+1, 2)[:journal.SlotSize])
		dir := storeOf(t, data)
		l := openStore(t, dir)
		var version *kv.VersionError
		if _, err := everything(l); !errors.As(err, &version) || version.Found != journal.Format+1 ||
			version.Known != journal.Format {
			t.Errorf("head at %d: read: %v", at, err)
		}
		if err := put(l, "k", "v"); !errors.As(err, &version) {
			t.Errorf("head at %d: written to: %v", at, err)
		}
		if !bytes.Equal(readJournal(t, dir), data) {
			t.Errorf("head at %d: the journal has changed", at)
		}
	}
}

// TestStaleFrames puts the frames of a merged generation back, as a power cut
// may that comes before the file is cut off.
func TestStaleFrames(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	want := model{}
	for i := range 4 {
		k := fmt.Sprintf("key%d", i)
		mustPut(t, l, k, "old")
		want[k] = "old"
	}
	old := readJournal(t, dir)
	mustMerge(t, l)
	for i := range 4 {
		k := fmt.Sprintf("key%d", i)
		data := readJournal(t, dir)
		if len(data) > len(old) {
			t.Fatalf("the journal holds %d bytes, before the merge %d", len(data), len(old))
		}
		// A transaction of the same size: the stale ones stand where the next would.
		writeJournal(t, dir, append(data, old[len(data):]...))
		wantAll(t, openStore(t, dir), want)
		l := openStore(t, dir)
		mustPut(t, l, k, "new")
		want[k] = "new"
		wantAll(t, l, want)
		wantAll(t, openStore(t, dir), want)
	}
}

// TestGroupPanic checks that the writes of a Group that panicked are not kept.
func TestGroupPanic(t *testing.T) {
	l := openStore(t, t.TempDir())
	mustPut(t, l, "k", "v")
	func() {
		defer func() { _ = recover() }() // as an HTTP server does
		_ = l.Group(context.Background(), func(ctx context.Context) error {
			if err := l.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte("ghost"), nil) }); err != nil {
				t.Error(err)
			}
			panic("a fault")
		})
	}()
	wantAll(t, l, model{"k": "v"})
	mustPut(t, l, "k", "w")
	wantAll(t, l, model{"k": "w"})
}

// TestJournalStaysSmall writes far more than the journal may hold, in a handle
// that is never closed.
func TestJournalStaysSmall(t *testing.T) {
	grouped := func(l *Engine, key, value string) error {
		return l.Group(context.Background(), func(ctx context.Context) error {
			return l.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte(key), []byte(value)) })
		})
	}
	single := func(l *Engine, key, value string) error { return put(l, key, value) }
	for name, write := range map[string]func(l *Engine, key, value string) error{"group": grouped, "update": single} {
		t.Run(name, func(t *testing.T) {
			l := openStore(t, t.TempDir())
			for i := range 8 {
				if err := write(l, fmt.Sprint("key", i%2), strings.Repeat("v", stayBytes/4)); err != nil {
					t.Fatal(err)
				}
			}
			i, err := l.Info(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if i.JournalBytes > stayBytes*3/2 || i.Generation == 0 {
				t.Errorf("the journal holds %d bytes after %d merges", i.JournalBytes, i.Generation)
			}
		})
	}
}

// FuzzJournal opens a file of arbitrary bytes, and one whose only frame is
// sound and has arbitrary bytes in it. Each run syncs, so that it goes best
// with -fuzzminimizetime 1x.
func FuzzJournal(f *testing.F) {
	dir := f.TempDir()
	l := openStore(f, dir)
	for i := range 3 {
		mustPut(f, l, fmt.Sprintf("key%d", i), strings.Repeat("v", i*30), "same", "value")
		whole := readJournal(f, dir)
		f.Add(whole, false)
		f.Add(whole[journal.FramesAt+journal.FrameHeader:], true)
	}
	mustMerge(f, l)
	f.Add(readJournal(f, dir), false)
	f.Add(binary.AppendUvarint([]byte{journal.OpPut}, 1<<63), true)
	payload := journal.AppendPut(journal.AppendDelete(nil, []byte("key")), []byte("k"), []byte("value"))
	for n := range payload {
		f.Add(payload[:n], true)
	}
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal {
			data = append(slots(journal.Format, 1), sealed(1, 0, data)...)
		}
		dir := storeOf(t, data)
		l, err := Open(dir, Options{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		want, err := everything(l)
		if err != nil {
			if !isCorrupt(err) && !errors.As(err, new(*kv.VersionError)) {
				t.Fatal(err)
			}
			return
		}
		mustPut(t, l, "fuzz", "written")
		want["fuzz"] = "written"
		wantAll(t, l, want)
		wantAll(t, openStore(t, dir), want)
	})
}

// TestTornBirth: a power failure may tear the very first write of a journal,
// whose size may reach the disk before its bytes. Nothing was answered then, and
// the store is as if it had never been written.
func TestTornBirth(t *testing.T) {
	whole := append(journal.HeaderOf(1), make([]byte, journal.FramesAt-journal.SlotSize)...)
	copy(whole[journal.SlotStride:], journal.HeaderOf(0))
	torn := map[string][]byte{
		"cut off":      whole[:journal.SlotStride],
		"head A alone": slices.Concat(whole[:journal.SlotStride], make([]byte, journal.FramesAt-journal.SlotStride)),
		"head B alone": slices.Concat(make([]byte, journal.SlotStride), whole[journal.SlotStride:]),
		"zeros":        make([]byte, journal.FramesAt),
	}
	for name, data := range torn {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, disk.JournalName), data, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := Open(dir, Options{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		err = l.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte("key"), []byte("value")) })
		if e := l.Close(); err != nil || e != nil {
			t.Errorf("%s: %v, %v", name, err, e)
		}
	}
}
