package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"techo/export"
	"techo/internal/legible"
	"techo/tools"
)

// # Conversations
//
// ChatGPT and Claude export a list of conversations. Each statement becomes a memory of the session
// of its conversation, at the time at which it was said. What the person said is taken as it is; what
// the assistant said begins with its name, if the person wants it at all.

// turn is a message of a conversation.
type turn struct {
	role   string // user or assistant; others say nothing
	text   string
	at     time.Time
	inside bool // a thought, a call of a tool or its result, or what the person does not see
	files  int  // attached files and pictures, whose content is left out
}

// conversation is an exported conversation.
type conversation struct {
	assistant string // its name
	title, id string
	turns     []turn
	always    []export.MemoryLine // what the assistant knows in all conversations: what it was told, and has learned
}

// readConversation reads an exported conversation; ok is false for another document.
func readConversation(raw []byte) (c conversation, ok bool) {
	switch {
	case bytes.Contains(raw, []byte(`"chat_messages"`)):
		return claudeConversation(raw)
	case bytes.Contains(raw, []byte(`"mapping"`)):
		return chatGPTConversation(raw)
	}
	return c, false
}

// chatNode is a message in the tree of a conversation of ChatGPT.
type chatNode struct {
	Parent  string `json:"parent"`
	Message *struct {
		Author struct {
			Role string `json:"role"`
		} `json:"author"`
		Created   float64 `json:"create_time"`
		Recipient string  `json:"recipient"` // a tool, or all
		Content   struct {
			Type         string            `json:"content_type"`
			Parts        []json.RawMessage `json:"parts"`
			Text         string            `json:"text"` // of code
			Learned      string            `json:"model_set_context"`
			Profile      string            `json:"user_profile"`
			Instructions string            `json:"user_instructions"`
		} `json:"content"`
		Metadata struct {
			Hidden  bool `json:"is_visually_hidden_from_conversation"`
			Context struct {
				Profile      string `json:"about_user_message"`
				Instructions string `json:"about_model_message"`
			} `json:"user_context_message_data"`
		} `json:"metadata"`
	} `json:"message"`
}

// always returns what the person has told ChatGPT for all conversations, without the words that
// ChatGPT puts around it, where they are known.
func (n chatNode) always() (all []export.MemoryLine) {
	m := n.Message
	for _, text := range []string{cmp.Or(m.Metadata.Context.Profile, m.Content.Profile),
		cmp.Or(m.Metadata.Context.Instructions, m.Content.Instructions)} {
		if before, rest, ok := strings.Cut(text, "```"); ok && strings.Contains(before, "The user provided") {
			text = strings.TrimSuffix(strings.TrimSpace(rest), "```")
		}
		if !legible.Blank(text) {
			all = append(all, export.MemoryLine{FullText: text, Session: "ChatGPT"})
		}
	}
	return all
}

// learned returns what ChatGPT has learned about the person: a list with dates in brackets.
func learned(text string) []export.MemoryLine {
	all := stated(text, "ChatGPT")
	for i, one := range all {
		day, said, ok := strings.Cut(strings.TrimPrefix(one.FullText, "["), "]. ")
		if at, err := time.Parse(time.DateOnly, day); ok && err == nil && !legible.Blank(said) {
			all[i].FullText, all[i].CreatedAt = said, at.Format(time.RFC3339)
		}
	}
	return all
}

