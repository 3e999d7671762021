package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"regexp/syntax"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"techo/internal/private"
	"techo/internal/recur"
)

// TestCause checks that the causes of errors have texts in both languages, and that
// other errors keep their own.
func TestCause(t *testing.T) {
	_, port := net.ResolveTCPAddr("tcp", "127.0.0.1:99999")
	_, _, noPort := net.SplitHostPort("nowhere")
	_, rule := recur.Parse("FREQ=DAILY;COUNT=0")
	_, expression := syntax.Parse("a(", syntax.Perl)
	refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	_, number := strconv.Atoi("x")
	for _, c := range []struct {
		err    error
		en, ja string
	}{
		{&private.Error{Path: "p", Reason: private.Link}, "p: is a link", "p: リンクです"},
		{&private.Error{Path: "p", Reason: private.Owner}, "p: belongs to another user",
			"p: 別のユーザーのものです"},
		{&private.NotFileError{Path: "p"}, "p: not a file", "p: ファイルではありません"},
		{noPort, `missing port in "nowhere"`, "「nowhere」にポートがありません"},
		{port, `invalid port "99999"`, "ポート「99999」が正しくありません"},
		{&net.DNSError{Name: "h", IsNotFound: true}, `the host "h" was not found`,
			"ホスト「h」が見つかりません"},
		{&fs.PathError{Op: "open", Path: "p", Err: syscall.EACCES}, "p: permission denied",
			"p: 権限がありません"},
		{&os.LinkError{Op: "rename", Old: "o", New: "p", Err: syscall.EISDIR}, "p: is a folder",
			"p: フォルダです"},
		{&net.OpError{Op: "listen", Err: syscall.EADDRNOTAVAIL}, "this machine does not have the address",
			"このマシンのアドレスではありません"},
		{&url.Error{Op: "Get", URL: "http://h", Err: refused}, "http://h: the connection was refused",
			"http://h: 接続を拒否されました"},
		{rule, "COUNT=0: must be a number from 1 to 1000000000",
			"COUNT=0: 1 から 1000000000 までの数にしてください"},
		{expression, "missing closing ): a(", "閉じる ) がありません: a("},
		{fmt.Errorf("line 3: %w", io.ErrUnexpectedEOF), "line 3: ends too early",
			"line 3: 途中で終わっています"},
		{NewError("%s: not a file", "p"), "p: not a file", "p: ファイルではありません"},
		{NewError("Cannot read %s: %v", "p", syscall.EACCES), "Cannot read p: permission denied",
			"p を読めません: 権限がありません"},

		// Go's text is complete, so it stays when a part is unknown.
		{errors.New("other"), "other", "other"},
		{&fs.PathError{Op: "open", Path: "p", Err: errors.New("other")}, "open p: other", "open p: other"},
		{fmt.Errorf("%w (%w)", io.EOF, errors.New("other")), "EOF (other)", "EOF (other)"},
		{number, number.Error(), number.Error()},
	} {
		for lang, want := range map[Lang]string{English: c.en, Japanese: c.ja} {
			if got := (&Env{Lang: lang}).Cause(c.err); got != want {
				t.Errorf("%v, %s: %q, want %q", c.err, lang, got, want)
			}
		}
	}
}

// TestJSONCause translates the errors of both JSON decoders. English keeps their texts.
func TestJSONCause(t *testing.T) {
	for text, ja := range map[string]string{
		`nul`:      "途中で終わっています",
		`{`:        "途中で終わっています",
		`nothing`:  "文字 'o' が正しくありません（null の途中。'u' が必要です）",
		`]`:        "文字 ']' が正しくありません（値の先頭）",
		`{} x`:     "文字 'x' が正しくありません（値の先頭）",
		`{"a" 1}`:  "文字 '1' が正しくありません（名前の後。':' が必要です）",
		`{"a":1 2`: "文字 '2' が正しくありません（値の後。',' か '}' が必要です）",
		`[1 2]`:    "文字 '2' が正しくありません（要素の後。',' か ']' が必要です）",
		"\"\x01\"": `文字 '\x01' が正しくありません（文字列の中の制御文字）`,
		`-x`:       "文字 'x' が正しくありません（数の中。数字が必要です）",
		`"\x"`:     "文字列の中のエスケープ `\\x` が正しくありません",
		`{1:2}`:    "オブジェクトの名前は文字列にしてください",
		`{"a"}`:    "文字 '}' が正しくありません（名前の後。':' が必要です）",
		`[}`:       "文字 '}' が正しくありません（値の先頭）",
	} {
		_, err := parse([]byte(text))
		s := new(syntaxError)
		if !errors.As(err, &s) {
			t.Fatalf("%s: %v", text, err)
		}
		if got := cause(Japanese, s.reason); got != ja {
			t.Errorf("%s: %s, want %s (%v)", text, got, ja, s.reason)
		}
		if got := cause(English, s.reason); got != s.reason.Error() && !errors.Is(s.reason, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %s, want %v", text, got, s.reason)
		}
		err = json.Unmarshal([]byte(text), new(any))
		if got := cause(Japanese, err); isASCII(got) {
			t.Errorf("%s: %s", text, got)
		}
		if got := cause(English, err); got != err.Error() {
			t.Errorf("%s: %s, want %v", text, got, err)
		}
	}
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

// TestErrorArguments checks that a text translates its arguments of type error,
// names nothing twice, and leaves the caller's slice alone.
func TestErrorArguments(t *testing.T) {
	args := []any{"p", error(&fs.PathError{Op: "open", Path: "p", Err: syscall.EACCES})}
	want := "p を読めません: 権限がありません"
	if got := Text("Cannot read %s: %v").In(Japanese, args...); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, ok := args[1].(error); !ok {
		t.Errorf("the caller's argument became %v", args[1])
	}
	if err := NewError("Cannot read %s: %v", args...); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v does not wrap its argument", err)
	}
}
