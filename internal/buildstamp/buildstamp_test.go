package buildstamp

import (
	"runtime/debug"
	"testing"
)

func TestStamp(t *testing.T) {
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	day := debug.BuildSetting{Key: "vcs.time", Value: "2026-11-22T03:25:10Z"}
	clean := debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	dirty := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, test := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, ""},
		{[]debug.BuildSetting{dirty}, ""},
		{[]debug.BuildSetting{commit, day, clean}, "0123456789ab, 2026-11-22"},
		{[]debug.BuildSetting{dirty, commit, day}, "0123456789ab+dirty, 2026-11-22"},
	} {
		if got := fromSettings(test.settings).String(); got != test.want {
			t.Errorf("%v: %q, want %q", test.settings, got, test.want)
		}
	}
}
