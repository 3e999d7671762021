package tools

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"regexp/syntax"
	"strconv"
	"syscall"
	"testing"

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
