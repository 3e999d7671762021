package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerText converts an answer to text. Clients that ignore the schema of the
// form send numbers, booleans, or lists.
func answerText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i, part := range v {
			parts[i] = answerText(part)
		}
		return strings.Join(parts, ",")
	}
	b, err := json.Marshal(value)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return string(b)
}

// answersAsText converts the answers of clients to text before the library
// compares them with the schema and would reject other types.
func answersAsText(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, r)
		if response, ok := result.(*mcp.ElicitResult); ok && err == nil && response != nil && response.Content != nil {
			if answer := response.Content[answerField]; answer != nil {
				response.Content[answerField] = answerText(answer)
			}
		}
		return result, err
	}
}
