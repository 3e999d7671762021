// Anthropic's API: the tools as they are, and the loop over tool_use.
import Anthropic from '@anthropic-ai/sdk'
import { call, memo, request, tools } from './techo.mjs'

const key = process.env.ANTHROPIC_API_KEY
const client = new Anthropic({ apiKey: key ?? 'none' })
const scripted = (messages) =>
  messages.length === 1
    ? { role: 'assistant', stop_reason: 'tool_use', content: [{ type: 'tool_use', id: 'toolu_1', name: 'add_memo', input: memo }] }
    : { role: 'assistant', stop_reason: 'end_turn', content: [{ type: 'text', text: JSON.parse(messages.at(-1).content[0].content).message }] }
const ask = (messages) =>
  key ? client.messages.create({ model: process.env.ANTHROPIC_MODEL, max_tokens: 1024, tools: tools('anthropic'), messages }) : scripted(messages)

const messages = [{ role: 'user', content: request }]
for (;;) {
  const said = await ask(messages)
  messages.push({ role: said.role, content: said.content })
  const wanted = said.content.filter((part) => part.type === 'tool_use')
  if (wanted.length === 0) {
    console.log(said.content.map((part) => part.text).join(''))
    break
  }
  messages.push({
    role: 'user',
    content: wanted.map(({ id, name, input }) => {
      const { text, isError } = call(name, input)
      return { type: 'tool_result', tool_use_id: id, content: text, is_error: isError }
    }),
  })
}
