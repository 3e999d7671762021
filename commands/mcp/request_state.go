package mcp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// Sealed returns the request state of a question. The client sends it back with
// the person's answer. It is signed for one caller and one user, so that no
// other client can use it.
func (f *Face) Sealed(q Asked, identity string) string {
	b, err := json.Marshal(q)
	if err != nil {
		panic(err) // strings and a number
	}
	return hex.EncodeToString(f.sign(b, identity)) + "." + string(b)
}

// Opened reads a request state. ok is false if this server did not sign it for
// the identity.
func (f *Face) Opened(state, identity string) (q Asked, ok bool) {
	signature, b, _ := strings.Cut(state, ".")
	given, err := hex.DecodeString(signature)
	if err != nil || state == "" || !hmac.Equal(given, f.sign([]byte(b), identity)) {
		return q, false
	}
	return q, json.Unmarshal([]byte(b), &q) == nil
}

// sign returns the HMAC of a state and an identity. The length of the identity
// comes first, so that no other pair has the same bytes.
func (f *Face) sign(state []byte, identity string) []byte {
	h := hmac.New(sha256.New, f.Secret)
	h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(identity))))
	h.Write([]byte(identity))
	h.Write(state)
	return h.Sum(nil)
}
