package css

// KeepNoPaths makes a sheet examine every element anew.
func (s *Sheet) KeepNoPaths() { s.paths.full = true }
