package browser

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// members calls do with the name in /proc and the state of each process of a group.
func members(group int, do func(name, state string)) {
	proc, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		rest := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // state, parent, group
		if len(rest) < 3 || string(rest[2]) != strconv.Itoa(group) {
			continue
		}
		do(name, string(rest[0]))
	}
}

// runs reports whether a process of a group runs. One that has ended may wait to be collected.
func runs(group int) (found bool) {
	members(group, func(_, state string) { found = found || state != "Z" && state != "X" })
	return found
}

// memoryOf returns the bytes of memory of a group of processes that no file backs.
func memoryOf(group int) (sum int64) {
	members(group, func(name, _ string) {
		status, _ := os.ReadFile("/proc/" + name + "/status")
		for line := range bytes.Lines(status) {
			kind, value, _ := bytes.Cut(line, []byte(":"))
			if string(kind) == "RssAnon" || string(kind) == "RssShmem" {
				size, _, _ := bytes.Cut(bytes.TrimSpace(value), []byte(" "))
				n, _ := strconv.ParseInt(string(size), 10, 64) // kB
				sum += n << 10
			}
		}
	})
	return sum
}

// hasUser reports whether a user can own processes, in the user namespace of this one.
func hasUser(id int) bool {
	all, _ := os.ReadFile("/proc/self/uid_map")
	for line := range bytes.Lines(all) {
		var first, outside, count int
		if _, err := fmt.Sscan(string(line), &first, &outside, &count); err == nil && id >= first && id-first < count {
			return true
		}
	}
	return false
}
