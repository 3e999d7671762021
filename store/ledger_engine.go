package store

import "techo/store/kv"

// offered returns an engine as the interface of a feature, or a NoFeatureError.
func offered[T any](s *Ledger, f Feature) (engine T, err error) {
	engine, ok := s.engine.(T)
	if !ok {
		return engine, &NoFeatureError{s.shown, f}
	}
	return engine, nil
}

// folderOf returns the folder of a store.
func folderOf(s *Ledger) (string, error) {
	e, err := offered[kv.Folder](s, FeatureFolder)
	if err != nil {
		return "", err
	}
	return e.Folder(), nil
}
