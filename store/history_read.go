package store

import (
	"errors"

	"techo/store/kv"
)

// eachChange calls use for the changes of a range, without their values. An
// errStop from use ends it.
func eachChange(tx *Tx, r kv.Range, use func(Change) error) error {
	for p, err := range kv.Pairs(tx, r) {
		if err != nil {
			return err
		}
		c, err := decodeChange(p.Key, p.Value)
		if err != nil {
			return err
		}
		if err := use(c); errors.Is(err, errStop) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}
