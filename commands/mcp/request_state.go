package mcp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// sealState returns the request state of a question. The client sends it back with
// the person's answer. It is signed for one caller and one user, so that no other
// client can use it.
func (a *adapter) sealState(q askState, identity string) string {
	b, err := json.Marshal(q)
	if err != nil {
		panic(err) // strings and a number
	}
	return hex.EncodeToString(a.sign(b, identity)) + "." + string(b)
}

// openState reads a request state. ok is false if this server did not sign it for
// the identity.
func (a *adapter) openState(state, identity string) (q askState, ok bool) {
	signature, b, _ := strings.Cut(state, ".")
	given, err := hex.DecodeString(signature)
	if err != nil || state == "" || !hmac.Equal(given, a.sign([]byte(b), identity)) {
		return q, false
	}
	return q, json.Unmarshal([]byte(b), &q) == nil
}

// sign returns the HMAC of a state and an identity. The length of the identity
// comes first, so that no other pair has the same bytes.
func (a *adapter) sign(state []byte, identity string) []byte {
	h := hmac.New(sha256.New, a.secret)
	h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(identity))))
	h.Write([]byte(identity))
	h.Write(state)
	return h.Sum(nil)
}
