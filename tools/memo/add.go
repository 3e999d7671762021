package memo

import (
	"context"
	"reflect"

	"techo/store/memo"
	"techo/tools"
)

// Add creates a memo.
var Add = &tools.Tool{
	Name:    "add_memo",
	For:     tools.Agents,
	Command: "memo add",
	About:   "Keep something worth remembering as a memo",
	More: "Use it when you hear something important: preferences, interests, family, work, " +
		"requests, promises, plans. Check the existing memos first.",
	Details: "In a conversation of several people, name the person that a memo is about. Do not add " +
		"the same memo twice. memos adds several, all or none. A memo is a short fact that every prompt must show; all users of " +
		"the store see it.",
	Notes: []tools.Note{
		{Text: "For what matters only when a message asks for it, use %s.", Names: []string{"memory add"}},
	},
	Effect:  tools.Adds,
	InStore: true,
	Sharing: tools.OneSpace,
	Words:   []string{"name", "content…"},
	Refused: "Could not create the memo: %s",
	Examples: []tools.Example{
		{Does: "Keep a memo", Line: `memo add ramen Tanaka likes ramen --priority 4 --tag food`},
		{Does: "Read a long detail along with it",
			Line: `memo add trip "Suzuki travels to Kyoto in May" --priority 3 --tag plan --detail "By train."`},
		{Does: "Keep two memos, both or neither",
			Line: `memo add --memos '[{"name":"suzuki","content":"Suzuki drinks no coffee"},{"name":"mori","content":"Mori has a cat"}]'`},
	},
	Run: tools.Func[AddIn, AddOut](addMemo),
}

// AddIn is the input of add_memo.
type AddIn struct {
	Draft `requiredUnless:"memos"`
	Memos []Draft `json:"memos,omitempty" maxItems:"50" doc:"Instead of the other fields: several memos, all or none" list:"-"`
}

// Draft is a memo to add.
type Draft struct {
	Name     string   `json:"name" format:"name" maxLength:"32" doc:"Unique name"`
	Content  string   `json:"content" format:"nonblank" doc:"What to remember, in about 50 characters; with names"`
	Priority int      `json:"priority" default:"3" asked:"true" minimum:"1" maximum:"5" doc:"5 always needed, 4 often, 3 useful, 2 extra, 1 brief"`
	Tags     tagNames `json:"tags,omitempty" doc:"At most 3; reuse existing ones"`
	Detail   string   `json:"detail,omitempty" doc:"More about it, as long as needed"`
}

func (d Draft) memo() memo.Memo {
	return memo.Memo{Name: d.Name, Content: d.Content, Priority: d.Priority, Tags: d.Tags, Detail: d.Detail}
}

type tagNames []string

// FieldTags limits the number of tags and their length.
func (tagNames) FieldTags() reflect.StructTag { return `format:"name" maxItems:"3" maxLength:"64"` }

// AddOut is the result of add_memo: a memo, or with memos each of them, in their order.
type AddOut struct {
	Memo     *Detail  `json:"memo,omitempty"`
	Memos    []Detail `json:"memos,omitempty" compact:"keep"`
	Warnings []string `json:"warnings,omitempty"`
	Message  string   `json:"message"`
}

// ChangedOut is the result of edit_memo.
type ChangedOut struct {
	Memo     Detail   `json:"memo"`
	Warnings []string `json:"warnings,omitempty"`
	Message  string   `json:"message"`
}

// changed returns the result with a memo.
func changed(env *tools.Env, m memo.Memo, message string) ChangedOut {
	warnings := tools.SecretWarnings(env)
	return ChangedOut{detail(env, m), warnings, tools.WithWarnings(env, message, warnings)}
}

func addMemo(ctx context.Context, env *tools.Env, in AddIn) (out AddOut, err error) {
	if len(in.Memos) > 0 {
		return addMemos(ctx, env, in)
	}
	st, err := env.Store(ctx, tools.Adds)
	if err != nil {
		return out, err
	}
	m, err := st.AddMemo(ctx, in.memo())
	if err != nil {
		return out, explain(env, err)
	}
	one := changed(env, m, env.Localize("Memo added (name: %s)", m.Name))
	return AddOut{Memo: &one.Memo, Warnings: one.Warnings, Message: one.Message}, nil
}

func addMemos(ctx context.Context, env *tools.Env, in AddIn) (out AddOut, err error) {
	if in.Name != "" || in.Content != "" || in.Detail != "" || len(in.Tags) > 0 {
		return out, tools.InvalidField(env, "/memos", "excludes the fields of one memo")
	}
	st, err := env.Store(ctx, tools.Adds)
	if err != nil {
		return out, err
	}
	drafts := make([]memo.Memo, len(in.Memos))
	for i, d := range in.Memos {
		drafts[i] = d.memo()
	}
	added, err := st.AddMemos(ctx, drafts)
	if err != nil {
		return out, tools.DraftIn(env, "memos", explain(env, err), err)
	}
	for _, m := range added {
		out.Memos = append(out.Memos, detail(env, m))
	}
	out.Warnings = tools.SecretWarnings(env)
	out.Message = tools.WithWarnings(env, env.Localize("Added %s",
		env.Count(len(added), "%d memo", "%d memos")), out.Warnings)
	return out, nil
}
