package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store"
	"techo/store/ledger"
	"techo/store/memfile"
	"techo/tools"
)

// toolEnv returns an environment with a store of its own and the memory tool.
func toolEnv(t *testing.T) func(user string) *tools.Env {
	options := store.Options{Write: true, Now: time.Now}
	st, err := store.Open(filepath.Join(t.TempDir(), "store"), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := st.Verify(context.Background(), store.VerifyOptions{}); err != nil {
			t.Error(err)
		}
		st.Close()
	})
	return func(user string) *tools.Env {
		return &tools.Env{User: user, Zone: time.UTC, Now: time.Now, Memory: tools.MemorySettings{Files: true},
			Open: func(context.Context, bool) (*store.Store, error) { return st, nil }}
	}
}

// called returns the text of a call.
func called(t *testing.T, env *tools.Env, in map[string]any) string {
	t.Helper()
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	r, e := Tool.Invoke(t.Context(), env, tools.Call{Input: input})
	if e != nil {
		return "refused: " + string(e.Code)
	}
	if failed := strings.HasPrefix(r.Text, "Error") || strings.HasPrefix(r.Text, "No repl") ||
		strings.HasPrefix(r.Text, "The path") || strings.HasPrefix(r.Text, "File /"); failed != (r.Outcome != "") {
		t.Errorf("%s: outcome %q of %q", input, r.Outcome, r.Text)
	}
	return r.Text
}

// plainFolder is the independent model: the page of the vendor, with files and folders of the system.
type plainFolder string

func (p plainFolder) at(path any) string { return filepath.Join(string(p), path.(string)) }

func (p plainFolder) do(in map[string]any) string {
	path, _ := in["path"].(string)
	b, err := os.ReadFile(p.at(path))
	isFile := err == nil
	text := string(b)
	switch in["command"] {
	case "view":
		return p.view(path, text, isFile, in["view_range"])
	case "create":
		if _, err := os.Lstat(p.at(path)); err == nil {
			return "Error: File " + path + " already exists"
		}
		if os.MkdirAll(filepath.Dir(p.at(path)), 0o700) != nil {
			return "refused: already_exists"
		}
		os.WriteFile(p.at(path), []byte(in["file_text"].(string)), 0o600)
		return "File created successfully at: " + path
	case "str_replace":
		if !isFile {
			return "Error: The path " + path + " does not exist. Please provide a valid path."
		}
		return p.replace(path, text, in["old_str"].(string), in["new_str"].(string))
	case "insert":
		if !isFile {
			return "Error: The path " + path + " does not exist"
		}
		return p.insert(path, text, in["insert_line"].(int), in["insert_text"].(string))
	case "delete":
		if path == "/memories" {
			return "refused: forbidden"
		}
		if _, err := os.Lstat(p.at(path)); err != nil {
			return "Error: The path " + path + " does not exist"
		}
		os.RemoveAll(p.at(path))
		return "Successfully deleted " + path
	}
	return p.rename(in["old_path"].(string), in["new_path"].(string))
}

func (p plainFolder) rename(from, to string) string {
	if from == "/memories" {
		return "refused: forbidden"
	}
	if _, err := os.Lstat(p.at(from)); err != nil {
		return "Error: The path " + from + " does not exist"
	}
	if _, err := os.Lstat(p.at(to)); err == nil {
		return "Error: The destination " + to + " already exists"
	}
	if strings.HasPrefix(to, from+"/") {
		return "refused: invalid_input"
	}
	if os.MkdirAll(filepath.Dir(p.at(to)), 0o700) != nil {
		return "refused: already_exists"
	}
	if os.Rename(p.at(from), p.at(to)) != nil {
		return "?"
	}
	return "Successfully renamed " + from + " to " + to
}

func (p plainFolder) insert(path, text string, line int, more string) string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if line < 0 || line > len(lines) {
		return fmt.Sprintf("Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of "+
			"the file: [0, %d]", line, len(lines))
	}
	var b strings.Builder
	for i := range len(lines) + 1 {
		if i == line {
			b.WriteString(strings.TrimSuffix(more, "\n") + "\n")
		}
		if i < len(lines) {
			b.WriteString(lines[i])
			if i+1 == line && !strings.HasSuffix(lines[i], "\n") {
				b.WriteString("\n")
			}
		}
	}
	os.WriteFile(p.at(path), []byte(b.String()), 0o600)
	return "The file " + path + " has been edited."
}

