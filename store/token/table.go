package token

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"techo/store/ledger"
)

// Records is the prefix of the keys of tokens.
const Records ledger.Prefix = "tk"

// Key is the key of the token with a secret.
func Key(secret string) []byte {
	digest := sha256.Sum256([]byte(secret))
	return Records.Key(string(digest[:]))
}

// ID is the id of the token with a key. It reveals 6 bytes of the digest,
// and nothing about the secret.
func ID(key []byte) string { return "tok_" + hex.EncodeToString(ledger.Rest(key)[:6]) }

var table = &ledger.Table[Token, struct{}]{Kind: ledger.KindToken, Records: Records, Decode: DecodeToken,
	Key:    func(t *Token) []byte { return t.key },
	Encode: func(t *Token) ([]byte, error) { return ledger.Encode(recordOf(t)) },
}

// agent is the audience of a token for which none was named. The others are in audiences.
const agent = "agent"

var audiences = []string{agent, "host", "person"}

// record is a Token in the store, with the audience "" for agent.
type record struct {
	Token
	Created int64 `json:"created"`        // milliseconds since 1970
	Used    int64 `json:"used,omitempty"` // likewise; 0 means never
}

func recordOf(t *Token) record {
	r := record{*t, t.CreatedAt.UnixMilli(), 0}
	if r.Audience == agent {
		r.Audience = ""
	}
	if !t.UsedAt.IsZero() {
		r.Used = t.UsedAt.UnixMilli()
	}
	return r
}

// DecodeToken decodes the record of a token.
func DecodeToken(key, value []byte) (Token, error) {
	if len(ledger.Rest(key)) != sha256.Size {
		return Token{}, ledger.Finding(ledger.UnknownKey, ledger.KindToken, string(key), nil)
	}
	r, err := ledger.DecodeJSON[record](ledger.KindToken, ID(key), value)
	if err == nil && (!ledger.UserName(r.User) || strings.TrimSpace(r.User) == "") {
		err = ledger.Finding(ledger.Unreadable, ledger.KindToken, ID(key),
			&ledger.UserNameError{MaxBytes: ledger.MaxUserName})
	}
	if r.Audience == "" {
		r.Audience = agent
	}
	if err == nil && !slices.Contains(audiences, r.Audience) {
		err = ledger.Finding(ledger.Unreadable, ledger.KindToken, ID(key),
			fmt.Errorf("token: unknown audience %q", r.Audience))
	}
	t := r.Token
	t.ID, t.CreatedAt, t.key = ID(key), time.UnixMilli(r.Created), bytes.Clone(key)
	if r.Used != 0 {
		t.UsedAt = time.UnixMilli(r.Used)
	}
	return t, err
}

// Schema describes the keys of tokens.
func Schema() ledger.Schema { return table.Schema("tokens") }
