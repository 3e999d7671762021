package locales_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"

	"techo/internal/testenv"
	"techo/locales"
)

// TestCatalogues checks that every text of the code is translated into every
// language, that no catalogue has a text the code no longer has, that the verbs
// agree, and that counts have a singular. With -update it writes the catalogues: new
// texts get an empty translation to be filled in, and the test fails until they are.
func TestCatalogues(t *testing.T) {
	texts := textsOfCode(t)
	if len(texts) < 1000 {
		t.Fatalf("only %d texts were found", len(texts))
	}
	checkPlurals(t, texts)
	files, err := filepath.Glob("*.po")
	if err != nil || len(files) == 0 {
		t.Fatal("no catalogues", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		known, err := parse(string(data))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if *update {
			header, _, _ := strings.Cut(string(data), "\n\n")
			if err := writePO(file, header+"\n", texts, known); err != nil {
				t.Fatal(err)
			}
		}
		checkCatalogue(t, file, texts, known)
		checkCompiled(t, strings.TrimSuffix(file, ".po")+".bin", texts, known)
	}
}

// checkCompiled checks that the program carries the translations of a catalogue. With -update it
// writes them.
func checkCompiled(t *testing.T, file string, texts []text, known map[string]string) {
	t.Helper()
	want := compile(t, texts, known)
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not made from the catalogue (%v): go test ./locales -update makes it", file, err)
	}
	for _, text := range texts {
		if got := locales.Translate(strings.TrimSuffix(file, ".bin"), text.id); got != known[text.id] {
			t.Errorf("%q is %q in the program, %q in the catalogue", text.id, got, known[text.id])
		}
	}
}

// compile returns the compiled catalogue of the translations of some texts.
func compile(t *testing.T, texts []text, known map[string]string) []byte {
	t.Helper()
	ids := map[uint64]string{}
	for _, text := range texts {
		hash := locales.Hash(text.id)
		if other, taken := ids[hash]; taken && other != text.id {
			t.Fatalf("%q and %q have one hash", text.id, other)
		}
		ids[hash] = text.id
	}
	hashes := slices.Sorted(maps.Keys(ids))
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(hashes)))
	for _, hash := range hashes {
		out = binary.LittleEndian.AppendUint64(out, hash)
	}
	end := 0
	for _, hash := range hashes {
		end += len(known[ids[hash]])
		out = binary.LittleEndian.AppendUint32(out, uint32(end))
	}
	var blocks []byte
	for some := range slices.Chunk(hashes, locales.Block) {
		var texts []byte
		for _, hash := range some {
			texts = append(texts, known[ids[hash]]...)
		}
		blocks = append(blocks, s2.EncodeBest(nil, texts)...)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(blocks)))
	}
	return append(out, blocks...)
}

func checkCatalogue(t *testing.T, file string, texts []text, known map[string]string) {
	t.Helper()
	fresh := map[string]bool{}
	for _, text := range texts {
		fresh[text.id] = true
		translated := known[text.id]
		if translated == "" {
			t.Errorf("%s: no translation of %.80q (%s): fill in its msgstr; go test ./locales -update adds an empty "+
				"one", file, text.id, text.files[0])
			continue
		}
		if a, b := verbs(text.id), verbs(translated); !slices.Equal(a, b) {
			t.Errorf("%s: %.80q has the verbs %q, its translation %q", file, text.id, a, b)
		}
	}
	for id := range known {
		if !fresh[id] && !*update {
			t.Errorf("%s: %.80q is no longer in the code; remove it with\n\tgo test ./locales -update", file, id)
		}
	}
}

var verb = regexp.MustCompile(`%[-+# 0]*\d*(?:\.\d+)?(?:\[(\d+)\])?([a-zA-Z%])`)

// verbs returns the verbs of package fmt with the number of their argument, in
// the order of the arguments: "1s", "2d". %q and %v count as %s, because Japanese
// has quotation marks of its own.
func verbs(format string) (all []string) {
	next := 1
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[2] == "%" {
			continue
		}
		if n, err := strconv.Atoi(m[1]); err == nil {
			next = n
		}
		kind := m[2]
		if kind == "q" || kind == "v" {
			kind = "s"
		}
		all = append(all, strconv.Itoa(next)+kind)
		next++
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestTranslate(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"en", "Interrupted", "Interrupted"},
		{"ja", "Interrupted", "中断されました"},
		{"ja", "not a text of techo", "not a text of techo"},
		{"xx", "Interrupted", "Interrupted"},
		{"ja", "", ""},
	} {
		if got := locales.Translate(c.lang, c.text); got != c.want {
			t.Errorf("%q in %s is %q, want %q", c.text, c.lang, got, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ po, want string }{
		{"msgid \"a\"\n", "has no msgstr"},
		{"msgstr \"a\"\n", "line 1: msgstr without msgid"},
		{"msgid \"a\"\nmsgstr \"b\"\nmsgid \"a\"\nmsgstr \"c\"\n", "appears twice"},
		{"msgid a\nmsgstr \"b\"\n", "line 1: not a quoted string"},
		{"msgctxt \"x\"\nmsgid \"a\"\nmsgstr \"b\"\n", "line 1: unknown line"},
		{"msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\n", "line 2: unknown line"},
		{"msgid \"\\q\"\nmsgstr \"b\"\n", "line 1: "},
	} {
		if _, err := parse(c.po); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %s", c.po, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	data, err := os.ReadFile("ja.po")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data[:2000]))
	f.Add("msgid \"\"\n\"a\\n\"\nmsgstr \"b\"\n")
	f.Fuzz(func(t *testing.T, po string) {
		messages, err := parse(po)
		if err != nil && messages != nil {
			t.Error("messages beside an error")
		}
	})
}

// TestMsgfmt checks the catalogues with gettext's own compiler.
func TestMsgfmt(t *testing.T) {
	msgfmt := testenv.Tool(t, "msgfmt")
	files, _ := filepath.Glob("*.po")
	for _, file := range files {
		if out, err := exec.Command(msgfmt, "--check", "-o", os.DevNull, file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
	}
}
