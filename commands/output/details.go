package output

import (
	"techo/tools"
)

// DetailLines returns a line for each detail.
func DetailLines(details []tools.Detail) (lines []string) {
	for _, d := range details {
		if d.Path != "" {
			d.Message = d.Path + ": " + d.Message
		}
		lines = append(lines, "- "+d.Message)
	}
	return lines
}
