package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"techo/internal/address"
	"techo/tools"
	"techo/tools/internet"
	"techo/tools/message"
)

const (
	mostBytes      = 32 << 20 // of an answer
	mostDimensions = 8192
	atOnce         = 32 // texts of a request at most
	atFirst        = 4  // texts of the first request; the endpoint's speed decides about later ones
)

// client asks an endpoint. It implements memory.Encoder.
type client struct {
	http  *http.Client
	at    string
	model string
	key   func(context.Context) (string, error)
	limit time.Duration // of a request with its answer
	size  int           // texts of the next request
	most  int           // texts of a request at most
}

// newClient returns the client of the endpoint that is set, nil for none. limit is the time for
// each request.
func newClient(env *tools.Env, limit time.Duration) *client {
	s := env.Model
	u, err := url.Parse(s.URL)
	if err != nil || s.URL == "" {
		return nil
	}
	guarded := *env
	if address.CloudOf(u.Hostname()) == "" { // the person named the host, but never a service of a cloud
		guarded.Web.Allow = append(slices.Clip(env.Web.Allow), u.Hostname()+":"+internet.PortOf(u))
	}
	return &client{internet.GuardedClient(&guarded), endpointOf(u), nameOf(s), once(s.Key), limit, atFirst, atOnce}
}

// once returns the key without asking for it again: a command may take its time, or ask the person.
func once(key func(context.Context) (string, error)) func(context.Context) (string, error) {
	known, have := "", false
	return func(ctx context.Context) (_ string, err error) {
		if !have && key != nil {
			known, err = key(ctx)
			have = err == nil
		}
		return known, err
	}
}

// endpointOf returns the address for requests of a base address, which may have it already.
func endpointOf(base *url.URL) string {
	u := *base
	u.Path = strings.TrimRight(u.Path, "/")
	switch last := path.Base(u.Path); {
	case last == "embeddings":
	case versionOf(last):
		u.Path = path.Join(u.Path, "embeddings")
	default:
		u.Path = path.Join("/", u.Path, "v1", "embeddings")
	}
	return u.String()
}

func versionOf(part string) bool { return regexp.MustCompile(`^v\d+$`).MatchString(part) }

func (c *client) Model() string { return c.model }

func (c *client) as(model string) *client {
	other := *c
	other.model = model
	return &other
}

// Encode asks for the vectors of some texts, in requests of up to 32 of them. Requests grow while the
// endpoint is fast, and shrink when it takes too long: a slow one still answers each within its limit.
func (c *client) Encode(ctx context.Context, texts []string) (all [][]float32, err error) {
	for len(texts) > 0 {
		n := min(len(texts), c.size)
		began := time.Now()
		some, err := c.request(ctx, texts[:n])
		if errors.Is(err, errLate) && ctx.Err() == nil && n > 1 {
			c.size, c.most = max(1, n/4), n-1
			continue
		}
		if err != nil {
			return nil, err
		}
		switch took := time.Since(began); {
		case took < c.limit/8 && n == c.size:
			c.size = min(2*n, c.most)
		case took > c.limit/2:
			c.size = max(1, n/2)
		}
		all, texts = append(all, some...), texts[n:]
		if len(some[0]) != len(all[0]) {
			return nil, errUneven()
		}
	}
	return all, nil
}

type answer struct {
	Data []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
}

func (c *client) request(ctx context.Context, texts []string) ([][]float32, error) {
	ctx, stop := context.WithTimeout(ctx, c.limit)
	defer stop()
	body, err := json.Marshal(map[string]any{"model": c.model, "input": texts})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.at, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	key, err := c.key(ctx)
	if err != nil {
		return nil, err
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, timely(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 == 3 {
		return nil, message.NewError("it redirects to another address, which is not followed")
	}
	if response.StatusCode/100 != 2 {
		return nil, message.NewError("HTTP status %d", response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, mostBytes+1))
	if err != nil {
		return nil, timely(ctx, err)
	}
	if len(text) > mostBytes {
		return nil, message.NewError("the answer has more than %d bytes", mostBytes)
	}
	return read(text, len(texts))
}

// errLate is the error of an answer that came too late.
var errLate = message.NewError("it took too long")

// timely returns an error without the address, which has nothing to add. An answer that came
// too late says so.
func timely(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errLate
	}
	if e := new(url.Error); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// read reads an answer with n vectors.
func read(text []byte, n int) ([][]float32, error) {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, message.NewError("the answer is not one of /v1/embeddings")
	}
	if len(a.Data) != n {
		return nil, message.NewError("the answer has another number of vectors than there are texts")
	}
	all := make([][]float32, n)
	numbered := false // some servers number nothing
	for _, d := range a.Data {
		numbered = numbered || d.Index != 0
	}
	for i, d := range a.Data {
		at := d.Index
		if !numbered {
			at = i
		}
		if at < 0 || at >= n || all[at] != nil {
			return nil, message.NewError("the answer numbers its vectors wrongly")
		}
		if len(d.Embedding) == 0 || len(d.Embedding) > mostDimensions || len(d.Embedding) != len(a.Data[0].Embedding) {
			return nil, errUneven()
		}
		all[at] = d.Embedding
	}
	return all, nil
}

func errUneven() error {
	return message.NewError("the answer has vectors of different lengths, or of more than %d numbers", mostDimensions)
}

// shown returns an address without what could be a secret.
func shown(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(), "/")
}
