package run

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"techo/internal/legible"
	"techo/internal/shell"
	"techo/tools/memory/embed"
	"techo/tools/message"
)

// embedding reads the settings of the endpoint for meanings.
func embedding(p *parser) (e embed.Settings) {
	address, source := p.get("embed-url")
	u, err := url.Parse(address)
	if address != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		p.refuse("embed-url", source, "must be an address such as http://127.0.0.1:8080, not %q", address)
		return e
	}
	if address != "" && (u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		p.refuse("embed-url", source, "must have no user, password, ? or #; the key is in TECHO_EMBED_KEY")
		return e
	}
	e.URL = address
	e.Model, source = p.get("embed-model")
	if len(e.Model) > maxModelName || legible.Control(e.Model) || !utf8.ValidString(e.Model) {
		p.refuse("embed-model", source, "must be the name of a model, at most %d bytes", maxModelName)
		e.Model = ""
	}
	key, command := strings.TrimSpace(p.sys.Getenv("TECHO_EMBED_KEY")), ""
	if key == "" {
		command, _ = standing(p, "embed-key-command")
	}
	e.Key = func(ctx context.Context) (string, error) { return keyOf(ctx, key, command) }
	return e
}

const (
	maxModelName = 200
	maxKey       = 8 << 10 // bytes that a command prints
)

// keyOf returns a key, or the one that a command prints.
func keyOf(ctx context.Context, key, command string) (string, error) {
	if command == "" {
		return key, nil
	}
	out, err := shell.Output(ctx, command)
	if err == nil && len(out) > maxKey {
		err = fmt.Errorf("it has more than %d bytes", maxKey)
	}
	if err != nil {
		return "", message.NewError("embed-key-command: %v", err)
	}
	return strings.TrimSpace(string(out)), nil
}
