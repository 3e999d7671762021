package ask

import (
	"context"

	"techo/tools"
)

// Settings are the settings for questions.
type Settings struct {
	PID int // the caller's process

	// Notify informs the person about a waiting question, with the program that they
	// configured; nil means that none is configured.
	Notify func(ctx context.Context, id, question string) error
}

func settings(env *tools.Env) Settings { return tools.Setting[Settings](env) }
