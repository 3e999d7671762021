package tables

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/store/memory"
)

// # LoCoMo
//
// A file is a list of conversations with their questions. A conversation has the
// names of its speakers, session_N and session_N_date_time; some sessions have a
// date but no turns. A turn has a speaker, a dia_id ("D", session, colon, number) and
// a text; a turn with an image also has img_url, blip_caption and query. A question
// has an answer (a text or a number) or an adversarial_answer, a category, and the
// ids of turns as evidence. Some ids are not spelled like the ids of turns ("D:11:26",
// "D30:05", "D8:6; D9:17"), and some evidence has no id.

// conversation is a conversation of LoCoMo.
type conversation struct {
	Conversation map[string]json.RawMessage `json:"conversation"`
	QA           []struct {
		Question string   `json:"question"`
		Evidence []string `json:"evidence"`
	} `json:"qa"`
}

// turn is a turn of a conversation.
type turn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
	Caption string `json:"blip_caption"`
	Query   string `json:"query"`
}

// Reasons for not asking a question.
const (
	noEvidence = "which name no evidence"
	noSuchTurn = "whose evidence is no turn"
)

// readLocomo reads conversations: each turn with its speaker, date, text and the
// caption of its image, and the questions that have evidence.
func readLocomo(text []byte, all *[]corpus) error {
	var conversations []conversation
	if err := json.Unmarshal(text, &conversations); err != nil {
		return err
	}
	place := regexp.MustCompile(`D:?0*(\d+):0*(\d+)`)
	for i, v := range conversations {
		c := corpus{sessions: map[string]string{}, skipped: map[string]int{}}
		for _, n := range v.sessions() {
			if err := c.session(v, n, place); err != nil {
				return fmt.Errorf("conversation %d: session %d: %w", i, n, err)
			}
		}
		for _, q := range v.QA {
			var answer []string
			for _, e := range place.FindAllStringSubmatch(strings.Join(q.Evidence, " "), -1) {
				if name := "D" + e[1] + ":" + e[2]; slices.Contains(c.names, name) && !slices.Contains(answer, name) {
					answer = append(answer, name)
				}
			}
			switch {
			case len(q.Evidence) == 0:
				c.skipped[noEvidence]++
			case len(answer) == 0:
				c.skipped[noSuchTurn]++
			default:
				c.questions = append(c.questions, question{q.Question, answer})
			}
		}
		*all = append(*all, c)
	}
	return nil
}

// sessions returns the numbers of the sessions that have turns.
func (v conversation) sessions() (numbers []int) {
	for name := range maps.Keys(v.Conversation) {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "session_")); err == nil &&
			name == fmt.Sprint("session_", n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// session adds the turns of a session.
func (c *corpus) session(v conversation, n int, place *regexp.Regexp) error {
	name := fmt.Sprint("session_", n)
	var turns []turn
	if err := json.Unmarshal(v.Conversation[name], &turns); err != nil {
		return err
	}
	var date string
	if raw := v.Conversation[name+"_date_time"]; raw != nil {
		if err := json.Unmarshal(raw, &date); err != nil {
			return err
		}
	}
	began, err := time.Parse("3:04 pm on 2 January, 2006", date)
	if err != nil {
		began = time.Unix(int64(n)*86400, 0) // in the order of the sessions
	}
	for i, t := range turns {
		if about := strings.TrimSpace(t.Caption + " " + t.Query); about != "" {
			t.Text += " [" + about + "]"
		}
		id := t.ID
		if p := place.FindStringSubmatch(id); p != nil {
			id = "D" + p[1] + ":" + p[2]
		}
		c.names, c.sessions[id] = append(c.names, id), name
		c.memories = append(c.memories, memory.Memory{
			FullText: fmt.Sprintf("%s (%s): %s", t.Speaker, cmp.Or(date, "no date"), t.Text),
			Session:  name, CreatedAt: began.Add(time.Duration(i) * time.Second),
		})
	}
	return nil
}
