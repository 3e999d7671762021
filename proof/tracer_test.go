//go:build linux && amd64

package proof

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"techo/internal/testenv"
)

// # The tracer
//
// The tracer injects faults with ptrace, like `strace -e inject=CALL:error=E:when=N`.
// strace counts the calls of each thread separately, but a Go program makes its calls
// on any thread. The tracer counts over all threads, and only calls on files below
// one folder, which leaves out the calls of the Go runtime.

// argument is the index of the argument that names a system call's file.
type argument int

const (
	fd0    argument = iota // a descriptor, the first argument
	fd4                    // a descriptor, the fifth
	path0                  // a path, the first
	path1                  // a path, the second, behind a descriptor
	noFile                 // no file: the call always counts
)

// traced are the system calls that can fail.
var traced = map[uint64]struct {
	name string
	file argument
}{
	syscall.SYS_WRITE: {"write", fd0}, syscall.SYS_PWRITE64: {"pwrite64", fd0},
	syscall.SYS_READ: {"read", fd0}, syscall.SYS_PREAD64: {"pread64", fd0},
	syscall.SYS_FSYNC: {"fsync", fd0}, syscall.SYS_FDATASYNC: {"fdatasync", fd0},
	syscall.SYS_FTRUNCATE: {"ftruncate", fd0}, syscall.SYS_FALLOCATE: {"fallocate", fd0},
	syscall.SYS_FLOCK: {"flock", fd0}, syscall.SYS_GETDENTS64: {"getdents64", fd0},
	syscall.SYS_FSTAT: {"fstat", fd0}, syscall.SYS_FCHMOD: {"fchmod", fd0},
	326: {"copy_file_range", fd0}, syscall.SYS_SENDFILE: {"sendfile", fd0},
	syscall.SYS_MMAP: {"mmap", fd4}, syscall.SYS_MSYNC: {"msync", noFile},
	syscall.SYS_OPENAT: {"openat", path1}, syscall.SYS_MKDIRAT: {"mkdirat", path1},
	syscall.SYS_UNLINKAT: {"unlinkat", path1}, syscall.SYS_NEWFSTATAT: {"newfstatat", path1},
	syscall.SYS_RENAMEAT: {"rename", path1}, 316: {"rename", path1},
	syscall.SYS_LINKAT: {"link", path1}, syscall.SYS_RENAME: {"rename", path0},
	syscall.SYS_STATFS: {"statfs", path0},
}

// killed, given as an error, ends the traced process before the call.
const killed = syscall.Errno(0xfff)

// tracer runs a process and decides about each of its system calls.
type tracer struct {
	under  string                                // calls on other files are not counted
	decide func(call, path string) syscall.Errno // 0 lets the call proceed
	fail   map[int]syscall.Errno                 // errors of running calls by thread
	seen   map[int]bool                          // threads
	pid    int

	stdout   string // its path
	answered bool   // something was written there
}

// tracedAnswer is the outcome of a traced call, with one document per line.
type tracedAnswer struct {
	answer
	Docs   []map[string]any
	Signal syscall.Signal // the signal that ended it, or 0
}

// needTracer skips a test if processes cannot be traced, and in an ordinary run:
// traced programs are slow.
func needTracer(t *testing.T) {
	t.Helper()
	testenv.All(t, "traces the system calls of processes")
	r := &tracer{decide: func(string, string) syscall.Errno { return 0 }}
	if _, err := r.run(t, command(t.Context(), t.TempDir(), "version"), ""); err != nil {
		testenv.Forbidden(t, "ptrace: "+err.Error())
	}
}

// brief returns the answer in a few lines.
func (a tracedAnswer) brief() string {
	cut := func(s string) string {
		if len(s) > 500 {
			s = s[:500] + "…"
		}
		return s
	}
	args := cut(strings.Join(a.Args[min(2, len(a.Args)):], " "))
	return fmt.Sprintf("%s: exit %d, signal %d, after %v\n%s\n%s", args, a.Code, a.Signal,
		a.Took.Round(time.Millisecond), cut(string(a.Out)), cut(a.Stderr))
}

// run runs a call of techo, for at most 20 s.
func (r *tracer) run(t *testing.T, c *exec.Cmd, stdin string) (a tracedAnswer, err error) {
	runtime.LockOSThread() // one thread starts, traces and waits
	defer runtime.UnlockOSThread()
	std, err := r.files(t, c, stdin)
	if err != nil {
		return a, err
	}
	defer func() {
		for _, f := range std {
			f.Close()
		}
	}()
	c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true} // its group is waited for as one
	if r.stdout, err = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", std[1].Fd())); err != nil {
		return a, err
	}
	started := time.Now()
	if err := c.Start(); err != nil {
		return a, err
	}
	r.pid, r.fail, r.seen = c.Process.Pid, map[int]syscall.Errno{}, map[int]bool{}
	deadline := time.AfterFunc(20*time.Second, func() { _ = syscall.Kill(r.pid, syscall.SIGKILL) })
	defer deadline.Stop()
	status, err := r.loop()
	if err != nil {
		_ = syscall.Kill(r.pid, syscall.SIGKILL)
		return a, err
	}
	_ = c.Process.Release()
	a.Args, a.Took, a.Code = c.Args[1:], time.Since(started), status.ExitStatus()
	if status.Signaled() {
		a.Signal = status.Signal()
	}
	return a, a.read(std)
}

