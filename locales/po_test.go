package locales_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parse reads a PO file (gettext manual, "The Format of PO Files"): comments,
// msgid, msgstr and continued strings. Contexts and plural forms are errors,
// since techo's texts have neither. Obsolete entries (#~) are comments. The
// header, whose msgid is empty, is left out.
func parse(po string) (map[string]string, error) {
	messages := map[string]string{}
	p := poParser{messages: messages}
	for number := 1; po != ""; number++ {
		line, rest, _ := strings.Cut(po, "\n")
		po = rest
		if err := p.line(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	delete(messages, "")
	return messages, nil
}

// poParser holds the entry that is being read.
type poParser struct {
	messages  map[string]string
	id, text  string
	hasID     bool
	hasText   bool
	inMessage bool // the last keyword was msgstr
}

func (p *poParser) line(line string) error {
	switch {
	case line == "" || line[0] == '#':
		return nil
	case strings.HasPrefix(line, "msgid "):
		if err := p.finish(); err != nil {
			return err
		}
		id, err := unquote(line[len("msgid "):])
		p.id, p.hasID, p.inMessage = id, true, false
		return err
	case strings.HasPrefix(line, "msgstr "):
		if !p.hasID || p.hasText {
			return errors.New("msgstr without msgid")
		}
		text, err := unquote(line[len("msgstr "):])
		p.text, p.hasText, p.inMessage = text, true, true
		return err
	case line[0] == '"' && p.hasID:
		more, err := unquote(line)
		if p.inMessage {
			p.text += more
		} else {
			p.id += more
		}
		return err
	}
	return fmt.Errorf("unknown line: %.40q", line)
}

// finish stores the entry that was read last.
func (p *poParser) finish() error {
	if !p.hasID {
		return nil
	}
	if !p.hasText {
		return fmt.Errorf("msgid %.40q has no msgstr", p.id)
	}
	if _, twice := p.messages[p.id]; twice {
		return fmt.Errorf("msgid %.40q appears twice", p.id)
	}
	p.messages[p.id] = p.text
	*p = poParser{messages: p.messages}
	return nil
}

// unquote returns the text of a quoted string. Most have no escapes and are
// returned without a copy.
func unquote(quoted string) (string, error) {
	quoted = strings.TrimSpace(quoted)
	if len(quoted) < 2 || quoted[0] != '"' || quoted[len(quoted)-1] != '"' {
		return "", fmt.Errorf("not a quoted string: %.40q", quoted)
	}
	inner := quoted[1 : len(quoted)-1]
	if !strings.ContainsAny(inner, `\"`) {
		return inner, nil
	}
	return strconv.Unquote(quoted)
}
