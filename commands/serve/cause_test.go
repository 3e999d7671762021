package serve

import (
	"errors"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"testing"

	"techo/internal/private"
	"techo/tools"
)

// TestCause checks that the causes of errors have texts in both languages, and that
// other errors keep their own.
func TestCause(t *testing.T) {
	_, port := net.ResolveTCPAddr("tcp", "127.0.0.1:99999")
	_, _, noPort := net.SplitHostPort("nowhere")
	for _, c := range []struct {
		err    error
		en, ja string
	}{
		{&private.Error{Path: "p", Reason: private.Link}, "p: is a link", "p: リンクです"},
		{&private.Error{Path: "p", Reason: private.Owner}, "p: belongs to another user", "p: 別のユーザーのものです"},
		{&private.NotFileError{Path: "p"}, "p: not a file", "p: ファイルではありません"},
		{&pathLengthError{200}, "the path of a socket has at most 94 bytes, this one 200",
			"ソケットのパスは94バイトまでです（指定は200バイト）"},
		{noPort, `missing port in "nowhere"`, "「nowhere」にポートがありません"},
		{port, `invalid port "99999"`, "ポート「99999」が正しくありません"},
		{&net.DNSError{Name: "h", IsNotFound: true}, `the host "h" was not found`, "ホスト「h」が見つかりません"},
		{&fs.PathError{Op: "open", Path: "p", Err: syscall.EACCES}, "p: permission denied", "p: 権限がありません"},
		{&net.OpError{Op: "listen", Err: syscall.EADDRNOTAVAIL}, "this machine does not have the address",
			"このマシンのアドレスではありません"},
		{errors.New("other"), "other", "other"},
	} {
		for lang, want := range map[tools.Lang]string{tools.English: c.en, tools.Japanese: c.ja} {
			if got := cause(&tools.Env{Lang: lang}, c.err); got != want {
				t.Errorf("%v, %s: %q, want %q", c.err, lang, got, want)
			}
		}
	}
	for _, c := range causes {
		if got := cause(&tools.Env{Lang: tools.Japanese}, c.err); strings.Contains(got, string(c.text)) {
			t.Errorf("%v has no Japanese text", c.err)
		}
	}
}
