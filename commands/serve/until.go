package serve

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// serveOut is the result of a server that was stopped.
type serveOut struct {
	Address string `json:"address"`
	Message string `json:"message"`
}

// finishTime is how long running calls may continue after a stop.
const finishTime = 10 * time.Second

// serveUntil serves until the context ends, and calls drain. It then waits for the
// running requests for each of the waits in turn, and cancels what remains after
// the first one. Requests that remain after the last one are cut off.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger, drain func(),
	waits ...time.Duration) error {
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	server := &http.Server{
		Handler: h, BaseContext: func(net.Listener) context.Context { return work },
		ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	drain()
	log.Info("stopping")
	for _, wait := range waits {
		// The limit must not derive from work, which is cancelled after the first wait.
		limit, stop := context.WithTimeout(context.WithoutCancel(ctx), wait)
		err := server.Shutdown(limit)
		stop()
		if err == nil {
			return nil
		}
		end()
	}
	return server.Close()
}

// drainRequests makes the server not ready, and gives load balancers time to send new
// requests elsewhere.
func (srv *Server) drainRequests() {
	srv.state.stopping.Store(true)
	if srv.drain > 0 {
		time.Sleep(srv.drain)
	}
}
