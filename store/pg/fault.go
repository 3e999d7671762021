package pg

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/store/kv"
)

// fault is the class of a failure of the server or the connection.
type fault int

const (
	faultFinal    fault = iota // another attempt fails as well
	faultConflict              // the database ended the transaction for another one: run it again
	faultLost                  // the connection or the server is gone: connect again
)

// explain returns the class of an error of the protocol, and the error for callers.
func explain(server string, err error) (fault, error) {
	if errors.Is(err, errNextBatch) || errors.Is(err, errLock) {
		return faultConflict, err
	}
	if errors.As(err, new(*kv.NotMigratedError)) || errors.As(err, new(*kv.VersionError)) ||
		errors.As(err, new(*kv.UnfinishedError)) {
		return faultFinal, err
	}
	if errors.Is(err, errNoConnection) {
		return faultLost, &kv.ConnectionsError{Server: server, Err: err}
	}
	var answer *pgconn.PgError
	switch {
	case isTLS(err):
		return faultFinal, &kv.RefusedError{Server: server, Reason: kv.RefusedTLS, Err: plain(err)}
	case !errors.As(err, &answer):
		return faultLost, &kv.UnavailableError{Server: server, Err: plain(err)}
	case errors.As(err, new(*pgconn.ConnectError)) && refusesSetting(answer):
		return faultFinal, wrongSetting(server, answer)
	}
	return explainAnswer(server, err, answer)
}

// explainAnswer is explain for an error that the server has sent.
func explainAnswer(server string, err error, answer *pgconn.PgError) (fault, error) {
	refused := func(r kv.Refusal) (fault, error) {
		return faultFinal, &kv.RefusedError{Server: server, Reason: r, Err: errors.New(answer.Message)}
	}
	switch code := answer.Code; {
	case code == "40001" || code == "40P01" || code == "23505":
		return faultConflict, err
	case code == "42P01" || code == "3F000" || code == "42703":
		return faultFinal, &kv.NotMigratedError{Server: server, Needed: format}
	case code == "3D000":
		return refused(kv.RefusedDatabase)
	case strings.HasPrefix(code, "28"):
		return refused(kv.RefusedLogin)
	case code == "42501":
		return refused(kv.RefusedPermission)
	case code == "25006" || code == "0A000" && strings.Contains(answer.Message, "standby"):
		return refused(kv.RefusedReadOnly)
	case code == "53300" || strings.Contains(answer.Message, "max_client_conn"): // the latter is PgBouncer's
		return faultLost, &kv.ConnectionsError{Server: server, Err: errors.New(answer.Message)}
	case code == cancelled:
		return faultFinal, &kv.SlowError{Server: server, Err: errors.New(answer.Message)}
	case code == "53100":
		return refused(kv.RefusedSpace)
	case strings.HasPrefix(code, "08"), strings.HasPrefix(code, "53"), strings.HasPrefix(code, "57P"),
		strings.HasPrefix(code, "25P"), strings.HasPrefix(code, "58"), code == "40003":
		return faultLost, &kv.UnavailableError{Server: server, Err: errors.New(answer.Message)}
	}
	why := errors.New(answer.Message + " (" + answer.Code + ")")
	return faultFinal, &kv.UnavailableError{Server: server, Err: why}
}

// cancelled is the code of a statement that took too long.
const cancelled = "57014"

// refusesSetting reports whether a server refuses a connection because of a setting in the
// address. PgBouncer has a code of its own.
func refusesSetting(answer *pgconn.PgError) bool {
	switch answer.Code {
	case unknownSetting, "22023", "55P02":
		return true
	}
	return answer.Code == "08P01" && strings.Contains(answer.Message, "startup parameter")
}

// unknownSetting is the code of a setting that the server does not know.
const unknownSetting = "42704"

// wrongSetting returns the error for a setting that the server refuses. The message quotes its
// name, if it is in a language that does so with these marks.
func wrongSetting(server string, answer *pgconn.PgError) error {
	if _, rest, ok := strings.Cut(answer.Message, `"`); ok {
		if name, _, ok := strings.Cut(rest, `"`); ok && name != "" {
			return &kv.AddressError{Address: server, Setting: name, Unknown: answer.Code == unknownSetting}
		}
	}
	return &kv.AddressError{Address: server, Err: errors.New(answer.Message)}
}

// plain returns the innermost reason of a failed connection, without the settings
// that the library names.
func plain(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op
	}
	for {
		switch inner := err.(type) {
		case interface{ Unwrap() error }:
			if inner.Unwrap() == nil {
				return err
			}
			err = inner.Unwrap()
		case interface{ Unwrap() []error }:
			all := inner.Unwrap()
			if len(all) == 0 {
				return err
			}
			err = all[len(all)-1]
		default:
			return err
		}
	}
}

// isTLS reports whether a server offers no TLS, or not the right certificate.
func isTLS(err error) bool {
	return errors.As(err, new(*tls.CertificateVerificationError)) ||
		errors.As(err, new(x509.UnknownAuthorityError)) || errors.As(err, new(x509.HostnameError)) ||
		errors.As(err, new(x509.CertificateInvalidError)) ||
		strings.HasSuffix(err.Error(), "server refused TLS connection")
}
