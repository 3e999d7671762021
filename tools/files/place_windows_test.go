package files

import "testing"

func makeSpecial(t *testing.T, _ string) []string {
	t.Skip("no FIFOs here")
	return nil
}