// said reads what a message says: its text, and what was spoken in it. files counts the rest.
func (n chatNode) said() (text string, files int) {
	var parts []string
	if n.Message.Content.Text != "" {
		parts = append(parts, n.Message.Content.Text)
	}
	for _, part := range n.Message.Content.Parts {
		var spoken struct {
			Type string `json:"content_type"`
			Text string `json:"text"`
		}
		var text string
		switch {
		case json.Unmarshal(part, &text) == nil:
		case json.Unmarshal(part, &spoken) == nil && spoken.Type == "audio_transcription":
			text = spoken.Text
		case spoken.Type != "audio_asset_pointer" && spoken.Type != "real_time_user_audio_video_asset_pointer":
			files++
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n"), files
}

// chatGPTConversation reads the branch of a conversation that the person saw last.
func chatGPTConversation(raw []byte) (c conversation, ok bool) {
	var in struct {
		ID      string              `json:"conversation_id"`
		OtherID string              `json:"id"`
		Title   string              `json:"title"`
		Created float64             `json:"create_time"`
		Current string              `json:"current_node"`
		Mapping map[string]chatNode `json:"mapping"`
	}
	if json.Unmarshal(raw, &in) != nil || in.Mapping == nil {
		return c, false
	}
	c = conversation{assistant: "ChatGPT", title: in.Title, id: cmp.Or(in.ID, in.OtherID)}
	for _, node := range branch(in.Mapping, in.Current) {
		m := node.Message
		if m == nil {
			continue
		}
		switch m.Content.Type {
		case "user_editable_context":
			c.tell(node.always(), m.Created, in.Created)
			continue
		case "model_editable_context":
			c.tell(learned(m.Content.Learned), m.Created, in.Created)
			continue
		}
		t := node.turn()
		if t.at.IsZero() {
			t.at = unixTime(in.Created)
		}
		c.turns = append(c.turns, t)
	}
	return c, true
}

// tell adds what the assistant knows in all conversations. Without a day it is of the time of its message, or else
// of the conversation, in seconds since 1970.
func (c *conversation) tell(all []export.MemoryLine, message, conversation float64) {
	for i := range all {
		if at := unixTime(cmp.Or(message, conversation)); all[i].CreatedAt == "" && !at.IsZero() {
			all[i].CreatedAt = at.Format(time.RFC3339Nano)
		}
	}
	c.always = append(c.always, all...)
}

// turn returns a message as a turn. What ChatGPT writes into a canvas, or wants to remember, it says to
// a tool.
func (n chatNode) turn() turn {
	m := n.Message
	t := turn{role: m.Author.Role, at: unixTime(m.Created)}
	t.text, t.files = n.said()
	switch m.Recipient {
	case "", "all":
		t.inside = m.Metadata.Hidden || m.Content.Type != "text" && m.Content.Type != "multimodal_text"
	case "canmore.create_textdoc":
		var canvas struct {
			Content string `json:"content"`
		}
		t.inside = json.Unmarshal([]byte(t.text), &canvas) != nil
		t.text = canvas.Content
	default:
		t.inside = m.Recipient != "bio"
	}
	return t
}

// branch returns the messages from the first one to the current one; without a current one all, by
// time.
func branch(nodes map[string]chatNode, current string) (all []chatNode) {
	seen := map[string]bool{}
	for id := current; !seen[id]; {
		node, ok := nodes[id]
		if !ok {
			break
		}
		seen[id] = true
		all, id = append(all, node), node.Parent
	}
	if slices.Reverse(all); len(all) > 0 {
		return all
	}
	ids := []string{}
	for id, node := range nodes {
		if node.Message != nil {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		if one, other := nodes[a].Message.Created, nodes[b].Message.Created; one != other {
			return int(math.Copysign(1, one-other))
		}
		return strings.Compare(a, b)
	})
	for _, id := range ids {
		all = append(all, nodes[id])
	}
	return all
}

// unixTime converts seconds since 1970; any other number becomes the zero time.
func unixTime(seconds float64) time.Time {
	if !(seconds > 0 && seconds < 1<<33) {
		return time.Time{}
	}
	return time.UnixMilli(int64(seconds * 1000)).UTC()
}

// session returns the session of a conversation: its title, and what tells it from others with the
// same one.
func (c *conversation) session() string {
	plain := func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}
	title := []rune(strings.TrimSpace(strings.Map(plain, c.title)))
	id := []rune(strings.TrimSpace(strings.Map(plain, c.id)))
	name := string(title[:min(len(title), 180)])
	if len(id) > 0 {
		name = strings.TrimSpace(name + " [" + string(id[:min(len(id), 8)]) + "]")
	}
	return name
}

// statements passes the statements of a conversation to use.
func (s *importSource) statements(l importLine, c conversation, use func(importLine) error) error {
	var all []export.MemoryLine
	for _, one := range c.always {
		if s.told == nil {
			s.told = map[string]bool{}
		}
		if !s.told[one.FullText] { // each conversation repeats it
			s.told[one.FullText] = true
			all = append(all, one)
		}
	}
	for _, t := range c.turns {
		said := export.MemoryLine{FullText: t.text, Session: c.session()}
		blank := legible.Blank(t.text)
		switch {
		case t.role != "user" && t.role != "assistant":
			s.leaveOut("said by neither of the two")
			continue
		case t.inside:
			s.leaveOut("a thought, a tool or a hidden text")
			continue
		case t.role == "assistant" && !s.allTurns && !blank:
			s.leaveOut("said by the assistant: see --all-turns")
			continue
		case blank && t.files == 0:
			s.leaveOut("without text")
			continue
		case t.role == "assistant":
			said.FullText = c.assistant + ": " + t.text
		}
		for range t.files {
			s.leaveOut("an attached file or a picture")
		}
		if blank {
			continue
		}
		if !t.at.IsZero() {
			said.CreatedAt = t.at.UTC().Format(time.RFC3339Nano)
		}
		all = append(all, said)
	}
	return pass(l.Number, all, use)
}

// leaveOut counts what an import leaves out.
func (s *importSource) leaveOut(why tools.Text) {
	if s.left == nil {
		s.left = map[string]int{}
	}
	s.left[s.Env.Localize(why)]++
}