// files connects the three streams of a call to plain files, so that no goroutine has
// to copy while the tracer waits.
func (r *tracer) files(t *testing.T, c *exec.Cmd, stdin string) (std [3]*os.File, err error) {
	dir := t.TempDir()
	for i := range std {
		if std[i], err = os.OpenFile(filepath.Join(dir, fmt.Sprint(i)), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return std, err
		}
	}
	if _, err = std[0].WriteString(stdin); err == nil {
		_, err = std[0].Seek(0, 0)
	}
	c.Stdin, c.Stdout, c.Stderr = std[0], std[1], std[2]
	return std, err
}

func (a *tracedAnswer) read(std [3]*os.File) error {
	out, err := os.ReadFile(std[1].Name())
	if err != nil {
		return err
	}
	stderr, err := os.ReadFile(std[2].Name())
	if err != nil {
		return err
	}
	a.Out, a.Stderr = out, string(stderr)
	for _, l := range bytes.Split(bytes.TrimSpace(out), []byte("\n")) {
		var doc map[string]any
		if json.Unmarshal(l, &doc) == nil {
			a.Docs = append(a.Docs, doc)
		}
	}
	return nil
}

const (
	ptraceOptions = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACEFORK |
		syscall.PTRACE_O_TRACEVFORK | 1<<20 // PTRACE_O_EXITKILL
)

func (r *tracer) loop() (status syscall.WaitStatus, err error) {
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(r.pid, &ws, 0, nil); err != nil || !ws.Stopped() {
		return ws, fmt.Errorf("start: %v, status %x", err, ws)
	}
	if err := syscall.PtraceSetOptions(r.pid, ptraceOptions); err != nil {
		return ws, err
	}
	r.seen[r.pid] = true
	for id, signal := r.pid, 0; ; {
		// The thread may have been killed meanwhile.
		if err := syscall.PtraceSyscall(id, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return ws, err
		}
		for {
			id, err = syscall.Wait4(-r.pid, &ws, syscall.WALL, nil)
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			if err != nil {
				return ws, err
			}
			if ws.Stopped() {
				break
			}
			if id == r.pid { // the last: its threads have ended before
				return ws, nil
			}
		}
		if signal, err = r.stopped(id, ws); err != nil && !errors.Is(err, syscall.ESRCH) {
			return ws, err
		}
	}
}

// stopped handles the stop of a thread and returns the signal to deliver.
func (r *tracer) stopped(id int, ws syscall.WaitStatus) (signal int, err error) {
	fresh := !r.seen[id]
	r.seen[id] = true
	switch stop := ws.StopSignal(); {
	case stop == syscall.SIGTRAP|0x80:
		return 0, r.systemCall(id)
	case stop == syscall.SIGTRAP, stop == syscall.SIGSTOP && fresh: // a new thread, on either side
		return 0, nil
	default:
		return int(stop), nil
	}
}

// callInfo is the kernel's ptrace_syscall_info.
type callInfo struct {
	op      uint8 // 1 entry, 2 exit
	_       [23]byte
	nr      uint64
	args    [6]uint64
	_, _, _ uint64
}

func (r *tracer) systemCall(id int) error {
	var info callInfo
	const getSyscallInfo = 0x420e
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(id), unsafe.Sizeof(info),
		uintptr(unsafe.Pointer(&info)), 0, 0); e != 0 {
		return e
	}
	if e := r.fail[id]; e != 0 && info.op == 2 {
		delete(r.fail, id)
		return setRegister(id, func(regs *syscall.PtraceRegs) { regs.Rax = uint64(-int64(e)) })
	}
	call, ok := traced[info.nr]
	if info.op != 1 || !ok {
		return nil
	}
	path := r.file(id, call.file, info.args)
	r.answered = r.answered || call.name == "write" && path == r.stdout
	if call.file != noFile && !strings.HasPrefix(path, r.under) {
		return nil
	}
	name := call.name
	if info.nr == syscall.SYS_OPENAT && info.args[2]&syscall.O_CREAT != 0 {
		name = "create"
	}
	switch e := r.decide(name, path); e {
	case 0:
		return nil
	case killed:
		return syscall.Kill(r.pid, syscall.SIGKILL)
	default:
		r.fail[id] = e
		return setRegister(id, func(regs *syscall.PtraceRegs) { regs.Orig_rax = ^uint64(0) })
	}
}

func setRegister(id int, set func(*syscall.PtraceRegs)) error {
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(id, &regs); err != nil {
		return err
	}
	set(&regs)
	return syscall.PtraceSetRegs(id, &regs)
}

// file returns the path of the file of a call, or "".
func (r *tracer) file(id int, where argument, args [6]uint64) string {
	descriptor := int32(args[0])
	switch where {
	case path0:
		return text(id, args[0])
	case path1:
		return r.path(id, args[0], args[1])
	case noFile:
		return ""
	case fd4:
		descriptor = int32(args[4])
	}
	path, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", r.pid, descriptor))
	return path
}

const atCurrent = -100 // AT_FDCWD

// path returns the absolute path of a call with a folder and a name.
func (r *tracer) path(id int, folder, at uint64) string {
	name := text(id, at)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	link := fmt.Sprintf("/proc/%d/cwd", r.pid)
	if int32(folder) != atCurrent {
		link = fmt.Sprintf("/proc/%d/fd/%d", r.pid, int32(folder))
	}
	base, _ := os.Readlink(link)
	return filepath.Join(base, name)
}

// text reads a C string.
func text(id int, at uint64) string {
	buf := make([]byte, 512)
	n, _ := syscall.PtracePeekData(id, uintptr(at), buf)
	if end := bytes.IndexByte(buf[:n], 0); end >= 0 {
		n = end
	}
	return string(buf[:n])
}
