package browser

import "context"

// process is a running browser. Windows has no support for one yet.
type process struct{ link *link }

func start(_, _ string) (*process, error) { return nil, ErrUnsupported }

func (p *process) end() {}

func (p *process) watch(context.Context, context.CancelCauseFunc) {}

func (p *process) reason() string { return "" }
