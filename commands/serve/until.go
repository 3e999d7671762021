package serve

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// serveOut is what serve leaves behind when it is stopped.
type serveOut struct {
	Address string `json:"address"`
	Message string `json:"message"`
}

// finishTime is how long calls may go on after a stop.
const finishTime = 10 * time.Second

// Until serves until the context ends, then lets what runs finish, for the
// first of the waits. It ends what runs longer, which has the second to answer.
func Until(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger, waits ...time.Duration) error {
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
	log.Info("stopping")
	for _, patience := range waits {
		// Not of work, which is over before the second wait begins.
		limit, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
		err := server.Shutdown(limit)
		stop()
		if err == nil {
			return nil
		}
		end()
	}
	return server.Close()
}
