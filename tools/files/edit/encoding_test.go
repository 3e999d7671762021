package edit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/charset"
	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/files/document"
	"techo/tools/files/filestest"
	"techo/tools/files/read"
)

// TestGuessedEncoding expects that a file whose encoding is a guess can be read, and
// edited only where the guess does not matter.
func TestGuessedEncoding(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	for name, text := range map[string]string{
		"gb18030": "配置文件\nx = 1 # 数量\n", "big5": "設定檔案\nx = 1 # 數量\n",
		"euc-kr":    "설정 파일\nx = 1 # 개수\n",
		"shift_jis": "設定ファイル\nx = 1 # 個数\n", "euc-jp": "設定ファイル\nx = 1 # 個数\n",
		"windows-1252": "Größe\nx = 1 # für\n",
	} {
		raw := encoded(t, name, text)
		put(t, filepath.Join(dir, name), string(raw))
		out, err := readFile(context.Background(), env, read.In{Path: name, Offset: 1, Limit: 10})
		check(t, err)
		if out.Encoding != name || !out.Guessed || out.Content != text || !strings.Contains(out.Message, "guess") {
			t.Errorf("%+v", out)
		}
		_, err = edit(env, replace(name, "x", "数"))
		e, _ := err.(*tools.Error)
		if codeOf(err) != tools.InvalidInput || e.Details[0].Path != "/encoding" || !strings.Contains(e.Hint, name) {
			t.Errorf("%s: %v", name, err)
		}
		_, err = insertText(context.Background(), env, InsertIn{Path: name, Line: 1, NewText: "数"})
		if codeOf(err) != tools.InvalidInput {
			t.Errorf("%s: %v", name, err)
		}
		_, err = writeFile(context.Background(), env, WriteIn{Path: name, Content: "数"})
		if codeOf(err) != tools.InvalidInput {
			t.Errorf("%s: %v", name, err)
		}
		_, err = patchFiles(env, fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -2 +2 @@\n-%s\n+数\n", name, name,
			strings.Split(text, "\n")[1]))
		if codeOf(err) != tools.InvalidInput {
			t.Errorf("%s: %v", name, err)
		}
		if now, _ := os.ReadFile(filepath.Join(dir, name)); string(now) != string(raw) {
			t.Fatalf("%s: a refused edit changed the file: %q", name, now)
		}
		_, err = edit(env, replace(name, "x = 1", "y = 2"))
		check(t, err)
		in := replace(name, strings.Split(text, "\n")[0], "A")
		in.Encoding = document.Encoding(name)
		_, err = edit(env, in)
		check(t, err)
		want := encoded(t, name, "A\ny = 2"+strings.TrimPrefix(strings.Split(text, "\n")[1], "x = 1")+"\n")
		if now, _ := os.ReadFile(filepath.Join(dir, name)); string(now) != string(want) {
			t.Errorf("%s: %q, want %q", name, now, want)
		}
	}
}

// TestGuessedPolish edits a line in an encoding that techo does not support.
func TestGuessedPolish(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	polish := "Za\xbf\xf3\xb3\xe6 g\xea\xb6l\xb1 ja\xbc\xf1: x = 1\n"
	put(t, filepath.Join(dir, "pl.txt"), polish)
	if _, err := edit(env, replace("pl.txt", "x", "漢")); codeOf(err) != tools.InvalidInput {
		t.Error(err)
	}
	_, err := edit(env, replace("pl.txt", "x = 1", "x = 2"))
	check(t, err)
	want := strings.Replace(polish, "1", "2", 1)
	if now, _ := os.ReadFile(filepath.Join(dir, "pl.txt")); string(now) != want {
		t.Errorf("%q", now)
	}
}

// TestGuessedPlaces refuses to edit a string that is at other places, or at more of them,
// in another encoding that the file may be in.
func TestGuessedPlaces(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	raw := string(encoded(t, "shift_jis", "これはヂです a")) // the guess, in which the first "a" is half of a character
	for name, options := range map[string]EditOptions{"once": {}, "all": {ReplaceAll: true}} {
		put(t, filepath.Join(dir, name), raw)
		in := replace(name, "a", "b")
		in.EditOptions = options
		_, err := edit(env, in)
		if e, _ := err.(*tools.Error); codeOf(err) != tools.InvalidInput || e.Details[0].Path != "/encoding" {
			t.Errorf("%s: %v", name, err)
		}
		if now, _ := os.ReadFile(filepath.Join(dir, name)); string(now) != raw {
			t.Errorf("%s: a refused edit changed the file: %q", name, now)
		}
		in.Encoding, in.ReplaceAll = "windows-1252", true
		_, err = edit(env, in)
		check(t, err)
		want := strings.ReplaceAll(raw, "a", "b")
		if now, _ := os.ReadFile(filepath.Join(dir, name)); string(now) != want {
			t.Errorf("%s: %q, want %q", name, now, want)
		}
	}
}

