package pg

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/store/kv"
)

// TestRefusedSettings: the settings in an address that the server refuses are named. The same
// codes in the answer to a statement are no fault of the address.
func TestRefusedSettings(t *testing.T) {
	for _, c := range []struct {
		code, message, setting string
		unknown                bool
	}{
		{"42704", `unrecognized configuration parameter "namspace"`, "namspace", true},
		{"22023", `invalid value for parameter "work_mem": "x"`, "work_mem", false},
		{"55P02", `parameter "wal_level" cannot be changed`, "wal_level", false},
		{"08P01", "unsupported startup parameter: namspace", "", false},
	} {
		answer := &pgconn.PgError{Code: c.code, Message: c.message}
		got := new(kv.AddressError)
		if !refusesSetting(answer) || !errors.As(wrongSetting("h", answer), &got) {
			t.Fatalf("%s: no fault of the address", c.message)
		}
		if got.Setting != c.setting || got.Unknown != c.unknown || (got.Err == nil) != (c.setting != "") {
			t.Errorf("%s: %+v", c.message, got)
		}
		if _, err := explain("h", answer); errors.As(err, new(*kv.AddressError)) {
			t.Errorf("%s: in the answer to a statement: %v", c.message, err)
		}
	}
	if refusesSetting(&pgconn.PgError{Code: "08P01", Message: "invalid frontend message"}) {
		t.Error("a fault of the protocol is taken for a fault of the address")
	}
}
