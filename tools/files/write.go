package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"techo/internal/charset"
	"techo/tools"
)

// Write writes whole files.
var Write = tools.Define(tools.Tool{
	Name:    "write_file",
	Command: "fs write",
	About:   tools.Say{EN: "Write a whole file, new or in the place of the old one", JA: "ファイル全体を書き込む（新規作成または置き換え）"},
	More: tools.Say{
		EN: "To change a part of a file use edit_file. The file appears whole or not at all, and keeps its mode, its owner and, unless another is said, its encoding. Line ends are those of the content. With create_only nothing is replaced; with expected_hash only what was read. fs undo takes the last write back.",
		JA: "一部だけを変更する場合は edit_file を使用する。書き込みは全て行われるか全く行われないかのどちらかで、モードと所有者、指定がなければ文字コードも保たれる。改行は content のまま。create_only では既存のファイルを置き換えない。expected_hash では読み取った時のままの場合だけ書き込む。fs undo で直前の書き込みを取り消せる。",
	},
	Effect:    tools.Changes,
	Forbidden: forbiddenPath,
	Words:     []string{"path", "content"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Make a file", JA: "ファイルを作る"}, Line: `fs write draft/plan.md "# Plan" --create-only --parents`},
		{Does: tools.Say{EN: "Write what comes on stdin", JA: "標準入力の内容を書き込む"}, Line: `fs write copy.json - < input.json`},
	},
}, writeFile)

// WriteIn is the input of write_file.
type WriteIn struct {
	Path         string `json:"path" min:"1" en:"The path to the file to write" ja:"書き込むファイルのパス"`
	Content      string `json:"content" en:"All that the file is to hold" ja:"ファイルの全内容"`
	ExpectedHash string `json:"expected_hash,omitempty" en:"The file's hash when it was read; if it has another by now, nothing is done" ja:"読み取り時のハッシュ。異なる場合は何もしない"`
	CreateOnly   bool   `json:"create_only,omitempty" en:"Fail when the file is there" ja:"既に存在する場合は失敗する"`
	Parents      bool   `json:"parents,omitempty" en:"Make the folders that are missing" ja:"ないフォルダを作る"`
	Encoding     string `json:"encoding,omitempty" enum:"utf-8,utf-16le,utf-16be,shift_jis,euc-jp,gb18030,big5,euc-kr,windows-1252" en:"In which encoding (default: the old file's, UTF-8 for a new one)" ja:"文字コード（既定: 元のファイルの文字コード、新規は UTF-8）"`
}

// WriteOut is the result of write_file.
type WriteOut struct {
	Path     string   `json:"path"`
	Created  bool     `json:"created"`
	Bytes    int      `json:"bytes"`
	Hash     string   `json:"hash"`
	Encoding string   `json:"encoding"`
	Undoable bool     `json:"undoable"`
	Notes    []string `json:"notes,omitempty"`
	Message  string   `json:"message"`
}

// Text is the message, and what else there is to know.
func (o WriteOut) Text(*tools.Env) string {
	return strings.Join(append([]string{o.Message}, o.Notes...), "\n")
}

func writeFile(ctx context.Context, env *tools.Env, in WriteIn) (out WriteOut, err error) {
	// Between the look and the writing somebody else may make the file: then
	// there is another look.
	for range 10 {
		if out, err = writeOnce(ctx, env, in); !errors.Is(err, errAppeared) {
			return out, err
		}
	}
	return out, changedMeanwhile(env, in.Path)
}

func writeOnce(ctx context.Context, env *tools.Env, in WriteIn) (out WriteOut, err error) {
	p, err := locate(env, in.Path)
	if err != nil {
		return out, err
	}
	if in.Parents && !p.inStore(env) {
		if err := p.makeParents(); err != nil {
			return out, fault(env, p.shown, err)
		}
	}
	c := newChange(p)
	if c.file, err = p.openFile(ctx, env, true); err != nil {
		return out, err
	}
	defer c.close()
	if err := c.check(env, in); err != nil {
		return out, err
	}
	if out, err = c.content(env, in); err != nil {
		return out, err
	}
	if !out.Created && string(c.before) == string(c.after) {
		return out, nil
	}
	kept := keepEdit(ctx, env, "write_file", []*change{c})
	out.Undoable, out.Notes = kept.kept, append(out.Notes, kept.notes...)
	if err := apply(env, []*change{c}); err != nil {
		kept.forget(ctx, err)
		return out, err
	}
	if c.reason != (tools.Say{}) {
		out.Notes = append(out.Notes, env.Say(c.reason, c.shown))
	}
	return out, nil
}

