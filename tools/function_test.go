package tools

import (
	"context"
	"testing"

	"techo/tools/schema"
)

// TestSharedSchemas checks that tools share the schema of a type, but not with a
// tool that has the field space.
func TestSharedSchemas(t *testing.T) {
	type in struct {
		Name string `json:"name"`
	}
	run := Func[in, in](func(_ context.Context, _ *Env, got in) (in, error) { return got, nil })
	first, second := &Tool{Name: "first", Run: run}, Define(Tool{Name: "second"}, run)
	shared := &Tool{Name: "shared", Run: run, Sharing: OneSpace}
	if first.Input() != second.Input() || first.Output() != shared.Output() {
		t.Error("a schema is inferred for each tool anew")
	}
	if first.Input().Property(schema.SpaceField) != nil || first.Output().Property(schema.SpaceField) != nil {
		t.Error("a tool that is not shared has the field space")
	}
	if shared.Input().Property(schema.SpaceField) == nil {
		t.Error("a shared tool has no field space")
	}
	if first.Input().Open || !first.Output().Open {
		t.Error("an input accepts other fields, or a result does not")
	}
}
