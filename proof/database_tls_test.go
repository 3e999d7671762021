package proof

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"techo/internal/postgres"
)

// authority issues certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	file        string // has the certificate
}

// issue returns a certificate and its key in the form PEM. With by nil it is a new
// authority's own.
func issue(t *testing.T, by *authority, host string, until time.Time) (a authority, certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), NotAfter: until,
		NotBefore: time.Now().Add(-48 * time.Hour), Subject: pkix.Name{CommonName: "techo test " + host}}
	parent, signer := template, private
	if by == nil {
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	} else {
		template.DNSNames, parent, signer = []string{host}, by.certificate, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &private.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	key = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	a = authority{template, private, filepath.Join(t.TempDir(), "ca.pem")}
	if a.certificate, err = x509.ParseCertificate(der); err == nil {
		err = os.WriteFile(a.file, certificate, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a, certificate, key
}

// secure returns the address of a store in a database that is reached with TLS.
func secure(s *postgres.Server, host, mode, file string) string {
	address := fmt.Sprintf("postgres://%s@%s:%d/%s?namespace=tls&sslmode=%s", postgres.User, host, s.Port,
		postgres.User, mode)
	if file != "" {
		address += "&sslrootcert=" + file
	}
	return address
}

// TestDatabaseTLS connects to a server with the right certificate, another one, none, and
// one for another host.
func TestDatabaseTLS(t *testing.T) {
	s := startDatabase(t)
	migrated(t, s.Address("tls"))
	next := time.Now().Add(48 * time.Hour)
	right, _, _ := issue(t, nil, "", next)
	wrong, _, _ := issue(t, nil, "", next)
	refused := func(address string, says ...string) {
		t.Helper()
		says = append(says, "There is no secure connection to the database")
		wantRefused(t, techo(t, address, "memo", "list"), refusal{"unavailable", false, says})
	}
	refused(secure(s, "localhost", "verify-full", right.file), "server refused TLS connection")

	_, certificate, key := issue(t, &right, "localhost", next)
	if err := s.Encrypt(certificate, key); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"verify-full", "verify-ca", "require"} {
		mustTecho(t, secure(s, "localhost", mode, right.file), "memo", "list")
		refused(secure(s, "localhost", mode, wrong.file), "unknown authority", "sslrootcert=FILE")
	}
	refused(secure(s, "localhost", "verify-full", ""), "unknown authority")
	refused(secure(s, "127.0.0.1", "verify-full", right.file), "127.0.0.1", "valid for the host")
	mustTecho(t, secure(s, "127.0.0.1", "verify-ca", right.file), "memo", "list")
	missing := filepath.Join(t.TempDir(), "missing.pem")
	wantRefused(t, techo(t, secure(s, "localhost", "verify-full", missing), "memo", "list"),
		refusal{"invalid_input", false, []string{"This is not the address of a store", "missing.pem",
			"no such file"}})

	_, certificate, key = issue(t, &right, "localhost", time.Now().Add(-time.Hour))
	if err := s.Encrypt(certificate, key); err != nil {
		t.Fatal(err)
	}
	refused(secure(s, "localhost", "verify-full", right.file), "expired")
}
