package run

import (
	"strconv"
	"strings"

	"techo/internal/dates"
	"techo/tools/calendar/backend"
)

// maxBuffer limits the minutes around an event, as the field of cal suggest does.
const maxBuffer = 480

// work reads the settings for suggested times.
func (p *parser) work() (w backend.WorkingHours) {
	if text, source := p.get("working-hours"); text != "" || source == "--working-hours" {
		from, to, _ := strings.Cut(text, "-")
		var ok1, ok2 bool
		w.From, ok1 = dates.Clock(from)
		w.To, ok2 = dates.Clock(to)
		if !ok1 || !ok2 || w.From == w.To {
			p.refuse("working-hours", source, "must be hours such as 09:00-17:30, not %q", text)
			w.From, w.To = 0, 0
		}
	}
	text, source := p.get("event-buffer")
	if text == "" && source != "--event-buffer" {
		return w
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxBuffer {
		p.refuse("event-buffer", source, "must be a whole number from 0 to %d, not %q", maxBuffer, text)
		return w
	}
	w.Buffer = n
	return w
}
