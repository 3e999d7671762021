// Package webcache has the web pages that were fetched.
package webcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"techo/internal/atomicfile"
	"techo/internal/private"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/ledger"
)

// Limits of the cache of web pages. The oldest pages are dropped first.
const (
	maxPages = 1000
	maxBytes = 64 << 20
)

// WebPage is a cached page. Its body is a file beside the records: pages change
// often and would slow down every reading of the write-ahead log.
type WebPage struct {
	Key         string    `json:"key"` // the requested address
	URL         string    `json:"url"` // the final address
	Redirects   []string  `json:"redirects,omitempty"`
	Status      int       `json:"status"`
	ContentType string    `json:"content_type,omitempty"`
	ETag        string    `json:"etag,omitempty"`
	Modified    string    `json:"modified,omitempty"` // Last-Modified header
	Incomplete  bool      `json:"incomplete,omitempty"`
	Private     bool      `json:"private,omitempty"` // not from the public internet
	FetchedAt   time.Time `json:"-"`
	FreshUntil  time.Time `json:"-"`
	Body        []byte    `json:"-"`
}

// webRecord is a WebPage in the store.
type webRecord struct {
	WebPage
	Fetched int64  `json:"fetched"` // milliseconds since 1970
	Fresh   int64  `json:"fresh"`
	Size    int64  `json:"size"`
	Sum     string `json:"sum"` // SHA-256 of the body, hexadecimal
}

// Counts counts the cached pages and the bytes of their bodies.
type Counts struct {
	Pages int   `json:"pages"`
	Bytes int64 `json:"bytes"`
}

const webFolder = "web"

func (r *webRecord) file() string {
	return hex.EncodeToString(ledger.Rest(webKey(r.Key))) + "-" + r.Sum[:min(16, len(r.Sum))]
}

// Pages are the cached web pages of a store.
type Pages struct{ *ledger.Ledger }

// FindWebPage returns a cached page, nil without one or without its original body.
func (s Pages) FindWebPage(ctx context.Context, key string) (*WebPage, error) {
	var r webRecord
	err := s.View(ctx, func(tx *ledger.Tx) (err error) {
		r, err = table.Load(tx, webKey(key))
		return err
	})
	if errors.Is(err, kv.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	in, err := s.web((*private.Folder).Folder)
	if err != nil {
		return nil, nil // no cache yet
	}
	defer in.Close()
	body, err := in.ReadFile(r.file(), r.Size)
	if sum := sha256.Sum256(body); err != nil || hex.EncodeToString(sum[:]) != r.Sum {
		return nil, nil // damaged: counts as not cached
	}
	p := r.WebPage
	p.Redirects = append([]string{}, r.Redirects...)
	p.FetchedAt, p.FreshUntil, p.Body = time.UnixMilli(r.Fetched), time.UnixMilli(r.Fresh), body
	return &p, nil
}

// PutWebPage caches a page, replaces an older version of it, and drops the oldest
// pages beyond the limits. A store without a folder caches no pages.
func (s Pages) PutWebPage(ctx context.Context, p WebPage) error {
	sum := sha256.Sum256(p.Body)
	r := webRecord{p, p.FetchedAt.UnixMilli(), p.FreshUntil.UnixMilli(), int64(len(p.Body)), hex.EncodeToString(sum[:])}
	in, err := s.web((*private.Folder).MakeFolder)
	if errors.As(err, new(*ledger.NoFeatureError)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	defer in.Close()
	file := r.file()
	// No flush: a body that a crash cut short fails the check of its sum.
	o := atomicfile.Options{Prefix: disk.CacheTempPrefix, NoSync: true}
	if err := atomicfile.Write(in.Root(), file, p.Body, o); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	gone, err := s.putWebRecord(ctx, r)
	for _, name := range gone {
		if name != file || err != nil {
			_ = in.Remove(name) // best effort: a file without a record only takes space
		}
	}
	if err == nil && (len(gone) > 1 || r.Fetched%sweepEvery == 0) {
		err = s.sweepWeb(ctx, in)
	}
	return err
}

// putWebRecord writes the record of a page, drops records beyond the limits and
// returns the files of their bodies.
func (s Pages) putWebRecord(ctx context.Context, r webRecord) (gone []string, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		gone = nil
		return table.Change(tx, func(b *ledger.Batch[webRecord, Counts]) error {
			old, err := table.Load(tx, webKey(r.Key))
			if err == nil {
				gone = append(gone, old.file())
				err = b.Put(&old, &r)
			} else if errors.Is(err, kv.ErrNotFound) {
				err = b.Put(nil, &r)
			}
			for err == nil && b.Counts.Pages > 1 && (b.Counts.Pages > maxPages || b.Counts.Bytes > maxBytes) {
				oldest, err := oldestWeb(tx, webKey(r.Key))
				if err != nil || oldest == nil {
					return err
				}
				gone = append(gone, oldest.file())
				if err := b.Put(oldest, nil); err != nil {
					return err
				}
			}
			return err
		})
	})
	return gone, err
}

// A process that is killed between writing a body and its record leaves the body.
// sweepWeb removes such bodies once they are old enough.
const (
	sweepEvery = 16
	sweepAge   = 10 * time.Minute
)

func (s Pages) sweepWeb(ctx context.Context, in *private.Folder) error {
	entries, err := in.Entries()
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	old := map[string]bool{}
	for _, e := range entries {
		if !e.Type().IsRegular() || !disk.IsCacheName(e.Name()) {
			continue // not a file of the cache
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > sweepAge {
			old[e.Name()] = true
		}
	}
	if len(old) == 0 {
		return nil
	}
	err = s.View(ctx, func(tx *ledger.Tx) error {
		for r, err := range table.Scan(tx, kv.Range{Prefix: records.All()}) {
			if err != nil {
				return err
			}
			delete(old, r.file())
		}
		return nil
	})
	for name := range old {
		if err == nil {
			_ = in.Remove(name)
		}
	}
	return err
}

// oldestWeb returns the page that was fetched first, except the one with a key. It returns nil
// without one.
func oldestWeb(tx *ledger.Tx, except []byte) (*webRecord, error) {
	for item, err := range tx.Scan(kv.Range{Prefix: ages.All()}) {
		if err != nil {
			return nil, err
		}
		if key := records.Key(string(ledger.Rest(item.Key)[8:])); !slices.Equal(key, except) {
			oldest, err := table.Load(tx, key)
			return &oldest, err
		}
	}
	return nil, nil
}

// web returns the folder of bodies as enter finds it in the folder of the store.
func (s Pages) web(enter func(*private.Folder, string) (*private.Folder, error)) (*private.Folder, error) {
	folder, err := s.Ledger.Folder()
	if err != nil {
		return nil, err
	}
	around, err := private.OpenFolder(folder)
	if err != nil {
		return nil, err
	}
	defer around.Close()
	return enter(around, webFolder)
}
