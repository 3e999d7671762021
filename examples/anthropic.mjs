// Anthropic's API: the tools as they are, and the loop over tool_use.
import Anthropic from '@anthropic-ai/sdk'
import { call, request, tools } from './techo.mjs'

const client = new Anthropic()
const messages = [{ role: 'user', content: request }]
for (;;) {
  const said = await client.messages.create({ model: process.env.ANTHROPIC_MODEL, max_tokens: 1024, tools: tools('anthropic'), messages })
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
