package commands

import (
	"bufio"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// TestServeToken checks that every route but /health needs the token.
func TestServeToken(t *testing.T) {
	w := newWorld(t)
	w.env["TECHO_TOKEN"] = "a-long-random-text"
	s := w.serve(t, "serve", "--listen", "0.0.0.0:0")
	s.Base = strings.Replace(s.Base, "[::]", "127.0.0.1", 1)
	for _, headers := range [][]string{
		{}, {"Authorization: Bearer"}, {"Authorization: Bearer a-long-random-tex"},
		{"Authorization: Bearer a-long-random-text1"},
		{"Authorization: Basic a-long-random-text"}, {"Authorization: a-long-random-text"},
	} {
		s.Want(401, `"unavailable"`, "POST", "/tools/list_memo", "", headers...)
		s.Want(401, `"unavailable"`, "GET", "/tools", "", headers...)
		s.Want(401, `"unavailable"`, "GET", "/nowhere", "", headers...)
		s.Want(200, `"ok":true`, "GET", "/health", "", headers...)
	}
	s.Want(200, `"total":0`, "POST", "/tools/list_memo", "", "Authorization: Bearer a-long-random-text")
	s.Want(200, `"total":0`, "POST", "/tools/list_memo", "", "Authorization: bearer  a-long-random-text")
	s.Want(403, `"forbidden"`, "POST", "/tools/list_memo", "", "Authorization: Bearer a-long-random-text",
		"Host: evil.example")
	if log := s.log.String(); strings.Contains(log, "a-long-random-text") ||
		!strings.Contains(log, "path=/tools/list_memo status=403") {
		t.Errorf("the log contains the token, or no requests:\n%s", log)
	}
}

// TestServeNarrow checks that tools that are switched off are not offered, and that
// calls of them return the reason.
func TestServeNarrow(t *testing.T) {
	s := newWorld(t).serve(t, "serve", "--read-only", "--only", "memo", "--quiet")
	all := s.Want(200, `"name":"list_memo"`, "GET", "/tools?format=names", "")
	if strings.Contains(all, "add_memo") {
		t.Errorf("--read-only offers %s", all)
	}
	s.Want(403, `--read-only`, "POST", "/tools/add_memo", `{"name":"a","content":"x","priority":1}`)
	s.Want(200, `"total":0`, "POST", "/tools/list_memo", "")
	s.Want(403, `"unavailable"`, "POST", "/tools/calendar", `{}`)
	s.Want(403, `"unavailable"`, "POST", "/tools/calendar", `{"title":"x","start":"2026-01-05"}`)
	s.Want(200, `"off":{`, "GET", "/tools?format=names&all=true", "")
	if log := s.log.String(); strings.Contains(log, "request") {
		t.Errorf("--quiet logs %s", log)
	}
}

// TestServeSocket serves on a socket. It replaces an abandoned socket, but not one
// that is in use.
func TestServeSocket(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "s")
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		testenv.Missing(t, "no unix sockets here: "+err.Error())
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	s := w.serve(t, "serve", "--listen", "unix:"+path)
	s.useSocket()
	s.Want(200, `"total":0`, "POST", "/tools/list_memo", "")
	s.Want(403, `"forbidden"`, "POST", "/tools/list_memo", "", "Origin: http://evil.example")
	w.run("serve", "--listen", "unix:"+path).fails("conflict")
	w.run("serve", "--listen", "unix:"+w.dir).fails("conflict")
	s.HTTP.CloseIdleConnections()
}

// TestServeStops checks that a server that is stopped answers a request that has
// begun.
func TestServeStops(t *testing.T) {
	w := newWorld(t)
	s := w.serve(t, "serve")
	c, err := net.Dial("tcp", strings.TrimPrefix(s.Base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := `{"name":"late","content":"x","priority":1}`
	io.WriteString(c, "POST /tools/add_memo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 42\r\n"+
		"Expect: 100-continue\r\n\r\n")
	answer := bufio.NewReader(c)
	for _, want := range []string{"HTTP/1.1 100 Continue\r\n", "\r\n"} { // the server reads the body
		if line, err := answer.ReadString('\n'); line != want {
			t.Fatalf("%q %v, want %q", line, err, want)
		}
	}
	io.WriteString(c, body[:20])
	go func() {
		for !strings.Contains(s.log.String(), "stopping") {
			time.Sleep(time.Millisecond)
		}
		io.WriteString(c, body[20:])
	}()
	s.stop()
	line, err := answer.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 200") {
		t.Errorf("the request was not finished: %q %v", line, err)
	}
	w.run("memo", "get", "late").ok()
}
