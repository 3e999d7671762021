package replica

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"syscall"

	"techo/internal/atomicfile"
	"techo/internal/lazyregexp"
	"techo/internal/regular"
)

// place is the folder that carries the files between machines. Others can write to it: a file syncer,
// or whoever has the stick. Nothing in it is opened through a link out of it, and nothing is read
// without a bound.
type place struct{ root *os.Root }

// notebookFile says which notebook a place has. It contains nothing secret.
const notebookFile = "techo.json"

type notebook struct {
	Format   int    `json:"format"`
	Notebook string `json:"notebook"`
	Proof    string `json:"proof"` // of the key
}

var (
	machineName  = lazyregexp.New(`^[a-z2-7]{8}$`)
	segmentName  = lazyregexp.New(`^(\d{8})\.age$`)
	snapshotName = lazyregexp.New(`^SNAPSHOT\.(\d{8})$`)
)

func segmentFile(n uint64) string { return fmt.Sprintf("%08d.age", n) }

func snapshotFile(n uint64) string { return fmt.Sprintf("SNAPSHOT.%08d", n) }

func openPlace(dir string) (*place, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &place{root}, nil
}

func (p *place) Close() error { return p.root.Close() }

// notebook returns which notebook the place has, or fs.ErrNotExist.
func (p *place) notebook() (n notebook, err error) {
	b, err := p.read(notebookFile, 64<<10)
	if err != nil {
		return n, err
	}
	if json.Unmarshal(b, &n) != nil || n.Notebook == "" {
		return n, bad(Damaged)
	}
	if n.Format > format {
		return n, bad(Newer)
	}
	return n, nil
}

// read returns the content of a regular file.
func (p *place) read(name string, most int64) ([]byte, error) {
	b, err := regular.ReadBy(p.root.OpenFile, name, most)
	if errors.Is(err, regular.ErrNotFile) || errors.Is(err, syscall.EISDIR) || errors.As(err, new(*regular.TooLargeError)) {
		return nil, bad(Irregular)
	}
	return b, err
}

// names returns the names in a folder, "." for the place itself.
func (p *place) names(folder string) ([]string, error) {
	f, err := p.root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(100_000)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.Sort(names)
	return names, err
}

// machines returns the folders of machines.
func (p *place) machines() (all []string, err error) {
	names, err := p.names(".")
	for _, name := range names {
		if !machineName.Get().MatchString(name) {
			continue
		}
		if info, err := p.root.Lstat(name); err == nil && info.IsDir() {
			all = append(all, name)
		}
	}
	return all, err
}

// files are the files of a machine in a place.
type files struct {
	segments  []uint64
	snapshots []uint64
	others    []string // with names that techo does not give, such as conflicted copies
}

func (p *place) files(machine string) (f files, err error) {
	names, err := p.names(machine)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	for _, name := range names {
		if m := segmentName.Get().FindStringSubmatch(name); m != nil {
			f.segments = append(f.segments, numberIn(m[1]))
		} else if m := snapshotName.Get().FindStringSubmatch(name); m != nil {
			f.snapshots = append(f.snapshots, numberIn(m[1]))
		} else if name[0] != '.' { // of a write that has not ended, or of a syncer
			f.others = append(f.others, name)
		}
	}
	return f, err
}

// after returns the names of the files that can follow a segment: the next one, and, the newest first,
// snapshots. The next one may never arrive whole, since its machine removes what a snapshot stands for.
func (f *files) after(number uint64) (names []string) {
	if slices.Contains(f.segments, number+1) {
		names = append(names, segmentFile(number+1))
	}
	for _, n := range slices.Backward(f.snapshots) { // they are sorted
		if n > number {
			names = append(names, snapshotFile(n))
		}
	}
	return names
}

func numberIn(digits string) uint64 {
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		panic(err) // eight digits fit
	}
	return n
}

// write writes a file that appears whole or not at all.
func (p *place) write(machine, name string, content []byte) error {
	if machine == "" {
		return atomicfile.Write(p.root, name, content, atomicfile.Options{})
	}
	if err := p.root.Mkdir(machine, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	folder, err := p.root.OpenRoot(machine)
	if err != nil {
		return err
	}
	defer folder.Close()
	return atomicfile.Write(folder, name, content, atomicfile.Options{})
}

// clean removes the files of a machine that its newest snapshot stands for: a syncer, or a process that was
// killed, may have left some. It returns how many bytes the others have, up to a number.
func (p *place) clean(machine string, last uint64) (size int64, err error) {
	there, err := p.files(machine)
	if err != nil {
		return 0, err
	}
	newest := uint64(0)
	if len(there.snapshots) > 0 {
		newest = slices.Max(there.snapshots)
	}
	each := func(name string, outdated bool) {
		if outdated {
			err = errors.Join(err, p.remove(machine, name))
			return
		}
		if info, fault := p.root.Lstat(machine + "/" + name); fault == nil {
			size += info.Size()
		}
	}
	for _, number := range there.segments {
		if number <= last {
			each(segmentFile(number), number <= newest)
		}
	}
	for _, number := range there.snapshots {
		if number <= last {
			each(snapshotFile(number), number < newest)
		}
	}
	return size, err
}

// remove removes a file of a machine. A missing one is no error.
func (p *place) remove(machine, name string) error {
	err := p.root.Remove(machine + "/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
