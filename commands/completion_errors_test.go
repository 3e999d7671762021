package commands

import (
	"strings"
	"testing"

	"techo/internal/testenv"
)

// testErrors checks that the document of an error, which is also on stdout, does
// not become a candidate.
func testErrors(t *testing.T, bin string) {
	for shell, args := range map[string][]string{
		"bash": {"-c", `source <(techo --output=json completion bash); COMP_WORDS=(techo "") COMP_CWORD=1 ` +
			`COMP_LINE="techo "; _techo; echo "${COMPREPLY[@]}" >lines`},
		"zsh":  {"-f", "driver.zsh"},
		"fish": {"--no-config", "-c", `techo --output=json completion fish | source; complete -C "techo " >lines`},
	} {
		t.Run(shell, func(t *testing.T) {
			w := newShell(t, bin)
			w.env["TECHO_OUTPUT"] = "xml"
			screen := w.script("techo \t\n\n", testenv.Tool(t, shell), args...)
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("the screen: %s", screen)
				}
			})
			for _, l := range w.linesAfter() {
				if strings.Contains(l, "error") || strings.Contains(l, "memo") {
					t.Errorf("%q", l)
				}
			}
		})
	}
}
