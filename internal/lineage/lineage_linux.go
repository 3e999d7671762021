package lineage

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// maxDepth limits the walk through a tree that changes during the walk.
const maxDepth = 64

// Of returns the tree of a process, or the zero Tree if /proc is not readable.
func Of(pid int) Tree {
	var t Tree
	for at := pid; at > 0 && len(t.Processes) < maxDepth; {
		p, parent, session, ok := read(at)
		if !ok {
			return Tree{}
		}
		if at == pid {
			t.Session = session
		}
		t.Processes = append(t.Processes, p)
		t.Entered = parent == 0 && at != 1
		at = parent
	}
	dir := "/proc/" + strconv.Itoa(pid)
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return Tree{}
	}
	space, err := os.Readlink(dir + "/ns/pid")
	if err != nil {
		return Tree{}
	}
	cgroup, _ := os.ReadFile(dir + "/cgroup") // without cgroups, all processes share the empty one
	t.Space, t.Cgroup = strings.TrimSpace(string(boot))+" "+space, strings.TrimSpace(string(cgroup))
	return t
}

// read parses /proc/PID/stat. The name in it stands in parentheses and may
// contain any character.
func read(pid int) (p Process, parent, session int, ok bool) {
	path := "/proc/" + strconv.Itoa(pid)
	text, err := os.ReadFile(path + "/stat")
	begin, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if err != nil || begin < 0 || end < begin {
		return p, 0, 0, false
	}
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) < 20 {
		return p, 0, 0, false
	}
	p = Process{PID: pid, UID: -1, Name: string(text[begin+1 : end])}
	parent, _ = strconv.Atoi(fields[1])
	session, _ = strconv.Atoi(fields[3])
	p.TTY, _ = strconv.Atoi(fields[4])
	p.Start, _ = strconv.ParseUint(fields[19], 10, 64)
	if st, err := os.Stat(path); err == nil {
		if owner, ok := st.Sys().(*syscall.Stat_t); ok {
			p.UID = int(owner.Uid)
		}
	}
	return p, parent, session, true
}
