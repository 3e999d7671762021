package ledger

import "techo/store/kv"

// Offered returns an engine as the interface of a feature, or a NoFeatureError.
func Offered[T any](s *Ledger, f Feature) (engine T, err error) {
	engine, ok := s.Engine.(T)
	if !ok {
		return engine, &NoFeatureError{s.Shown, f}
	}
	return engine, nil
}

// Folder returns the folder of a store.
func (s *Ledger) Folder() (string, error) {
	e, err := Offered[kv.Folder](s, FeatureFolder)
	if err != nil {
		return "", err
	}
	return e.Folder(), nil
}
