package store

import (
	"errors"
	"iter"

	"techo/store/kv"
)

// errStopped ends a function of inStep after another one has failed.
var errStopped = errors.New("store: another part of the transaction failed")

// inStep runs functions that read in one transaction. They take turns at each
// Prefetch: what all of them announce is read together. So several searches take no
// more round trips than the longest one.
func inStep(tx kv.Tx, all []func(kv.Tx) error) error {
	if len(all) == 1 {
		return all[0](tx)
	}
	announced := false
	err := tx.Prefetch(func() (reads kv.Reads) { announced = true; return reads })
	if err != nil {
		return err
	}
	if !announced { // the engine reads nothing ahead
		for _, fn := range all {
			if err := fn(tx); err != nil {
				return err
			}
		}
		return nil
	}
	return inTurns(tx, all)
}

// inTurns is inStep for an engine that reads ahead.
func inTurns(tx kv.Tx, all []func(kv.Tx) error) error {
	var running []*turn
	for _, fn := range all {
		s := &turn{Tx: tx}
		s.next, s.stop = iter.Pull(s.reads(fn))
		defer s.stop()
		running = append(running, s)
	}
	for len(running) > 0 {
		var announced []*turn
		for _, s := range running {
			if s.run() {
				announced = append(announced, s)
			} else if s.err != nil {
				return s.err
			}
		}
		if running = announced; len(running) == 0 {
			break
		}
		if err := tx.Prefetch(func() kv.Reads { return allOf(running) }); err != nil {
			return err
		}
	}
	return nil
}

// turn is a function of inStep, and its transaction.
type turn struct {
	kv.Tx
	next     func() (func() kv.Reads, bool)
	stop     func()
	announce func(func() kv.Reads) bool
	wanted   func() kv.Reads // the reads that it announced last
	reading  bool            // wanted is being called
	err      error           // of the function, when it has ended
}

// reads yields what a function announces. The function runs while it is iterated.
func (s *turn) reads(fn func(kv.Tx) error) iter.Seq[func() kv.Reads] {
	return func(yield func(func() kv.Reads) bool) {
		s.announce = yield
		s.err = fn(s)
	}
}

// run runs the function until it announces reads; false means that it has ended.
func (s *turn) run() (more bool) {
	s.wanted, more = s.next()
	return more
}

// Prefetch waits until the other functions have announced reads as well, or have ended.
func (s *turn) Prefetch(reads func() kv.Reads) error {
	if s.reading { // one that was called to find out what to read
		return s.Tx.Prefetch(reads)
	}
	if !s.announce(reads) {
		return errStopped
	}
	return nil
}

// allOf returns the announced reads of functions.
func allOf(all []*turn) kv.Reads {
	sum := kv.Reads{All: true}
	for _, s := range all {
		s.reading = true
		r := s.wanted()
		s.reading = false
		sum.Keys = append(sum.Keys, r.Keys...)
		sum.Ranges = append(sum.Ranges, r.Ranges...)
		sum.Linked = append(sum.Linked, r.Linked...)
		sum.All = sum.All && r.All
	}
	return sum
}
