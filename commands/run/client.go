package run

import (
	"net/http"
	"net/url"
	"time"
)

// client is the HTTP client for services that the person named. It goes through
// the proxies of this run's environment and keeps no connection, so that
// nothing has to be closed.
func (s *Run) client() *http.Client {
	proxy := s.internet.Proxy
	return &http.Client{Transport: &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			if proxy == nil {
				return nil, nil
			}
			return proxy(r.URL)
		},
		DisableKeepAlives:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
	}}
}
