package run

// progress returns what a tool reports its progress to, nil when nobody watches.
func (s *Run) progress() func(done, total int64) {
	if !s.StderrTerminal {
		return nil
	}
	return s.Out.Progress(s.Name())
}
