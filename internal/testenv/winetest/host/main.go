// Command host runs the program of its own name on the system beside Wine, whose address is in
// the file "address" beside it. Scripts then find sh, sed and others there.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	code, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func run() (code int, err error) {
	program, err := os.Executable()
	if err != nil {
		return 125, err
	}
	address, err := os.ReadFile(filepath.Join(filepath.Dir(program), "address"))
	if err != nil {
		return 125, err
	}
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 125, err
	}
	dir, _ := os.Getwd()
	os.Args[0] = strings.TrimSuffix(filepath.Base(program), ".exe")
	call, _ := json.Marshal(map[string]any{"args": os.Args, "dir": dir, "env": os.Environ(), "stdin": stdin})
	answer, err := http.Post(string(address), "application/json", bytes.NewReader(call))
	if err != nil {
		return 125, err
	}
	defer answer.Body.Close()
	var ended struct {
		Code           int
		Stdout, Stderr []byte
	}
	if err := json.NewDecoder(answer.Body).Decode(&ended); err != nil {
		return 125, err
	}
	_, _ = os.Stdout.Write(ended.Stdout)
	_, _ = os.Stderr.Write(ended.Stderr)
	return ended.Code, nil
}
