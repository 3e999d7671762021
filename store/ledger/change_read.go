package ledger

import (
	"errors"

	"techo/store/kv"
)

// EachChange calls use for the changes of a range, without their values. An
// errStop from use ends it.
func (tx *Tx) EachChange(r kv.Range, use func(Change) error) error {
	for p, err := range kv.Pairs(tx, r) {
		if err != nil {
			return err
		}
		c, err := DecodeChange(p.Key, p.Value)
		if err != nil {
			return err
		}
		if err := use(c); errors.Is(err, ErrStop) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}
