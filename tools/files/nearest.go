package files

import (
	"fmt"
	"strings"
	"unicode"

	"techo/internal/passage"
	"techo/tools"
)

// notFound says that a string is not in the file, and shows what is most like
// it there, and where the two begin to differ.
func (w *work) notFound(env *tools.Env, d *document, x Exchange, at string) *tools.Error {
	e := w.notThere(env, d, x.OldString, at+"/old_string")
	if len(x.NewString) < leastDone || strings.Contains(x.OldString, x.NewString) {
		return e
	}
	if there := d.find(x.NewString, false); len(there) > 0 {
		e.Details = append(e.Details, tools.Detail{Path: at + "/new_string", Message: env.Say(tools.Say{
			EN: "stands in line %d: the edit may have been made before", JA: "%d 行目に既にあります（編集済みの可能性があります）"}, there[0].line)})
	}
	return e
}

// leastDone is how long a new text must be, in bytes, to look as if it had been
// put in before.
const leastDone = 4

func (w *work) notThere(env *tools.Env, d *document, old, at string) *tools.Error {
	e := env.Fail(tools.NotFound, tools.Say{EN: "Could not find the string to replace in %s", JA: "%s に置き換え対象の文字列が見つかりません"}, w.shown)
	if numberedText(old) {
		e.Details = []tools.Detail{{Path: at, Message: env.Say(tools.Say{EN: "its lines begin with line numbers, which are not in the file", JA: "行番号が含まれていますが、ファイルにはありません"})}}
		return e.WithHint(env.Say(tools.Say{EN: "Leave out the line numbers and the tab behind them", JA: "行番号とその後のタブを除いてください"}))
	}
	near, ok := passage.Nearest(d.view, strings.ReplaceAll(old, "\r\n", "\n"))
	if !ok {
		e.Details = []tools.Detail{{Path: at, Message: env.Say(tools.Say{EN: "nothing in the file is like it", JA: "似た箇所もありません"})}}
		return e.WithHint(env.Say(tools.Say{EN: "Look for it with techo grep, then copy it from techo fs read. The same old_string will fail again",
			JA: "techo grep で探し、techo fs read の結果からコピーしてください。同じ old_string では再び失敗します"}))
	}
	shown := near.Lines[:min(len(near.Lines), maxShown)]
	e.Details = []tools.Detail{{Path: at, Message: env.Say(tools.Say{EN: "nearest are the lines from %d on:\n%s", JA: "最も近いのは %d 行目から:\n%s"},
		near.First, numbered(shown, near.First))}}
	if near.Line == 0 {
		return e
	}
	found, wanted := character(env, near.Found), character(env, near.Wanted)
	e.Details = append(e.Details, tools.Detail{Path: at,
		Message: env.Say(tools.Say{EN: "first difference in line %d, column %d: the file has %s, old_string has %s", JA: "最初の違いは %d 行目の %d 文字目: ファイルは %s、old_string は %s"},
			near.Line, near.Column, found, wanted),
		Hint: visible(near, near.Line),
	})
	return e.WithHint(env.Say(tools.Say{
		EN: "Nearest is line %d; in line %d, column %d, the file has %s where old_string has %s. Copy the text from techo fs read: the same old_string will fail again",
		JA: "最も近いのは %d 行目です。%d 行目の %d 文字目で、ファイルは %s、old_string は %s です。techo fs read の結果からコピーしてください。同じ old_string では再び失敗します",
	}, near.First, near.Line, near.Column, found, wanted))
}

// numberedText reports whether every line begins with a number and a tab, as
// the text form of read_file writes them.
func numberedText(s string) bool {
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		number, _, ok := strings.Cut(strings.TrimLeft(line, " "), "\t")
		if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
			return false
		}
	}
	return true
}

// unseen are the characters that are easily taken for others.
var unseen = map[rune]tools.Say{
	' ':      {EN: "SPACE", JA: "半角スペース"},
	'\t':     {EN: "TAB", JA: "タブ"},
	'\r':     {EN: "CARRIAGE RETURN", JA: "復帰（CR）"},
	'\u00a0': {EN: "NO-BREAK SPACE", JA: "ノーブレークスペース（NBSP）"},
	'\u00ad': {EN: "SOFT HYPHEN", JA: "ソフトハイフン"},
	'\u200b': {EN: "ZERO WIDTH SPACE", JA: "ゼロ幅スペース"},
	'\u200d': {EN: "ZERO WIDTH JOINER", JA: "ゼロ幅接合子"},
	'\u3000': {EN: "IDEOGRAPHIC SPACE", JA: "全角スペース"},
	'\ufeff': {EN: "BYTE ORDER MARK", JA: "BOM"},
	'\ufffd': {EN: "REPLACEMENT CHARACTER, for bytes that are no text", JA: "置換文字（テキストでないバイト）"},
}

// character names a character so that it cannot be taken for another.
func character(env *tools.Env, r rune) string {
	switch {
	case r == passage.End:
		return env.Say(tools.Say{EN: "its end", JA: "終端"})
	case r == '\n':
		return env.Say(tools.Say{EN: "the end of the line", JA: "行末"})
	}
	code := fmt.Sprintf("U+%04X", r)
	if name, ok := unseen[r]; ok {
		return env.Say(name) + " (" + code + ")"
	}
	switch {
	case r >= '！' && r <= '～':
		return env.Say(tools.Say{EN: "full-width %q (%s)", JA: "全角 %q（%s）"}, string(r), code)
	case !unicode.IsGraphic(r):
		return code
	}
	return fmt.Sprintf("%q (%s)", string(r), code)
}

// visible writes a line of a passage with its blanks made visible, cut to what
// is around the difference.
func visible(p passage.Passage, line int) string {
	i := line - p.First
	if i >= len(p.Lines) {
		return ""
	}
	runes := []rune(p.Lines[i])
	from := max(0, p.Column-60)
	to := min(len(runes), from+120)
	var b strings.Builder
	for _, r := range runes[min(from, to):to] {
		switch {
		case r == '\t':
			b.WriteString("→")
		case r == ' ':
			b.WriteString("·")
		case r == '\r':
			b.WriteString("␍")
		case unicode.IsSpace(r) || !unicode.IsGraphic(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
