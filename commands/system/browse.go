package system

import (
	"os/exec"
	"runtime"
)

// browse opens a file of HTML in the person's browser. It does not wait for the
// browser, but for the program that starts it.
func browse(file string) error {
	switch runtime.GOOS {
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", file).Run()
	case "darwin":
		return exec.Command("open", file).Run()
	}
	return exec.Command("xdg-open", file).Run()
}
