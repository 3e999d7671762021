package store

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"techo/internal/atomicfile"
	"techo/internal/private"
)

// Secret is a PIN or passphrase of the person. Its hash is in a file of techo's state, which
// no store and so no backup contains, with the number of wrong attempts.
type Secret struct {
	state string
	now   func() time.Time
	kib   uint32 // of memory for a new hash
}

// SecretIn returns the secret below a folder of state, such as ~/.local/state. The clock
// decides when the next attempt counts.
func SecretIn(state string, now func() time.Time) *Secret { return &Secret{state, now, SecretKiB} }

// SecretKiB is the memory for a new hash. Tests of commands lower it, since the default takes a tenth
// of a second.
var SecretKiB uint32 = 64 << 10

// MinSecret is the least length of a secret, in characters.
const MinSecret = 6

const (
	secretFile      = "answer-secret.json"
	secretLock      = "answer-secret.lock"
	suggestedFile   = "answer-secret.suggested-" // and by what
	maxSecretRecord = 4 << 10
)

// secretRecord is the hash of a secret by Argon2id, and the wrong attempts since the last right
// one.
type secretRecord struct {
	Salt   []byte `json:"salt"`
	Hash   []byte `json:"hash"`
	Passes uint32 `json:"passes"`
	KiB    uint32 `json:"kib"`
	Wrong  int    `json:"wrong"`
	Next   int64  `json:"next"` // before this time no attempt counts, in milliseconds since 1970
}

func (r secretRecord) of(text string) []byte {
	return argon2.IDKey([]byte(norm.NFKC.String(text)), r.Salt, r.Passes, r.KiB, 1, 32)
}

// WrongSecretError reports a wrong secret, and one that came before the next attempt counts.
type WrongSecretError struct {
	Early bool // it was not compared
	Wait  time.Duration
	Next  time.Time
}

func (e *WrongSecretError) Error() string {
	return fmt.Sprintf("secret: wrong; the next attempt counts at %s", e.Next.Format(time.RFC3339))
}

// Delays between attempts: none after the first ones, then each is twice the one before.
const (
	freeAttempts = 3
	maxDelay     = 15 * time.Minute
)

// secretDelay returns how long no attempt counts after a number of wrong ones.
func secretDelay(wrong int) time.Duration {
	switch n := wrong - freeAttempts; {
	case n < 0:
		return 0
	case n < 10:
		return min(time.Second<<n, maxDelay)
	}
	return maxDelay
}

// IsSet reports whether the person has a secret. A file that cannot be used is an error.
func (s *Secret) IsSet() (bool, error) {
	version, err := s.Version()
	return version != "", err
}

// Version returns a text that is another one after each change of the secret, "" without one.
func (s *Secret) Version() (string, error) {
	r, err := s.read()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return "", nil
	}
	return hex.EncodeToString(r.Hash), err
}

// ErrSecretChanged reports that the secret was set, changed or removed meanwhile.
var ErrSecretChanged = errors.New("secret: changed meanwhile")

// lockVersion locks the secret if it still has a version.
func (s *Secret) lockVersion(version string) (unlock func(), err error) {
	unlock, err = s.lock()
	if err != nil {
		return nil, err
	}
	now, err := s.Version()
	if err == nil && now != version {
		err = ErrSecretChanged
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// Check returns nil for the right secret and a WrongSecretError for another one. The attempt is
// counted before it is compared, so that it counts if the process is killed.
func (s *Secret) Check(text string) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	r, err := s.read()
	if err != nil {
		return err
	}
	now := s.now()
	next := time.UnixMilli(r.Next)
	if next.After(now.Add(maxDelay)) { // the clock was set back
		next = now.Add(maxDelay)
		r.Next = next.UnixMilli()
		if err := s.write(r); err != nil {
			return err
		}
	}
	if now.Before(next) {
		return &WrongSecretError{true, next.Sub(now), next}
	}
	r.Wrong++
	next = now.Add(secretDelay(r.Wrong))
	r.Next = next.UnixMilli()
	if err := s.write(r); err != nil {
		return err
	}
	if subtle.ConstantTimeCompare(r.of(text), r.Hash) != 1 {
		return &WrongSecretError{false, next.Sub(now), next}
	}
	r.Wrong, r.Next = 0, 0
	return s.write(r)
}

// Set replaces the secret, which still has the version that it had when the caller began to
// check it; otherwise it fails with ErrSecretChanged.
func (s *Secret) Set(text, version string) error {
	unlock, err := s.lockVersion(version)
	if err != nil {
		return err
	}
	defer unlock()
	r := secretRecord{Salt: make([]byte, 16), Passes: 3, KiB: s.kib}
	_, _ = rand.Read(r.Salt) // never fails
	r.Hash = r.of(text)
	return s.write(r)
}

// Remove removes the secret, which still has a version, like Set.
func (s *Secret) Remove(version string) error {
	unlock, err := s.lockVersion(version)
	if err != nil {
		return err
	}
	defer unlock()
	folder, err := s.folder()
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Remove(secretFile)
}

// Suggest reports whether a part of the program should suggest a secret: none is set, and the
// part has not suggested one yet. It notes that the part does so now.
func (s *Secret) Suggest(part string) bool {
	if set, err := s.IsSet(); set || err != nil {
		return false
	}
	folder, err := s.folder()
	if err != nil {
		return false
	}
	defer folder.Close()
	mark, err := folder.Open(suggestedFile+part, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return false
	}
	return mark.Close() == nil
}

func (s *Secret) read() (r secretRecord, err error) {
	folder, err := private.OpenFolder(filepath.Join(s.state, stateFolder))
	if err != nil {
		return r, err
	}
	defer folder.Close()
	b, err := folder.ReadSecret(secretFile, maxSecretRecord)
	if err != nil {
		return r, err
	}
	err = json.Unmarshal(b, &r)
	if err == nil && (len(r.Salt) == 0 || len(r.Hash) != 32 || r.Passes == 0 || r.KiB == 0 || r.KiB > 1<<20) {
		err = errors.New("no hash of a secret")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", filepath.Join(folder.Path(), secretFile), err)
	}
	return r, err
}

func (s *Secret) write(r secretRecord) error {
	folder, err := s.folder()
	if err != nil {
		return err
	}
	defer folder.Close()
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return atomicfile.Write(folder.Root(), secretFile, append(b, '\n'), atomicfile.Options{})
}

// folder opens the folder of the state, and creates it if needed.
func (s *Secret) folder() (*private.Folder, error) { return makeState(s.state) }

// lock lets one process at a time attempt a secret, so that parallel attempts are counted.
func (s *Secret) lock() (unlock func(), err error) {
	folder, err := s.folder()
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return lockedfile.MutexAt(filepath.Join(folder.Path(), secretLock)).Lock()
}
