// Package internet limits requests to the internet.
package internet

import (
	"net/url"

	"techo/tools"
)

// Settings are the limits and settings for requests to the internet. No input of a
// tool can change them.
type Settings struct {
	Agent        string   // the User-Agent
	AllowPrivate bool     // allow addresses outside the public internet
	Allow        []string // hosts that may be private anyway, as "host" or "host:port"
	Save         string   // absolute path to save the body of the next page to, or ""
	Overwrite    bool     // Save may replace an existing file
	Parents      bool     // the missing folders of Save are created

	// Browser is the path of the browser that may render pages, "auto" for one that is
	// installed, or "" for none.
	Browser string

	// Proxy returns the proxy for an address, or nil for a direct connection.
	Proxy func(*url.URL) (*url.URL, error)
}

// Of returns the settings of a call.
func Of(env *tools.Env) Settings { return tools.Setting[Settings](env) }
