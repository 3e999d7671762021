package files

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"techo/internal/charset"
	"techo/tools"
)

func newChange(p place) *change { return &change{file: &file{place: p}} }

// sameAsOne reports whether a file is one of others by another name.
func sameAsOne(w *work, others []*work) bool {
	info, err := os.Stat(w.full())
	return err == nil && slices.ContainsFunc(others, func(o *work) bool { return o.change.file.file != nil && os.SameFile(info, o.info) })
}

// load reads the file and checks that it is what the caller believes.
func (w *work) load(env *tools.Env) (err error) {
	if w.change.file.file == nil {
		return w.missing(env)
	}
	if w.before, err = w.read(env); err != nil {
		return err
	}
	return checkHash(env, w.change, w.ExpectedHash)
}

// checkHash refuses a file that changed since the caller read it.
func checkHash(env *tools.Env, c *change, expected string) error {
	if expected == "" || strings.EqualFold(strings.TrimPrefix(expected, "sha256:"), hashOf(c.before)) {
		return nil
	}
	e := env.Fail(tools.Conflict, tools.Say{EN: "%s changed since it was read", JA: "%s は読み取り後に変更されています"}, c.shown).
		WithHint(env.Say(tools.Say{EN: "Read it again; its hash is %s now", JA: "読み直してください。現在のハッシュ: %s"}, hashOf(c.before)))
	return e
}

// prepare works out what the file is to become, and tells all that is wrong
// with its edits.
func (w *work) prepare(env *tools.Env) error {
	if err := w.load(env); err != nil {
		return err
	}
	c, err := w.encoding(env)
	if err != nil {
		return err
	}
	w.after = w.before
	var wrong []*tools.Error
	exchanges, at := w.exchanges()
	for i, x := range exchanges {
		d := newDocument(w.after, c)
		found, loosely, e := w.choose(env, d, x, at[i])
		if e != nil {
			wrong = append(wrong, e)
			continue
		}
		s, e := d.exchange(env, found, x, loosely, at[i])
		if e != nil {
			wrong = append(wrong, e)
			continue
		}
		w.n += len(found)
		var back step
		w.after, back = s.do(w.after)
		w.back = append([]step{back}, w.back...)
	}
	if len(wrong) == 0 && w.ExpectedCount != nil && w.n != *w.ExpectedCount {
		e := unexpected(env, w.n, *w.ExpectedCount, w.at)
		if d := newDocument(w.before, c); len(exchanges) == 1 && w.n > 0 {
			e = several(env, d, d.find(exchanges[0].OldString, true), w.at, e)
		}
		wrong = append(wrong, e)
	}
	if len(wrong) == 0 && string(w.after) == string(w.before) {
		e := invalid(env, w.at+"/new_string", tools.Say{EN: "is the same as old_string: there is nothing to change", JA: "old_string と同じで、変更がありません"})
		wrong = append(wrong, e)
	}
	if len(wrong) > 0 {
		for _, e := range wrong[1:] {
			wrong[0].Details = append(wrong[0].Details, e.Details...)
		}
		return wrong[0]
	}
	w.diff, w.diffCut = unified(w.shown, c.Decode(w.before).String, c.Decode(w.after).String)
	return nil
}

// encoding is the one that was said, else the one that the file seems to be in.
func (w *work) encoding(env *tools.Env) (*charset.Charset, error) {
	if w.Encoding != "" {
		c, _ := charset.Find(w.Encoding)
		return c, nil
	}
	if c := charset.Detect(w.before); c != nil {
		return c, nil
	}
	e := invalid(env, w.at+"/path", tools.Say{EN: "is a binary file: %s", JA: "バイナリファイルです: %s"}, w.shown)
	return nil, e.WithHint(env.Say(tools.Say{EN: "If it is text all the same, say in which encoding", JA: "テキストの場合は encoding を指定してください"}))
}

