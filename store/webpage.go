package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"techo/store/kv"
)

// Limits of the cache of web pages. What is oldest goes first.
const (
	MaxWebPages = 1000
	MaxWebBytes = 64 << 20
)

// WebPage is a page of the cache. Its body lies in a file beside the records:
// pages come and go, and would make every reading of the journal slower.
type WebPage struct {
	Key         string // what was asked for
	URL         string // where it was found
	Redirects   []string
	Status      int
	ContentType string
	ETag        string
	Modified    string // the header Last-Modified
	Incomplete  bool
	Private     bool // it is not from the public internet
	FetchedAt   time.Time
	FreshUntil  time.Time
	Body        []byte
}

// webRecord is a page as it is kept.
type webRecord struct {
	Key         string   `json:"key"`
	URL         string   `json:"url"`
	Redirects   []string `json:"redirects,omitempty"`
	Status      int      `json:"status"`
	ContentType string   `json:"content_type,omitempty"`
	ETag        string   `json:"etag,omitempty"`
	Modified    string   `json:"modified,omitempty"`
	Incomplete  bool     `json:"incomplete,omitempty"`
	Private     bool     `json:"private,omitempty"`
	Fetched     int64    `json:"fetched"` // milliseconds since 1970
	Fresh       int64    `json:"fresh"`
	Size        int64    `json:"size"`
	Sum         string   `json:"sum"` // SHA-256 of the body, hexadecimal
}

// webCounts are the numbers of the cache.
type webCounts struct {
	Pages int   `json:"pages"`
	Bytes int64 `json:"bytes"`
}

// The keys of the cache.

var (
	webSpace     = []byte("wp")
	webAgeSpace  = []byte("wt")
	webCountsKey = []byte("wc")
)

const webFolder = "web"

func webID(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:16]
}

func webKey(id []byte) []byte { return append(slices.Clip(webSpace), id...) }

func webAgeKey(id []byte, fetched int64) []byte {
	return append(binary.BigEndian.AppendUint64(slices.Clip(webAgeSpace), uint64(fetched)), id...)
}

// webFile is where the body of a record lies.
func (s *Store) webFile(id []byte, sum string) string {
	return filepath.Join(s.folder, webFolder, hex.EncodeToString(id)+"-"+sum[:min(16, len(sum))])
}

