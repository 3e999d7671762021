package message_test

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
	"techo/tools/jsontree"
	"techo/tools/message"
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
		{&url.Error{Op: "Get", URL: "http://h", Err: io.EOF},
			"http://h: the server closed the connection without an answer",
			"http://h: サーバーが応答せずに接続を閉じました"},
		{&url.Error{Op: "Get", URL: "http://h", Err: io.ErrUnexpectedEOF},
			"http://h: the server closed the connection before its answer was complete",
			"http://h: 応答の途中でサーバーが接続を閉じました"},
		{fmt.Errorf("line 3: %w", io.ErrUnexpectedEOF), "line 3: ends too early",
			"line 3: 途中で終わっています"},
		{message.NewError("%s: not a file", "p"), "p: not a file", "p: ファイルではありません"},
		{message.NewError("Cannot read %s: %v", "p", syscall.EACCES), "Cannot read p: permission denied",
			"p を読めません: 権限がありません"},

		// Go's text is complete, so it stays when a part is unknown.
		{errors.New("other"), "other", "other"},
		{&fs.PathError{Op: "open", Path: "p", Err: errors.New("other")}, "open p: other", "open p: other"},
		{fmt.Errorf("%w (%w)", io.EOF, errors.New("other")), "EOF (other)", "EOF (other)"},
		{number, number.Error(), number.Error()},
	} {
		for lang, want := range map[message.Lang]string{message.English: c.en, message.Japanese: c.ja} {
			if got := lang.Cause(c.err); got != want {
				t.Errorf("%v, %s: %q, want %q", c.err, lang, got, want)
			}
		}
	}
}

// TestJSONCause describes the errors of both JSON decoders in texts of techo.
func TestJSONCause(t *testing.T) {
	for text, want := range map[string]struct {
		at     int64
		en, ja string
	}{
		``:    {1, "ends too early", "途中で終わっています"},
		`nul`: {4, "ends too early", "途中で終わっています"},
		`{`:   {2, "ends too early", "途中で終わっています"},
		`nothing`: {2, `unexpected character 'o' in null, instead of 'u'`,
			"文字 'o' は null の途中には使えません（正しくは 'u'）"},
		`]`: {1, `unexpected character ']' where a value should begin`,
			"値の先頭に文字 ']' は使えません"},
		`{} x`: {4, `unexpected character 'x' where a value should begin`,
			"値の先頭に文字 'x' は使えません"},
		`{} {}`: {4, "more than one JSON document", "JSON の文書が複数あります"},
		`{"a" 1}`: {6, `unexpected character '1' after a name, instead of ':'`,
			"名前の後は ':' です（文字 '1' は使えません）"},
		`{"a":1 2`: {8, `unexpected character '2' after a value in an object, instead of ',' or '}'`,
			"オブジェクトの値の後は ',' か '}' です（文字 '2' は使えません）"},
		`[1 2]`: {4, `unexpected character '2' after a value in an array, instead of ',' or ']'`,
			"配列の値の後は ',' か ']' です（文字 '2' は使えません）"},
		"\"\x01\"": {2, `control character '\x01' in a string`,
			`文字列の中に制御文字 '\x01' は使えません`},
		`-x`: {2, `unexpected character 'x' in a number, instead of a digit`,
			"数の中に数字ではない文字 'x' があります"},
		`"\x"`: {2, "invalid escape sequence `\\x` in a string",
			"文字列の中のエスケープ `\\x` が正しくありません"},
		`{1:2}`: {2, "a name in an object must be a string",
			"オブジェクトの名前は文字列にしてください"},
		`{"a"}`: {5, `unexpected character '}' after a name, instead of ':'`,
			"名前の後は ':' です（文字 '}' は使えません）"},
		`[}`: {2, `unexpected character '}' where a value should begin`,
			"値の先頭に文字 '}' は使えません"},
	} {
		_, err := jsontree.Parse([]byte(text))
		s := new(jsontree.SyntaxError)
		if !errors.As(err, &s) {
			t.Fatalf("%s: %v", text, err)
		}
		en, ja := message.English.Cause(s.Reason), message.Japanese.Cause(s.Reason)
		if en != want.en || ja != want.ja || s.At != want.at {
			t.Errorf("%s:\n%d %s\n%s, want\n%d %s\n%s\n(%v)", text, s.At, en, ja, want.at, want.en, want.ja, s.Reason)
		}
		err = json.Unmarshal([]byte(text), new(any))
		if got := message.Japanese.Cause(err); isASCII(got) {
			t.Errorf("%s: %s", text, got)
		}
		if got := message.English.Cause(err); got == err.Error() {
			t.Errorf("%s: %s is the text of Go", text, got)
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
	if got := message.Text("Cannot read %s: %v").In(message.Japanese, args...); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, ok := args[1].(error); !ok {
		t.Errorf("the caller's argument became %v", args[1])
	}
	if err := message.NewError("Cannot read %s: %v", args...); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v does not wrap its argument", err)
	}
}
