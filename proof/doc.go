// Package proof holds programs that try to break a store, through nothing but
// the command line: kills, crowds, full disks, failing system calls and rotten
// bits. docs/RELIABILITY.md says which promise each of them tests.
//
// They are short as part of `go test ./...`, and long with TECHO_TEST_LONG=1.
package proof
