package folder

import "math/rand/v2"

// inode is a file. Folders have one as well, without content.
type inode struct {
	folder  bool
	durable []byte
	pending []bytesChange
}

// bytesChange is a write of data at an offset or, without data, a new size.
type bytesChange struct {
	at   int64
	data []byte
}

func (i *inode) write(at int64, data []byte) {
	if len(data) > 0 {
		i.pending = append(i.pending, bytesChange{at, append([]byte{}, data...)})
	}
}

func (c bytesChange) apply(content []byte) []byte {
	size := max(len(content), int(c.at)+len(c.data))
	if c.data == nil {
		size = int(c.at)
	}
	if size > len(content) {
		content = append(content, make([]byte, size-len(content))...)
	}
	copy(content[c.at:], c.data)
	return content[:size]
}

// content returns the bytes that a reader sees.
func (i *inode) content() []byte {
	content := append([]byte{}, i.durable...)
	for _, c := range i.pending {
		content = c.apply(content)
	}
	return content
}

// some returns bytes that a power failure may leave: each sector of a pending write
// and each new size by itself, or in one of three cases nothing or everything.
func (i *inode) some(r *rand.Rand) []byte {
	content := append([]byte{}, i.durable...)
	all, each := r.IntN(2) == 0, r.IntN(3) == 0
	keep := func() bool { return each && r.IntN(2) == 0 || !each && all }
	for _, c := range i.pending {
		if c.data == nil {
			if keep() {
				content = c.apply(content)
			}
			continue
		}
		for at := c.at; at < c.at+int64(len(c.data)); {
			end := min((at/sector+1)*sector, c.at+int64(len(c.data)))
			if keep() {
				content = bytesChange{at, c.data[at-c.at : end-c.at]}.apply(content)
			}
			at = end
		}
	}
	return content
}