// choose finds what is to be replaced, and refuses what is not clear.
func (w *work) choose(env *tools.Env, d *document, x Exchange, at string) (found []match, loosely bool, e *tools.Error) {
	found = d.find(x.OldString, x.ReplaceAll)
	if len(found) == 0 && w.IgnoreWhitespace {
		found, loosely = d.findLoosely(x.OldString), true
	}
	switch {
	case len(found) == 0:
		return nil, false, w.notFound(env, d, x, at)
	case len(found) > 1 && !x.ReplaceAll:
		if w.ExpectedCount != nil && len(w.Edits) == 0 {
			return nil, false, several(env, d, found, at, unexpected(env, len(found), *w.ExpectedCount, at))
		}
		return nil, false, several(env, d, found, at, env.Fail(tools.Conflict, tools.Say{
			EN: "Found %d occurrences of the string. Please provide a more specific string to ensure unique match.",
			JA: "文字列が %d 箇所で見つかりました。一箇所に定まるよう、より具体的な文字列を指定してください。",
		}, len(found)))
	}
	if loosely {
		w.notes = append(w.notes, env.Say(tools.Say{EN: "%s, line %d: matched without regard to blanks", JA: "%s の %d 行目: 空白の違いを無視して一致しました"}, w.shown, found[0].line))
	}
	return found, loosely, nil
}

// exchange makes the splices that put the new text in the place of what was
// found.
func (d *document) exchange(env *tools.Env, found []match, x Exchange, loosely bool, at string) (s step, e *tools.Error) {
	for _, m := range found {
		text := x.NewString
		if loosely {
			text = d.indented(m, x.OldString, text)
		}
		with, err := d.text.Charset.Encode(d.replacement(m, x.OldString, text))
		if bad := new(charset.UnencodableError); errors.As(err, &bad) {
			e := invalid(env, at+"/new_string", tools.Say{EN: "holds %q, which cannot be written in %s, the encoding of the file", JA: "の %q はファイルの文字コード %s で表せません"}, string(bad.Rune), bad.Charset)
			return nil, e.WithHint(env.Say(tools.Say{EN: "Leave it out, or write the whole file anew with write_file and the encoding utf-8", JA: "その文字を除くか、write_file で encoding を utf-8 にして全体を書き直してください"}))
		}
		if err != nil {
			return nil, env.Fail(tools.Internal, tools.Say{EN: "techo failed: %v", JA: "techo の内部エラー: %v"}, err)
		}
		start := d.inFile(m.start)
		s = append(s, splice{start, d.inFile(m.end) - start, with})
	}
	return s, nil
}

// unexpected refuses another number of occurrences than was expected.
func unexpected(env *tools.Env, n, expected int, at string) *tools.Error {
	e := env.Fail(tools.Conflict, tools.Say{EN: "Found %d occurrences of the string, expected %d", JA: "文字列は %d 箇所にあります（期待: %d 箇所）"}, n, expected)
	e.Details = []tools.Detail{{Path: at + "/expected_count", Message: env.Say(tools.Say{EN: "there are %d", JA: "実際は %d 箇所です"}, n)}}
	return e
}

// maxShown is how many of the places of a string an error shows.
const maxShown = 20

// several tells where the string stands, with the lines around.
func several(env *tools.Env, d *document, found []match, at string, e *tools.Error) *tools.Error {
	var numbers []string
	lines := strings.Split(strings.TrimSuffix(d.text.String, "\n"), "\n")
	found = slices.CompactFunc(slices.Clone(found), func(a, b match) bool { return a.line == b.line })
	for i, m := range found {
		if i == maxShown {
			e.Details = append(e.Details, tools.Detail{Path: at + "/old_string", Message: env.Say(tools.Say{EN: "and in %d more lines", JA: "他 %d 行"}, len(found)-i)})
			numbers = append(numbers, "…")
			break
		}
		numbers = append(numbers, fmt.Sprint(m.line))
		around := max(m.line-1, 1)
		e.Details = append(e.Details, tools.Detail{
			Path:    at + "/old_string",
			Message: env.Say(tools.Say{EN: "line %d:\n%s", JA: "%d 行目:\n%s"}, m.line, numbered(lines[around-1:min(m.line+1, len(lines))], around)),
		})
	}
	return e.WithHint(env.Say(tools.Say{
		EN: "It stands in the lines %s: add more of the lines around the one that is meant, or replace all with replace_all. The same old_string will fail again",
		JA: "該当行: %s。対象の前後の行も old_string に含めるか、全て置き換えるなら replace_all を指定してください。同じ old_string では再び失敗します",
	}, strings.Join(numbers, ", ")))
}

// numbered writes lines with their numbers.
func numbered(lines []string, first int) string {
	var texts []string
	for i, line := range lines {
		texts = append(texts, fmt.Sprintf("%6d\t%s", first+i, clip(strings.TrimSuffix(line, "\r"))))
	}
	return strings.Join(texts, "\n")
}

// clip shortens a long line for a message.
func clip(line string) string {
	const most = 200
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}