// check refuses a file that is not as the caller believes, and reads it.
func (c *change) check(env *tools.Env, in WriteIn) (err error) {
	switch there := c.file.file != nil; {
	case c.dir == nil:
		return env.Fail(tools.NotFound, tools.Say{EN: "There is no folder for %s", JA: "%s のフォルダがありません"}, c.shown).
			WithHint(env.Say(tools.Say{EN: "Make it along with the file: parents (--parents)", JA: "フォルダも作る場合は parents（--parents）を指定してください"}))
	case !there && in.ExpectedHash != "":
		return c.missing(env)
	case there && in.CreateOnly:
		return env.Fail(tools.AlreadyExists, tools.Say{EN: "%s is there already", JA: "%s は既に存在します"}, c.shown).
			WithHint(env.Say(tools.Say{EN: "To replace it leave out create_only", JA: "置き換える場合は create_only を外してください"}))
	case !there:
		return nil
	}
	if c.before, err = c.read(env); err != nil {
		return err
	}
	return checkHash(env, c, in.ExpectedHash)
}

// content works out the bytes of the file: in the encoding of the old one, with
// its BOM, unless another encoding is said.
func (c *change) content(env *tools.Env, in WriteIn) (out WriteOut, err error) {
	out = WriteOut{Path: in.Path, Created: c.file.file == nil}
	to, bom := charset.UTF8(), []byte(nil)
	if old := charset.Detect(c.before); old != nil && in.Encoding == "" {
		to = old
		if m := charset.Marked(c.before); m != nil {
			bom = m.BOM()
		}
	}
	if in.Encoding != "" {
		to, _ = charset.Find(in.Encoding)
		if strings.HasPrefix(in.Encoding, "utf-16") {
			bom = to.BOM()
		}
	}
	text := in.Content
	if bom != nil {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	b, err := to.Encode(text)
	if err != nil && in.Encoding == "" && to.Name() == "windows-1252" { // which was no more than a guess
		out.Notes = append(out.Notes, env.Say(tools.Say{EN: "The encoding was %s and is utf-8 now", JA: "文字コードが %s から utf-8 に変わりました"}, to.Name()))
		to = charset.UTF8()
		b, err = to.Encode(text)
	}
	if bad := new(charset.UnencodableError); errors.As(err, &bad) {
		e := invalid(env, "/content", tools.Say{EN: "holds %q, which cannot be written in %s", JA: "の %q は文字コード %s で表せません"}, string(bad.Rune), bad.Charset)
		return out, e.WithHint(env.Say(tools.Say{EN: "Write the file in another encoding: utf-8", JA: "encoding に utf-8 を指定してください"}))
	}
	if err != nil {
		return out, err
	}
	c.after = append(bom[:len(bom):len(bom)], b...)
	c.back = []step{wholeStep(c.after, c.before)}
	out.Bytes, out.Hash, out.Encoding = len(c.after), c.hash(), to.Name()
	out.Message = env.Say(tools.Say{EN: "Successfully wrote %s", JA: "%s を書き込みました"}, in.Path)
	if out.Created {
		out.Message = env.Say(tools.Say{EN: "Successfully created %s", JA: "%s を作成しました"}, in.Path)
	} else if was, is := newline(string(c.before)), newline(in.Content); to.Name() == "utf-8" && was != is && was != "none" && is != "none" {
		out.Notes = append(out.Notes, env.Say(tools.Say{EN: "The line ends were %s and are %s now", JA: "改行が %s から %s に変わりました"}, was, is))
	}
	return out, nil
}

// makeParents makes the folders that the place is in, durably: each is in its
// own parent's list before anything is put into it.
func (p place) makeParents() error {
	from, folder := p.root, filepath.Dir(p.path)
	if from == nil {
		top := folder // that is there
		for _, err := os.Stat(top); errors.Is(err, fs.ErrNotExist) && top != filepath.Dir(top); _, err = os.Stat(top) {
			top = filepath.Dir(top)
		}
		opened, err := os.OpenRoot(top)
		if err != nil {
			return notFolder(top, err)
		}
		defer opened.Close()
		from = opened
		if folder, err = filepath.Rel(top, folder); err != nil {
			return err
		}
	}
	made := ""
	for step := range strings.SplitSeq(folder, string(filepath.Separator)) {
		parent := filepath.Join(".", made)
		made = filepath.Join(made, step)
		switch err := from.Mkdir(made, 0o777); {
		case errors.Is(err, fs.ErrExist), made == ".":
			continue
		case err != nil:
			return err
		}
		dir, err := from.OpenRoot(parent)
		if err != nil {
			return err
		}
		err = syncDir(dir)
		dir.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
