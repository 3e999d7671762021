package browser

import (
	"context"
	_ "embed"
	"time"
)

// The window of a page, in CSS pixels. Few articles are longer, so that most texts that wait
// until they are seen come at once.
const (
	windowWidth  = 1280
	windowHeight = 4000
	tallest      = 20000
	maxScrolls   = 10
)

func window(height int) args {
	return args{"width": windowWidth, "height": height, "deviceScaleFactor": 1, "mobile": false}
}

// scrollScript scrolls the page, and the boxes in it that fill the window, by nearly a window.
// It returns whether anything moved. A page that fits hears of a scroll as well: a person's
// window is smaller.
//
//go:embed scroll.js
var scrollScript string

// scroll goes down a page that is longer than the window, for texts that come when they are
// seen. Then it makes the window longer, for lists that take away what is not seen. It returns
// false if the page goes on without end.
func (t *tab) scroll(ctx context.Context) bool {
	long, grown := false, true
	for n := 0; n < maxScrolls; n++ {
		before := t.size(ctx)
		var moved bool
		if t.evaluate(ctx, scrollScript, &moved) != nil {
			return false
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return false
		}
		if grown = t.loads() || t.size(ctx) != before; grown && !t.await(ctx) {
			return false
		}
		if long = long || moved; !moved && !grown {
			break
		}
	}
	return (!long || t.stretch(ctx)) && !grown
}

// stretch makes the window as long as the page, at its beginning, and waits.
func (t *tab) stretch(ctx context.Context) bool {
	var height int
	if t.evaluate(ctx, stretchScript, &height) != nil {
		return false
	}
	err := t.link.call(ctx, t.session, "Emulation.setDeviceMetricsOverride", window(min(height, tallest)), nil)
	return err == nil && t.await(ctx)
}

// stretchScript goes to the beginning of the page, and returns its height.
const stretchScript = `scrollTo({ top: 0, behavior: "instant" });
Math.ceil(Math.max(innerHeight, ...[...document.querySelectorAll("*")].map((e) => e.scrollHeight)))`

// size returns a text that changes with the page, or "".
func (t *tab) size(ctx context.Context) (size string) {
	_ = t.evaluate(ctx, sizeScript, &size)
	return size
}

// loads reports whether requests run.
func (t *tab) loads() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.running) > 0
}