func (p plainFolder) replace(path, text, old, instead string) string {
	parts := strings.Split(text, old)
	if len(parts) == 1 {
		return "No replacement was performed, old_str `" + old + "` did not appear verbatim in " + path + "."
	}
	if len(parts) > 2 {
		var lines []string
		number := 1
		for i, part := range parts[:len(parts)-1] {
			number += strings.Count(part, "\n")
			if n := fmt.Sprint(number); i == 0 || n != lines[len(lines)-1] {
				lines = append(lines, n)
			}
			number += strings.Count(old, "\n")
		}
		return "No replacement was performed. Multiple occurrences of old_str `" + old + "` in lines: " +
			strings.Join(lines, ", ") + ". Please ensure it is unique"
	}
	os.WriteFile(p.at(path), []byte(parts[0]+instead+parts[1]), 0o600)
	return "The memory file has been edited."
}

func (p plainFolder) view(path, text string, isFile bool, lines any) string {
	if isFile {
		out := []string{"Here's the content of " + path + " with line numbers:"}
		for i, line := range strings.SplitAfter(text, "\n") {
			last := 1 << 30
			first := 1
			if r, ok := lines.([]int); ok {
				first = r[0]
				if r[1] >= 0 {
					last = r[1]
				}
			}
			if line != "" && i+1 >= first && i+1 <= last {
				out = append(out, fmt.Sprintf("%6d\t%s", i+1, strings.TrimSuffix(line, "\n")))
			}
		}
		return strings.Join(out, "\n")
	}
	if _, err := os.Lstat(p.at(path)); err != nil {
		return "The path " + path + " does not exist. Please provide a valid path."
	}
	out := []string{"Here're the files and directories up to 2 levels deep in " + path +
		", excluding hidden items and node_modules:"}
	filepath.WalkDir(p.at(path), func(at string, d fs.DirEntry, err error) error {
		rest := strings.TrimPrefix(strings.TrimPrefix(at, p.at(path)), "/")
		if rest != "" && (d.Name()[0] == '.' || d.Name() == "node_modules") || strings.Count(rest, "/") > 1 {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		out = append(out, humanSize(at)+"\t"+strings.TrimSuffix(path+"/"+rest, "/"))
		return nil
	})
	return strings.Join(out, "\n")
}

// humanSize returns the size of a file, or of all files in a folder.
func humanSize(at string) string {
	n := int64(0)
	filepath.Walk(at, func(_ string, st fs.FileInfo, err error) error {
		if !st.IsDir() {
			n += st.Size()
		}
		return nil
	})
	if n >= 1024 {
		return fmt.Sprintf("%.1fK", float64(n)/1024)
	}
	return fmt.Sprint(n) + "B"
}

// randomCommand returns a command on one of a few paths.
func randomCommand(r *rand.Rand) map[string]any {
	names := []string{"a", "b", "お茶.md", ".x", "node_modules"}
	path := func() string {
		p := "/memories"
		for range r.IntN(4) {
			p += "/" + names[r.IntN(len(names))]
		}
		return p
	}
	text := func() string {
		words := []string{"x", "y\n", "x y", "\n", "茶\n", "", strings.Repeat("long ", 300)}
		return words[r.IntN(len(words))] + words[r.IntN(len(words))] + words[r.IntN(len(words))]
	}
	switch r.IntN(9) {
	case 0:
		in := map[string]any{"command": "view", "path": path()}
		if r.IntN(2) == 0 {
			in["view_range"] = []int{1 + r.IntN(3), r.IntN(5) - 1}
		}
		return in
	case 1, 2, 3:
		return map[string]any{"command": "create", "path": path(), "file_text": text()}
	case 4:
		old := []string{"x", "y\n", "茶"}[r.IntN(3)]
		return map[string]any{"command": "str_replace", "path": path(), "old_str": old, "new_str": text()}
	case 5, 6:
		return map[string]any{"command": "insert", "path": path(), "insert_line": r.IntN(5) - 1, "insert_text": text()}
	case 7:
		return map[string]any{"command": "delete", "path": path()}
	}
	return map[string]any{"command": "rename", "old_path": path(), "new_path": path()}
}

// TestToolPlainFolder runs sequences of commands beside a plain folder.
func TestToolPlainFolder(t *testing.T) {
	r, envOf := testenv.Random(t), toolEnv(t)
	for n := range testenv.Pick(20, 100) {
		plain, env := plainFolder(t.TempDir()), envOf(fmt.Sprint("user", n))
		os.Mkdir(plain.at("/memories"), 0o700)
		var done []map[string]any
		for range 25 {
			in := randomCommand(r)
			done = append(done, in)
			want, got := plain.do(in), called(t, env, in)
			if in["command"] == "str_replace" { // the page does not fix the snippet
				got, _, _ = strings.Cut(got, " Here is the snippet")
			}
			if got != want {
				t.Fatalf("%v\n%s\n%s", done, got, want)
			}
		}
		root := map[string]any{"command": "view", "path": "/memories"}
		if got, want := called(t, env, root), plain.do(root); got != want {
			t.Fatalf("%v\n%s\n%s", done, got, want)
		}
	}
}

// TestToolWriters: of two writers none loses what it wrote, and the one that comes too late learns it.
func TestToolWriters(t *testing.T) {
	envOf := toolEnv(t)
	file := map[string]any{"command": "create", "path": "/memories/log.md", "file_text": "start\n"}
	called(t, envOf("alice"), file)
	const each = 20
	var all sync.WaitGroup
	for _, writer := range []string{"one", "two"} {
		all.Go(func() {
			for i := range each {
				called(t, envOf("alice"), map[string]any{"command": "insert", "path": "/memories/log.md",
					"insert_line": 1, "insert_text": fmt.Sprint(writer, i)})
			}
		})
	}
	all.Wait()
	text := called(t, envOf("alice"), map[string]any{"command": "view", "path": "/memories/log.md"})
	for _, writer := range []string{"one", "two"} {
		for i := range each {
			if !strings.Contains(text+"\n", fmt.Sprint("\t", writer, i, "\n")) {
				t.Errorf("%s%d is lost", writer, i)
			}
		}
	}
	change := map[string]any{"command": "str_replace", "path": "/memories/log.md", "old_str": "start", "new_str": "end"}
	called(t, envOf("alice"), change)
	for _, late := range []map[string]any{change, file} {
		if got := called(t, envOf("alice"), late); !strings.HasPrefix(got, "No replacement") &&
			!strings.HasPrefix(got, "Error: File") {
			t.Errorf("late: %s", got)
		}
	}
	if got := called(t, envOf("bob"), map[string]any{"command": "view", "path": "/memories/log.md"}); got !=
		"The path /memories/log.md does not exist. Please provide a valid path." {
		t.Errorf("another user: %s", got)
	}
}

// TestToolLimits fills the files of a user.
func TestToolLimits(t *testing.T) {
	env := toolEnv(t)("alice")
	lines := strings.Repeat("\n", 1_000_000)
	called(t, env, map[string]any{"command": "create", "path": "/memories/long", "file_text": lines})
	if got := called(t, env, map[string]any{"command": "view", "path": "/memories/long"}); got !=
		"File /memories/long exceeds maximum line limit of 999,999 lines." {
		t.Error(got)
	}
	st, err := env.Open(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		text := strings.Repeat("a", 1<<20)
		err = errors.Join(err, memfile.Of(st.Ledger).Create(t.Context(), "alice", fmt.Sprint("/memories/", i), text))
	}
	if limit := new(ledger.LimitError); !errors.As(err, &limit) || limit.What != "bytes of memory files" {
		t.Error(err)
	}
	for path, text := range map[string]string{"/memories/large": strings.Repeat("a", 1<<20+1), "/memories/more": "a"} {
		if got := called(t, env, map[string]any{"command": "create", "path": path, "file_text": text}); got !=
			"refused: limit_exceeded" && path == "/memories/large" {
			t.Error(got)
		}
	}
}
