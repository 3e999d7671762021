package lineage

import (
	"bytes"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Limits of a walk through trees that change during the walk.
const (
	maxDepth  = 64
	maxNested = 4 // multiplexers that show multiplexers
)

// initialUsers is the user namespace of the system. In another one, files and processes
// of its maker seem to be root's.
const initialUsers = "user:[4026531837]"

// Readable reports whether Of can read the tree of a process on this system.
const Readable = true

// Of returns the tree of a process, or the zero Tree if anything about it cannot be read.
func Of(pid int) Tree { return treeOf(pid, maxNested) }

func treeOf(pid, nested int) Tree {
	root, err := unix.Open("/proc", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return Tree{}
	}
	defer unix.Close(root)
	var fs unix.Statfs_t
	if unix.Fstatfs(root, &fs) != nil || fs.Type != unix.PROC_SUPER_MAGIC {
		return Tree{}
	}
	p := proc(root)
	if own, err := p.link("", "self"); err != nil || own != strconv.Itoa(os.Getpid()) {
		return Tree{} // the processes of another namespace
	}
	t := Tree{Spaces: p.spaces(pid), Read: ticks()}
	for at := pid; at > 0; {
		one, parent, ok := p.read(at)
		n := len(t.Processes)
		if !ok || n == maxDepth || n > 0 && one.Start > t.Processes[n-1].Start { // the PID was used again
			return Tree{}
		}
		t.Processes = append(t.Processes, one)
		at = parent
	}
	if n := len(t.Processes); n == 0 || t.Processes[n-1].PID != 1 || t.Spaces == "" {
		return Tree{}
	}
	for i := range t.Processes {
		if t.opens(i) && slices.Contains(multiplexers(), t.Processes[i].Name) && nested > 0 {
			t.Screens = p.screens(t.Processes[i], nested-1)
			break
		}
	}
	return t
}

// ticks returns the time since boot in the unit of Process.Start.
func ticks() uint64 {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return 0
	}
	return uint64(now.Sec)*100 + uint64(now.Nsec)/10_000_000
}

// proc is the open folder /proc. Nothing that is mounted over a part of it is read.
type proc int

func (p proc) open(name string, flags uint64) (int, error) {
	return unix.Openat2(int(p), name, &unix.OpenHow{Flags: flags | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH})
}

func (p proc) file(name string) ([]byte, error) {
	fd, err := p.open(name, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	buf := make([]byte, 8<<10)
	n, err := f.Read(buf)
	return buf[:n], err
}

// link returns the target of a link in a folder.
func (p proc) link(folder, name string) (string, error) {
	fd := int(p)
	if folder != "" {
		var err error
		if fd, err = p.open(folder, unix.O_PATH|unix.O_DIRECTORY); err != nil {
			return "", err
		}
		defer unix.Close(fd)
	}
	buf := make([]byte, 4096)
	n, err := unix.Readlinkat(fd, name, buf)
	return string(buf[:max(n, 0)]), err
}

// spaces names the boot and the namespaces of a process; "" if they cannot be read or
// the users are not the system's.
func (p proc) spaces(pid int) string {
	boot, err := p.file("sys/kernel/random/boot_id")
	names := []string{strings.TrimSpace(string(boot))}
	for _, kind := range []string{"user", "pid", "cgroup", "mnt", "time"} {
		name, e := p.link(strconv.Itoa(pid)+"/ns", kind)
		if err != nil || e != nil || kind == "user" && name != initialUsers {
			return ""
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// read reads a process. Its name in stat stands in parentheses and may contain any
// character.
func (p proc) read(pid int) (one Process, parent int, ok bool) {
	folder := strconv.Itoa(pid)
	stat, err := p.file(folder + "/stat")
	begin, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if err != nil || begin < 0 || end < begin {
		return one, 0, false
	}
	fields := strings.Fields(string(stat[end+1:]))
	status, err := p.file(folder + "/status")
	if err != nil || len(fields) < 20 {
		return one, 0, false
	}
	one = Process{PID: pid, UID: -1, Name: string(stat[begin+1 : end])}
	parent, _ = strconv.Atoi(fields[1])
	one.Session, _ = strconv.Atoi(fields[3])
	one.TTY, _ = strconv.Atoi(fields[4])
	one.Start, _ = strconv.ParseUint(fields[19], 10, 64)
	_, uids, _ := strings.Cut(string(status), "\nUid:")
	uids, _, _ = strings.Cut(uids, "\n")
	if ids := strings.Fields(uids); len(ids) == 4 {
		one.UID, _ = strconv.Atoi(ids[0])
		if one.UID == 0 && slices.ContainsFunc(ids, func(id string) bool { return id != "0" }) {
			one.UID = -1
		}
	}
	if name, err := p.program(folder); err == nil {
		one.Name, one.System = name, true
	}
	return one, parent, true
}

// program returns the name of a process's program, if only root can change its file.
// What a process calls itself is its own choice.
func (p proc) program(folder string) (string, error) {
	fd, err := p.open(folder, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstatat(fd, "exe", &st, 0); err != nil {
		return "", err
	}
	if st.Uid != 0 || st.Mode&0o022 != 0 {
		return "", unix.EPERM
	}
	name, err := p.link(folder, "exe")
	return path.Base(strings.TrimSuffix(name, " (deleted)")), err
}

// screens returns the trees of the clients whose terminals the server of a multiplexer
// has open. A client is a process of the same program in that terminal.
func (p proc) screens(server Process, nested int) (all []Tree) {
	var shown []int
	fd, err := p.open(strconv.Itoa(server.PID)+"/fd", unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil
	}
	folder := os.NewFile(uintptr(fd), "fd")
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	for _, name := range names {
		var st unix.Stat_t
		if unix.Fstatat(fd, name, &st, 0) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR {
			major, minor := int(unix.Major(st.Rdev)), int(unix.Minor(st.Rdev))
			shown = append(shown, minor&0xff|major<<8|minor&^0xff<<12) // as in stat
		}
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == server.PID {
			continue
		}
		one, _, ok := p.read(pid)
		if ok && one.TTY != 0 && one.Name == server.Name && one.System && slices.Contains(shown, one.TTY) {
			all = append(all, treeOf(pid, nested))
		}
	}
	return all
}
