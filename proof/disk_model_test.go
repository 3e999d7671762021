//go:build linux && amd64

package proof

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// # What a disk may hold after a power failure
//
// Two models of file systems decide which of the effects before a point of time
// have reached the disk.
//
//	strict POSIX  Only what a sync covered is certain: the bytes and the size of
//	              a file that was synced, the entries of a folder that was
//	              synced. Anything else is there or not, in any order: each
//	              sector of 512 bytes has any of the contents that it had since
//	              the last sync, a file has any of its sizes, and a sector within
//	              the size that no write has reached is zeros. A rename is whole
//	              or not there, and changes of the same entry keep their order.
//	ext4          data=ordered: entries and cuts of files reach the disk in their
//	              order, and every sync brings all of them up to itself. A file
//	              that grows does so by pages that are written, except in
//	              the block of its old end, where the size may come first; what
//	              is overwritten in place may be torn at any sector.

type model int

const (
	strictPOSIX model = iota
	ext4Ordered
)

func (m model) String() string { return [...]string{"strict POSIX", "ext4"}[m] }

// luck is the fraction of unsynced writes that reached the disk.
type luck int

const (
	nothing luck = iota
	everything
	chance
)

const (
	sector = 512
	page   = 4096
)

// outage is a power failure.
type outage struct {
	*recording
	model   model
	luck    luck
	cut     int              // effects from this one on have not happened
	ignored func(i int) bool // syncs that did nothing
	random  *rand.Rand
}

// diskFile is a file after an outage.
type diskFile struct {
	data  []byte
	mtime time.Time
}

// diskState is a folder after an outage.
type diskState struct {
	nodes   []node
	entries map[place]int
	files   map[int]diskFile
}

// strike returns the content of the disk.
func (o *outage) strike() *diskState {
	forced, safe := o.durable()
	chosen, prefix := o.choose(forced)
	s := &diskState{nodes: o.nodes, entries: maps.Clone(o.before), files: map[int]diskFile{}}
	for i, e := range o.effects[:o.cut] {
		if e.kind != entries || !chosen[i] {
			continue
		}
		for at, id := range e.sets {
			if id == gone {
				delete(s.entries, at)
			} else {
				s.entries[at] = id
			}
		}
	}
	s.walk(0, "", func(_ string, id int) {
		if _, seen := s.files[id]; !seen && !o.nodes[id].folder {
			s.files[id] = o.file(id, safe[id], prefix)
		}
	})
	return s
}

// durable returns the changes of entries that are certain, and for each file the
// effect up to which its content is certain.
func (o *outage) durable() (forced []bool, safe map[int]int) {
	forced, safe = make([]bool, o.cut), map[int]int{}
	for i, s := range o.effects[:o.cut] {
		if s.kind != synced && s.kind != syncedFS || o.ignored(i) {
			continue
		}
		for j, e := range o.effects[:s.covers] {
			switch {
			case e.kind == entries:
				forced[j] = forced[j] || o.model == ext4Ordered || s.kind == syncedFS || e.in(s.node)
				continue
			case e.kind == resized && o.model == ext4Ordered:
				forced[j] = true
			}
			if s.kind == syncedFS || e.node == s.node {
				safe[e.node] = max(safe[e.node], s.covers)
			}
		}
	}
	// Earlier effects on the same entries or the same file are certain too.
	kept := map[any]bool{}
	for i := o.cut - 1; i >= 0; i-- {
		e := o.effects[i]
		if e.kind != entries {
			continue
		}
		for key := range e.keys {
			forced[i] = forced[i] || kept[key]
		}
		if forced[i] {
			for key := range e.keys {
				kept[key] = true
			}
		}
	}
	return forced, safe
}

// in reports whether a change affects entries of a folder.
func (e *effect) in(folder int) bool {
	for at := range e.sets {
		if at.folder == folder {
			return true
		}
	}
	return false
}

// keys yields the places and nodes of a change. Changes with a common key keep
// their order.
func (e *effect) keys(yield func(any) bool) {
	for at, id := range e.sets {
		if !yield(at) || id != gone && !yield(id) {
			return
		}
	}
}

// choose draws the changes of entries that have reached the disk. With ext4 these
// are all changes before prefix.
func (o *outage) choose(forced []bool) (chosen []bool, prefix int) {
	chosen = make([]bool, o.cut)
	least := 0
	for i := range forced {
		if forced[i] {
			least = i + 1
		}
	}
	prefix = least
	switch o.luck {
	case everything:
		prefix = o.cut
	case chance:
		prefix += o.random.IntN(o.cut - least + 1)
	}
	share := []float64{0, 0.2, 0.5, 0.8, 1}[o.random.IntN(5)]
	blocked := map[any]bool{}
	for i, e := range o.effects[:o.cut] {
		if e.kind != entries {
			continue
		}
		pick := o.luck == everything || o.luck == chance && o.random.Float64() < share
		if o.model == ext4Ordered {
			pick = i < prefix
		}
		for key := range e.keys {
			pick = pick && !blocked[key]
		}
		if chosen[i] = pick || forced[i]; chosen[i] {
			continue
		}
		for key := range e.keys {
			blocked[key] = true
		}
	}
	return chosen, prefix
}

