package paths

import "testing"

func TestMisread(t *testing.T) {
	for path, want := range map[string]string{
		`a.txt`: "", `C:\Users\x\a.txt`: "", `c:/x/../a`: "", `\\server\share\a b.txt`: "", `\\?\C:\long\a`: "",
		`.config/x`: "", `..`: "", `.`: "", `a..b`: "", `console.txt`: "", `COM10`: "", `com.txt`: "", `lpt`: "",
		`NUL`: "NUL", `x/con.txt`: "con.txt", `COM1 .log`: "COM1 .log", `lpt³`: "lpt³", `CONOUT$`: "CONOUT$",
		`a.txt:hidden`: "a.txt:hidden", `C:\x\a::$DATA`: "a::$DATA", `settings.json.`: "settings.json.",
		`dir /x`: "dir ", `...`: "...", `\\.\PhysicalDrive0`: `\\.\PhysicalDrive0`, `\\?\C:\aux`: "aux",
	} {
		if got := misread(path); got != want {
			t.Errorf("misread(%q) = %q, want %q", path, got, want)
		}
	}
}
