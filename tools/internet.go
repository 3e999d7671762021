package tools

import "net/url"

// Web is what a tool may do on the internet. A model chooses none of it.
type Web struct {
	Agent        string   // the User-Agent
	AllowPrivate bool     // also addresses that are not on the public internet
	Allow        []string // hosts that may be private all the same, "host" or "host:port"
	Save         string   // file that the body of the next page is saved to, "" is none

	// Proxy says through which proxy an address is reached, nil for none.
	Proxy func(*url.URL) (*url.URL, error)
}
