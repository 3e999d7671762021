package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// AnswerText is what a person answered, as text: clients that take no notice of
// the schema send numbers, true and false, and lists of them.
func AnswerText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i, part := range v {
			parts[i] = AnswerText(part)
		}
		return strings.Join(parts, ",")
	}
	b, err := json.Marshal(value)
	if err != nil {
		panic(err) // it came as JSON
	}
	return string(b)
}

// tolerate turns the answer that a client brings back into the text that was
// asked for. The library compares it with the schema, and would lose what the
// person said for its type.
func tolerate(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, r)
		if said, ok := result.(*mcp.ElicitResult); ok && err == nil && said != nil && said.Content != nil {
			if answer := said.Content["answer"]; answer != nil {
				said.Content["answer"] = AnswerText(answer)
			}
		}
		return result, err
	}
}
