package serve

import (
	"strings"
	"testing"

	"techo/commands/server"
)

// TestStatuses checks the status of each error, and the routes.
func TestStatuses(t *testing.T) {
	_, c := setup{}.start(t)
	memo := `{"name":"a","content":"x","priority":1}`
	c.Want(200, `"memo":`, "POST", "/tools/add_memo", memo)
	c.Want(409, `"already_exists"`, "POST", "/tools/add_memo", memo)
	c.Want(404, `"not_found"`, "POST", "/tools/get_memo", `{"memo_name":"b"}`)
	c.Want(400, `"invalid_input"`, "POST", "/tools/get_memo", ``)
	c.Want(422, `"limit_exceeded"`, "POST", "/tools/add_memo",
		`{"name":"t","content":"x","priority":1,"tags":["1","2","3","4"]}`)
	c.Want(400, `Did you mean 'add_memo'`, "POST", "/tools/add_mem", `{}`)
	c.Want(404, `POST /tools/{name}`, "GET", "/", "")
	c.Want(405, `accepts GET, HEAD, POST, not DELETE`, "DELETE", "/tools/add_memo", "")
	c.Want(200, `"ok":true`, "GET", "/health", "")
	c.Want(200, ``, "HEAD", "/health", "")
	c.Want(405, ``, "OPTIONS", "/tools/add_memo", "")
	c.Want(200, `"inputSchema"`, "GET", "/tools", "")
	c.Want(200, `{"tools":[{"name":"add_memo","command"`, "GET", "/tools?format=names", "")
	c.Want(200, `"input_schema"`, "GET", "/tools/add_memo?format=anthropic", "")
	c.Want(400, `must be one of`, "GET", "/tools?format=yaml", "")
	c.Want(400, `is not a field`, "GET", "/tools?fromat=mcp", "")
	c.Want(400, `There is no tool`, "GET", "/tools/nope", "")
	c.Want(400, `format is given twice`, "GET", "/tools?format=mcp&format=names", "")
	c.Want(200, `"name":"get_memo"`, "GET", "/tools?format=names&names=get_memo&names=grep", "")
	c.Want(400, `{"path":"/limit","message":"is in the URL"`, "POST", "/tools/list_memo?limit=3", "")
	for _, query := range []string{"a;b", "%zz", "limit=3;x", "&&%", "a=%ff%f"} {
		c.Want(400, `the query of the URL cannot be read`, "POST", "/tools/list_memo?"+query, "")
		c.Want(400, `the query of the URL cannot be read`, "GET", "/tools?"+query, "")
		c.Want(400, `クエリを読めません: `, "GET", "/memories/full?user_id=u&ids=a&"+query, "",
			"Techo-Lang: ja")
	}
	c.Want(400, `"path":"/user_id","message":"is given twice"`, "GET", "/memories/full?user_id=u&user_id=u&ids=a", "")
	c.Want(422, `at most 33554432 bytes`, "POST", "/tools/add_memo", strings.Repeat(" ", server.MaxBody+1))
}

// TestQueryCause describes what is wrong with a query, in both languages.
func TestQueryCause(t *testing.T) {
	_, c := setup{}.start(t)
	for _, q := range []struct{ lang, query, want string }{
		{"en", "a;b", `cannot be read: ; does not separate parameters`},
		{"ja", "a;b", `クエリを読めません: ; は区切りに使えません`},
		{"en", "%zz", `cannot be read: \"%zz\" is not percent-encoded`},
		{"ja", "%zz", `クエリを読めません: 「%zz」はパーセントエンコードではありません`},
	} {
		c.Want(400, q.want, "GET", "/tools?"+q.query, "", "Techo-Lang: "+q.lang)
	}
}

// TestHeaders checks that the headers work like the global flags.
func TestHeaders(t *testing.T) {
	_, c := setup{flags: map[string]string{"lang": "ja"}}.start(t)
	memo := `{"name":"a","content":"x","priority":1}`
	first := c.Want(200, `メモを追加`, "POST", "/tools/add_memo", memo, "Idempotency-Key: k",
		"Techo-Tz: Asia/Tokyo")
	if !strings.Contains(first, "+09:00") {
		t.Errorf("not in the time zone of Tokyo: %s", first)
	}
	if again := c.Want(200, "", "POST", "/tools/add_memo", memo, "Idempotency-Key: k",
		"Techo-Tz: Asia/Tokyo"); again != first {
		t.Errorf("the same key: %s\nthen %s", first, again)
	}
	c.Want(409, `"conflict"`, "POST", "/tools/add_memo", `{"name":"b","content":"x","priority":1}`,
		"Idempotency-Key: k")
	c.Want(200, `Memos (1-1 of 1)`, "POST", "/tools/list_memo", "", "Techo-Lang: en")
	c.Want(400, `{"path":"/user","message":"is not valid UTF-8"`, "POST", "/tools/list_memo", "", "Techo-Lang: en",
		"Techo-User: \xff")
	c.Want(400, `"path":"/tz"`, "POST", "/tools/list_memo", "", "Techo-Tz: Nowhere")
	c.Want(400, `/idempotency-key`, "POST", "/tools/list_memo", "", "Idempotency-Key: k2")
	c.Want(404, `There is no route`, "GET", "/x", "", "Techo-Lang: en")
	c.Want(404, `はありません`, "GET", "/x", "")
}
