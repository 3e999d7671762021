package pdftext

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"techo/internal/private"
)

// MaxMemory is the memory in bytes that PDFium may take for one file.
const MaxMemory = 128 << 20

const (
	pageOfMemory = 64 << 10 // bytes of a page of WebAssembly
	atOnce       = 4        // files
	workers      = 2        // that compile; each takes about 70 MB
)

// engine is PDFium, compiled for this machine. A process compiles it once, or reads what an
// earlier process has left in the cache folder.
type engine struct {
	mu      sync.Mutex
	pool    pdfium.Pool
	started chan struct{} // closed when the start that runs ends; nil without one
	err     error
}

var shared engine

// acquire returns PDFium with memory of its own. The start of the first one takes a second or
// two, and goes on for the next caller if ctx ends meanwhile.
func (e *engine) acquire(ctx context.Context, o Options) (pdfium.Pdfium, error) {
	for {
		e.mu.Lock()
		if e.pool != nil {
			pool := e.pool
			e.mu.Unlock()
			return pool.GetInstanceWithContext(ctx)
		}
		if e.started == nil {
			done := make(chan struct{})
			e.started, e.err = done, nil
			go e.start(o.Cache, done)
		}
		started := e.started
		e.mu.Unlock()
		if err := wait(ctx, started, o.Starting); err != nil {
			return nil, err
		}
		e.mu.Lock()
		err := e.err
		e.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
}

// wait waits for a start, and calls starting from time to time if it takes long.
func wait(ctx context.Context, started chan struct{}, starting func()) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-started:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
			if starting != nil {
				starting()
			}
		}
	}
}

func (e *engine) start(cache string, done chan struct{}) {
	pool, err := compile(cache)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pool, e.err, e.started = pool, err, nil
	close(done)
}

// compile makes PDFium ready to run. It gets no files, no network, and no environment.
func compile(cache string) (pdfium.Pool, error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(MaxMemory / pageOfMemory).WithCloseOnContextDone(true).
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling)
	if cache = trusted(cache); cache != "" {
		if kept, err := wazero.NewCompilationCacheWithDir(cache); err == nil {
			config = config.WithCompilationCache(kept)
		}
	}
	ctx := experimental.WithCompilationWorkers(context.Background(), min(workers, runtime.NumCPU()))
	ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(reserve))
	return webassembly.Init(webassembly.Config{Context: ctx, MaxTotal: atOnce, RuntimeConfig: config,
		FSConfig: wazero.NewFSConfig(), Stdout: io.Discard, Stderr: io.Discard})
}

// memory is that of a module. It is reserved at once and grows in place: grown by copies, it would be there several
// times until the copies are collected.
type memory []byte

func reserve(_, most uint64) experimental.LinearMemory {
	m := make(memory, 0, min(most, MaxMemory))
	return &m
}

// Reallocate returns the memory with another size, nil if that is more than was reserved.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(cap(*m)) {
		return nil
	}
	*m = (*m)[:size]
	return *m
}

func (m *memory) Free() { *m = nil }

// trusted returns the folder for compiled code, made if it is missing, or "" if somebody else
// could put code there.
func trusted(folder string) string {
	if folder == "" || os.MkdirAll(folder, 0o700) != nil {
		return ""
	}
	cache, err := private.OpenFolderItself(folder)
	if err != nil {
		return ""
	}
	defer cache.Close()
	code, err := cache.MakeFolder("pdfium")
	if err != nil {
		return ""
	}
	code.Close()
	return filepath.Join(folder, "pdfium")
}

type file struct {
	pdfium.Pdfium
	document references.FPDF_DOCUMENT
	form     *references.FPDF_FORMHANDLE // of the fields, once one was met
}

// open opens a PDF. It repairs one whose table of objects cannot be found.
func open(p pdfium.Pdfium, body []byte) (*file, int, error) {
	f, pages, err := openWhole(p, body)
	if !errors.Is(err, ErrDamaged) {
		return f, pages, err
	}
	for _, repaired := range repairs(body) {
		if f, pages, again := openWhole(p, repaired); again == nil && pages > 0 {
			return f, pages, nil
		}
	}
	return nil, 0, err
}

func openWhole(p pdfium.Pdfium, body []byte) (*file, int, error) {
	opened, err := p.OpenDocument(&requests.OpenDocument{File: &body})
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return nil, 0, ErrEncrypted
	case errors.Is(err, pdfiumerrors.ErrFormat), errors.Is(err, pdfiumerrors.ErrFile),
		errors.Is(err, pdfiumerrors.ErrUnknown):
		return nil, 0, ErrDamaged
	case err != nil:
		return nil, 0, err
	}
	f := &file{Pdfium: p, document: opened.Document}
	pages, err := p.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: f.document})
	if err != nil {
		return nil, 0, err
	}
	if pages.PageCount == 0 {
		return nil, 0, ErrDamaged
	}
	return f, pages.PageCount, nil
}