// file draws the content of a file. The effects before safe are certain.
func (o *outage) file(id, safe, prefix int) diskFile {
	now := diskFile{o.nodes[id].data, o.nodes[id].mtime}
	versions := []diskFile{now}
	least, most := 0, 0 // versions of the size that ext4 allows
	for i, e := range o.effects[:o.cut] {
		if e.node != id || e.kind != written && e.kind != resized {
			continue
		}
		now = now.after(e)
		if i < safe {
			versions[0] = now
			continue
		}
		versions = append(versions, now)
		switch {
		case e.kind == written && most == len(versions)-2, e.kind == resized && i < prefix:
			most = len(versions) - 1
		}
		if e.kind == resized && i < prefix {
			least = most
		}
	}
	last := len(versions) - 1
	if o.model == strictPOSIX {
		least, most = 0, last
	}
	switch o.luck {
	case nothing:
		return versions[least]
	case everything:
		return versions[most]
	}
	if least == most && last == most || o.random.IntN(3) == 0 {
		return versions[least+o.random.IntN(most-least+1)]
	}
	if o.model == ext4Ordered {
		return o.grown(versions, least, most)
	}
	return o.torn(versions)
}

// after returns the file after one more effect.
func (f diskFile) after(e effect) diskFile {
	size := e.size
	if e.kind == written {
		size = max(int64(len(f.data)), e.at+int64(len(e.data)))
	}
	data := make([]byte, size)
	copy(data, f.data)
	if e.kind == written {
		copy(data[e.at:], e.data)
	}
	return diskFile{data, e.mtime}
}

// torn mixes versions of a file, given from oldest to newest, by sectors.
func (o *outage) torn(versions []diskFile) diskFile {
	last := len(versions) - 1
	size := versions[o.random.IntN(last+1)]
	if o.random.IntN(2) == 0 {
		size = versions[last]
	}
	unit := []int{sector, page}[o.random.IntN(2)]
	how, tear := o.random.IntN(4), o.random.IntN(len(size.data)/unit+2)
	return mixed(size, unit, func(n int) []byte {
		switch {
		case how == 0, how == 1 && n >= tear, how == 2 && n < tear: // 0: the size without the data
			return versions[0].data
		case how < 3:
			return versions[last].data
		}
		return versions[o.random.IntN(last+1)].data
	})
}

// grown is torn for ext4: data behind the certain end is written before the size;
// only in the block of that end may it be zeros.
func (o *outage) grown(versions []diskFile, least, most int) diskFile {
	old, size := len(versions[least].data), versions[least+o.random.IntN(most-least+1)]
	last := versions[len(versions)-1].data
	if pages := (len(size.data) - old) / page; pages > 0 {
		end := min(len(size.data), (old/page+1+o.random.IntN(pages+1))*page)
		size = diskFile{size.data[:end], size.mtime}
	}
	edge := (old + page - 1) / page * page
	return mixed(size, sector, func(n int) []byte {
		if n*sector >= edge {
			return size.data
		}
		if o.random.IntN(2) == 0 {
			return versions[least].data
		}
		return last
	})
}

// mixed takes each unit of a file from the version that pick returns.
func mixed(size diskFile, unit int, pick func(n int) []byte) diskFile {
	data := make([]byte, len(size.data))
	for at := 0; at < len(data); at += unit {
		if from := pick(at / unit); at < len(from) {
			copy(data[at:min(at+unit, len(data))], from[at:])
		}
	}
	return diskFile{data, size.mtime}
}

// walk calls do for each entry below a folder, parents first.
func (s *diskState) walk(folder int, path string, do func(path string, id int)) {
	var names []string
	for at := range s.entries {
		if at.folder == folder {
			names = append(names, at.name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		id := s.entries[place{folder, name}]
		do(filepath.Join(path, name), id)
		if s.nodes[id].folder {
			s.walk(id, filepath.Join(path, name), do)
		}
	}
}

// digest returns a hash of the state.
func (s *diskState) digest() (sum [sha256.Size]byte) {
	var b bytes.Buffer
	s.walk(0, "", func(path string, id int) {
		f := s.files[id]
		fmt.Fprintf(&b, "%q %v %x %v\n", path, s.nodes[id].folder, sha256.Sum256(f.data), f.mtime)
	})
	return sha256.Sum256(b.Bytes())
}

// write creates a folder with this state.
func (s *diskState) write(dir string) error {
	err := os.Mkdir(dir, 0o700)
	s.walk(0, "", func(path string, id int) {
		path = filepath.Join(dir, path)
		switch f := s.files[id]; {
		case err != nil:
		case s.nodes[id].folder:
			err = os.Mkdir(path, 0o700)
		default:
			if err = os.WriteFile(path, f.data, 0o600); err == nil {
				err = os.Chtimes(path, f.mtime, f.mtime)
			}
		}
	})
	return err
}
