package memory

import (
	"encoding/json"
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/store/ledger"
)

// Portable returns a memory in the form that is equal in all stores: without its numbers in indexes,
// but with its place among memories of one time.
func Portable(value []byte) ([]byte, error) {
	var r Record
	if err := json.Unmarshal(value, &r); err != nil {
		return nil, err
	}
	r.Order, r.Text, r.Group = r.order()+1, 0, min(r.Group, 1) // a memory of a session has a group
	return ledger.Encode(r)
}

// The beginnings of claims.
const (
	textClaim  = "text "
	topicClaim = "topic "
)

// Claims returns what only one memory of a user can have: its text, and its topic.
func Claims(value []byte) (all []string) {
	var r Record
	if json.Unmarshal(value, &r) != nil {
		return nil
	}
	all = append(all, textClaim+string(TextDigest(norm.NFC.String(r.User), r.Full)))
	if r.Topic != "" {
		all = append(all, topicClaim+r.scope()+" "+sameTopic(r.Topic))
	}
	return all
}

// Claimant returns the id of the memory that has what a claim says, or "".
func Claimant(tx *ledger.Tx, owner, claim string) (string, error) {
	u, err := LoadUser(tx, owner, false)
	if err != nil || u.Number == 0 {
		return "", err
	}
	if digest, ok := strings.CutPrefix(claim, textClaim); ok {
		id := IdOfText([]byte(digest))
		r, err := loadMemory(tx, u.Number, id)
		if err == nil && string(TextDigest(u.Name, r.Full)) == digest {
			return id, nil
		}
		if err := ledger.IgnoreMissing(err); err != nil {
			return "", err
		}
		other, err := tx.Get(memoryTextKey(u.Number, []byte(digest)))
		return string(other), ledger.IgnoreMissing(err)
	}
	scope, topic, _ := strings.Cut(strings.TrimPrefix(claim, topicClaim), " ")
	return topicHolder(tx, u.Number, scope, topic)
}

// Yield returns a memory without its topic, which a later one has. Of two with one text only one is
// there: the result is nil.
func Yield(value []byte, claim string) ([]byte, error) {
	if strings.HasPrefix(claim, textClaim) {
		return nil, nil
	}
	var r Record
	if err := json.Unmarshal(value, &r); err != nil {
		return nil, err
	}
	r.Topic = ""
	return ledger.Encode(r)
}