// TestHalfCharacter refuses to replace the second byte of a character.
func TestHalfCharacter(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	raw := string(encoded(t, "shift_jis", "表"))
	put(t, filepath.Join(dir, "half"), raw)
	for _, as := range []document.Encoding{"", "shift_jis"} {
		in := replace("half", `\`, "/")
		in.Encoding = as
		if _, err := edit(env, in); err == nil {
			t.Errorf("%q: no error", as)
		}
	}
	if now, _ := os.ReadFile(filepath.Join(dir, "half")); string(now) != raw {
		t.Errorf("%q", now)
	}
}

// TestStatefulEncoding reads and finds ISO-2022-JP but does not edit it.
func TestStatefulEncoding(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	mail := "Subject: \x1b$B4A;z\x1b(B\n\x1b$B4A;z\x1b(B x\n"
	put(t, filepath.Join(dir, "mail"), mail)
	out, err := readFile(context.Background(), env, read.In{Path: "mail", Offset: 2, Limit: 1})
	check(t, err)
	if out.Content != "漢字 x\n" || out.Encoding != "iso-2022-jp" {
		t.Errorf("%+v", out)
	}
	for _, old := range []string{"x", "漢字 x", "4A;z"} {
		if _, err := edit(env, replace("mail", old, "y")); err == nil {
			t.Errorf("%q: no error", old)
		}
	}
	if now, _ := os.ReadFile(filepath.Join(dir, "mail")); string(now) != mail {
		t.Errorf("%q", now)
	}
}

// TestNeverCorrupted makes random edits in files of random encodings, without the name
// of the encoding. Each one is either refused or right.
func TestNeverCorrupted(t *testing.T) {
	filestest.Once(t)
	r := testenv.Random(t)
	dir := t.TempDir()
	env := testEnv(dir)
	alphabets := map[string]string{
		"shift_jis": "ab\\日本表ソ能十ﾊﾟの", "euc-jp": "ab\\日本表ソ能十の",
		"gb18030": "ab中文配置丂\\",
		"big5":    "ab\\功能許蓋中文", "euc-kr": "ab한국어똠", "windows-1252": "abéü€ß",
		"windows-1250": "abžšłě", "windows-1254": "abğışé", "windows-1251": "abпривет", "koi8-r": "abпривет",
		"windows-1253": "abκαλημέρ", "windows-1255": "abשלוםך", "windows-1256": "abمرحبا", "windows-874": "abสวัดี",
	}
	names := charset.Names()[3:]
	made := 0
	for range testenv.Pick(800, 2000) {
		name := names[r.IntN(len(names))]
		c, _ := charset.Find(name)
		all := randomPieces(t, r, c, []rune(alphabets[name]), 2+r.IntN(20))
		all = slices.DeleteFunc(all, func(p piece) bool { return p.char == "\n" })
		if len(all) == 0 {
			continue
		}
		text, raw := charsOf(all), bytesOf(all)
		old, with := "a", "b"
		if r.IntN(2) == 0 {
			from := r.IntN(len(all))
			old = charsOf(all[from : from+1+r.IntN(min(3, len(all)-from))])
		}
		if r.IntN(2) == 0 {
			with = string([]rune(alphabets[name])[r.IntN(6)])
		}
		path := filepath.Join(dir, "f")
		put(t, path, string(raw))
		_, err := edit(env, replace("f", old, with))
		now, _ := os.ReadFile(path)
		want := raw
		if err == nil {
			made++
			want = encoded(t, name, strings.Replace(text, old, with, 1))
			if _, guessed := charset.Detect(raw); !guessed {
				continue // it is valid UTF-8
			}
		}
		if string(now) != string(want) {
			t.Fatalf("%s: %q for %q in %q gives %q, want %q", name, with, old, raw, now, want)
		}
	}
	if made < 50 {
		t.Errorf("only %d edits were made", made)
	}
}
