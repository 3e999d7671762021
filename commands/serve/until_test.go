package serve

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// TestUntilCancels checks that a request that runs longer than the first wait is
// cancelled and can still answer.
func TestUntilCancels(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stop()
		<-r.Context().Done()
		time.Sleep(100 * time.Millisecond) // a tool needs time to undo and to answer
		io.WriteString(w, "cancelled")
	})
	served := make(chan error, 1)
	go func() { served <- serveUntil(ctx, l, h, quiet(), func() {}, 50*time.Millisecond, 20*time.Second) }()
	r, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer r.Body.Close()
	if b, err := io.ReadAll(r.Body); err != nil || string(b) != "cancelled" {
		t.Errorf("%q, %v", b, err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