// FindWebPage returns a page of the cache, nil when there is none, or when its
// body is not what was kept.
func (s *Store) FindWebPage(ctx context.Context, key string) (*WebPage, error) {
	var r webRecord
	id := webID(key)
	err := s.view(ctx, func(tx kv.Tx) error { return load(tx, webKey(id), &r) })
	if errors.Is(err, kv.ErrNotFound) || err == nil && r.Key != key {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	body, err := os.ReadFile(s.webFile(id, r.Sum))
	if sum := sha256.Sum256(body); err != nil || hex.EncodeToString(sum[:]) != r.Sum {
		return nil, nil // as if it had never been kept
	}
	return &WebPage{r.Key, r.URL, append([]string{}, r.Redirects...), r.Status, r.ContentType, r.ETag, r.Modified, r.Incomplete, r.Private,
		time.UnixMilli(r.Fetched), time.UnixMilli(r.Fresh), body}, nil
}

// KeepWebPage puts a page into the cache, in the place of an older one, and
// drops what is oldest when there is too much.
func (s *Store) KeepWebPage(ctx context.Context, p WebPage) error {
	sum := sha256.Sum256(p.Body)
	id := webID(p.Key)
	r := webRecord{p.Key, p.URL, p.Redirects, p.Status, p.ContentType, p.ETag, p.Modified, p.Incomplete, p.Private,
		p.FetchedAt.UnixMilli(), p.FreshUntil.UnixMilli(), int64(len(p.Body)), hex.EncodeToString(sum[:])}
	file := s.webFile(id, r.Sum)
	if err := writeWebFile(file, p.Body); err != nil {
		return err
	}
	var gone []string
	err := s.update(ctx, func(tx kv.Tx) error {
		gone = nil
		var counts webCounts
		if err := load(tx, webCountsKey, &counts); err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		drop := func(id []byte) error {
			old, err := dropWeb(tx, id, &counts)
			if err == nil && old != nil {
				gone = append(gone, s.webFile(id, old.Sum))
			}
			return err
		}
		if err := drop(id); err != nil {
			return err
		}
		counts.Pages++
		counts.Bytes += r.Size
		if err := tx.Put(webAgeKey(id, r.Fetched), nil); err != nil {
			return err
		}
		if err := save(tx, webKey(id), r); err != nil {
			return err
		}
		for counts.Pages > 1 && (counts.Pages > MaxWebPages || counts.Bytes > MaxWebBytes) {
			oldest, err := oldestWeb(tx, id)
			if err != nil || oldest == nil {
				return err
			}
			if err := drop(oldest); err != nil {
				return err
			}
		}
		return save(tx, webCountsKey, counts)
	})
	for _, name := range gone {
		if name != file || err != nil {
			_ = os.Remove(name) // without its record it is nothing; a file that stays is only room
		}
	}
	if err == nil && (len(gone) > 1 || r.Fetched%sweepEvery == 0) {
		err = s.sweepWeb(ctx)
	}
	return err
}

// A body without a record is left by who was killed between the two. Now and
// then those that are not about to get one are removed.
const (
	sweepEvery = 16
	sweepAge   = 10 * time.Minute
)

func (s *Store) sweepWeb(ctx context.Context) error {
	folder := filepath.Join(s.folder, webFolder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	old := map[string]bool{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > sweepAge {
			old[filepath.Join(folder, e.Name())] = true
		}
	}
	if len(old) == 0 {
		return nil
	}
	err = s.view(ctx, func(tx kv.Tx) error {
		for item, err := range tx.Scan(kv.Range{Prefix: webSpace}) {
			if err != nil {
				return err
			}
			var r webRecord
			if err := load(tx, item.Key, &r); err != nil {
				return err
			}
			delete(old, s.webFile(item.Key[len(webSpace):], r.Sum))
		}
		return nil
	})
	for name := range old {
		if err == nil {
			_ = os.Remove(name)
		}
	}
	return err
}

// dropWeb removes the record of a page and returns it, nil when there is none.
func dropWeb(tx kv.Tx, id []byte, counts *webCounts) (*webRecord, error) {
	var old webRecord
	err := load(tx, webKey(id), &old)
	if errors.Is(err, kv.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	counts.Pages--
	counts.Bytes -= old.Size
	if err := tx.Delete(webAgeKey(id, old.Fetched)); err != nil {
		return nil, err
	}
	return &old, tx.Delete(webKey(id))
}

// oldestWeb returns the page that was fetched first, other than one.
func oldestWeb(tx kv.Tx, other []byte) ([]byte, error) {
	for item, err := range tx.Scan(kv.Range{Prefix: webAgeSpace}) {
		if err != nil {
			return nil, err
		}
		if id := item.Key[len(webAgeSpace)+8:]; !slices.Equal(id, other) {
			return slices.Clone(id), nil
		}
	}
	return nil, nil
}

// writeWebFile writes a body. It is not synced: a file that was torn does not
// have its record's sum, and is as good as none.
func writeWebFile(path string, body []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

// webAudit checks the records of the cache. Their bodies are not missed.
type webAudit struct {
	counts      webCounts
	want, found tally
}

func newWebAudit() audit {
	a := new(webAudit)
	a.want, a.found = newTallies()
	return a
}

func (a *webAudit) see(_ kv.Tx, key, value []byte) error {
	switch string(key[:2]) {
	case "wp":
		var r webRecord
		if err := json.Unmarshal(value, &r); err != nil {
			return bad("web page %x: %v", key[2:], err)
		}
		if !slices.Equal(webKey(webID(r.Key)), key) {
			return bad("web page %x: not what its key says", key[2:])
		}
		a.counts.Pages++
		a.counts.Bytes += r.Size
		a.want.add(webAgeKey(webID(r.Key), r.Fetched), nil)
	case "wt":
		a.found.add(key, value)
	}
	return nil
}

func (a *webAudit) finish(tx kv.Tx) (int, error) {
	if a.want != a.found {
		return 0, bad("the ages of web pages do not say what the pages say")
	}
	var kept webCounts
	if err := load(tx, webCountsKey, &kept); err != nil && !errors.Is(err, kv.ErrNotFound) {
		return 0, err
	}
	if kept != a.counts {
		return 0, bad("counts of web pages are %v, the pages make %v", kept, a.counts)
	}
	return a.counts.Pages, nil
}

// mendWeb forgets the cache, of which nothing is missed.
func mendWeb(ctx context.Context, s *Store) ([]Note, error) {
	return nil, s.update(ctx, func(tx kv.Tx) error {
		var keys [][]byte
		for item, err := range tx.Scan(kv.Range{Prefix: []byte("w")}) {
			if err != nil {
				return err
			}
			keys = append(keys, slices.Clone(item.Key))
		}
		for _, key := range keys {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
}
