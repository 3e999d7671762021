package hook

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"techo/commands/transcript"
	"techo/tools/memory"
)

const maxKept = 4000

// keptRequests is how long the requests of a session are kept.
const keptRequests = 30 * 24 * time.Hour

// compact keeps the person's latest requests, and asks for a good summary.
func (c *call) compact(dry bool) (added Added) {
	env := c.run.Env()
	if !dry && c.client != "gemini" { // which runs this hook before each message: see snapshot
		c.keepRequests()
		if !c.tellsCompaction() {
			c.seen.forget()
		}
	}
	added.document = "{}\n"
	if c.client == "claude" { // the others have no place for it
		added.Text = env.Localize("Keep in the summary: open tasks and questions with their ids, decisions and " +
			"their reasons, promises and dates, and the ids of memos, memories and events that were used.")
		added.document = added.Text + "\n"
		added.Items = []Item{{ID: "summary", Why: env.Localize("what the summary should keep")}}
	}
	added.Message = env.Localize("Notes added: %d, left out: %d", len(added.Items), 0)
	return added
}

// tellsCompaction reports whether the client runs the start hook after a compaction, and
// says so.
func (c *call) tellsCompaction() bool { return c.client == "claude" || c.client == "codex" }

// snapshot looks for a compaction by Gemini CLI, which tells it to no hook. Notes that
// the session has lost may come again.
func (c *call) snapshot() {
	mark, live := transcript.Snapshot(c.given.Transcript)
	if mark == "" || c.seen.has(mark) {
		return
	}
	c.keepRequests()
	c.seen.forgetAbsent(live)
	c.seen.add(mark)
}

// keepRequests keeps what the person asked for in the session as a memory.
func (c *call) keepRequests() {
	id := c.given.session()
	requests, err := transcript.Requests(c.given.Transcript, maxKept, c.run.Options.Secrets.Own...)
	if id == "" || err != nil || len(requests) == 0 {
		return
	}
	env := c.run.Env()
	text := env.Localize("## What the person asked for in this session") + "\n- " + strings.Join(requests, "\n- ")
	c.tool(memory.Add, map[string]any{
		"full_text": text, "caption": env.Localize("Requests of the session %s", id), "session": id,
		"topic": requestsTopic(id), "source": "message:" + id,
		"expires_at": env.Now().Add(keptRequests).Format(time.RFC3339),
	}, &struct{}{})
}

func requestsTopic(session string) string { return "session " + session }

// requests returns the requests that were kept of a session that continues, the latest
// first.
func (c *call) requests() (s section) {
	id := c.given.session()
	if id == "" || c.given.Source != "compact" && c.given.Source != "resume" {
		return s
	}
	var found memory.ListOut
	if !c.tool(memory.List, map[string]any{"topic": requestsTopic(id), "limit": 1}, &found) ||
		len(found.Memories) == 0 {
		return s
	}
	var kept struct {
		Memory memory.Detail `json:"memory"`
	}
	c.tool(memory.Get, map[string]any{"id": found.Memories[0].ID}, &kept)
	lines := strings.Split(kept.Memory.FullText, "\n- ")
	s = section{title: lines[0], show: "techo memory get " + kept.Memory.ID, total: len(lines) - 1, order: reversed}
	c.seen.add(versionOf(kept.Memory.ID, kept.Memory.UpdatedAt))
	size := 0
	for _, line := range slices.Backward(lines[1:]) {
		line = cutLine(line)
		if size += len(line); size > maxRequests {
			break
		}
		s.notes = append(s.notes, note{id: kept.Memory.ID, key: fmt.Sprintf("%x", sha256.Sum256([]byte(line)))[:16],
			why: c.run.Env().Localize("what the person asked for"), line: line})
	}
	return s
}

func reversed(lines []string) []string {
	slices.Reverse(lines)
	return lines
}
