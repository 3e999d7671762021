package folder

import (
	"context"
	"slices"

	"techo/store/kv"
	"techo/store/kv/sst"
)

// model is the content that a store should have.
type model map[string]string

func (m model) scan(r kv.Range) (keys []string) {
	for k := range m {
		from := string(r.From)
		if r.From == nil || !r.Reverse && k >= from || r.Reverse && k <= from {
			keys = append(keys, k)
		}
	}
	if slices.Sort(keys); r.Reverse {
		slices.Reverse(keys)
	}
	return keys
}

func (l *Engine) forceMerge() error {
	h, err := l.attach(context.Background())
	if err != nil {
		return err
	}
	defer h.Release()
	if l.writing.journal.Generation == 0 {
		return nil
	}
	return l.merge(false)
}

// tables opens the tables of the generation that was read last.
func (l *Engine) openedTables() (*sst.Tables, error) {
	tx, err := l.observe(context.Background(), false)
	if err != nil {
		return nil, err
	}
	defer tx.end()
	return tx.tables.open(tx)
}
