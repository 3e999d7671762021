package pdftext

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// repairs returns copies of a file with another end, to be tried in this order if the
// file has no usable table of objects: one that points to the last table in it, and
// one with a new table of the objects that it has.
func repairs(body []byte) (copies [][]byte) {
	const end = "\nstartxref\n%d\n%%%%EOF\n"
	if at := lastTable(body); at > 0 {
		copies = append(copies, fmt.Appendf(slices.Clip(body), end, at))
	}
	if table := newTable(body); table != nil {
		copies = append(copies, fmt.Appendf(slices.Concat(body, table), end, len(body)+1))
	}
	return copies
}

// lastTable returns the offset of the last table of objects or stream of such a table.
func lastTable(body []byte) int {
	at := bytes.LastIndex(body, []byte("\nxref")) + 1
	stream := regexp.MustCompile(`[0-9]+\s+[0-9]+\s+obj\s*<<[^>]*/Type\s*/XRef`)
	if all := stream.FindAllIndex(body, -1); len(all) > 0 {
		at = max(at, all[len(all)-1][0])
	}
	return at
}

// newTable returns a table of the objects in a file and their root, nil if there is no
// root. Of several objects with a number, the last one counts.
func newTable(body []byte) []byte {
	offsets := map[int]int{}
	object := regexp.MustCompile(`\b([0-9]{1,7})\s+[0-9]{1,5}\s+obj\b`)
	for _, m := range object.FindAllSubmatchIndex(body, maxObjects) {
		if n, _ := strconv.Atoi(string(body[m[2]:m[3]])); n > 0 && n < maxObjects {
			offsets[n] = m[2]
		}
	}
	root := regexp.MustCompile(`/Root\s+([0-9]+)\s+[0-9]+\s+R`).FindAllSubmatch(body, -1)
	if len(root) == 0 {
		root = regexp.MustCompile(`\b([0-9]+)\s+[0-9]+\s+obj\s*<<[^>]*/Type\s*/Catalog`).FindAllSubmatch(body, -1)
	}
	if len(root) == 0 || len(offsets) == 0 {
		return nil
	}
	numbers := slices.Sorted(maps.Keys(offsets))
	table := []byte("\nxref\n0 1\n0000000000 65535 f \n")
	for _, n := range numbers {
		table = fmt.Appendf(table, "%d 1\n%010d 00000 n \n", n, offsets[n])
	}
	return fmt.Appendf(table, "trailer\n<< /Size %d /Root %s 0 R >>", numbers[len(numbers)-1]+1,
		root[len(root)-1][1])
}
