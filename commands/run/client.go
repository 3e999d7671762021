package run

import (
	"net/http"
	"net/url"
	"time"
)

// httpClient returns a client for services that the person named. It keeps no
// connection open, so that nothing has to be closed. proxy may be nil.
func httpClient(proxy func(*url.URL) (*url.URL, error)) *http.Client {
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
