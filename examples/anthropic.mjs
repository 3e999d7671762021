// Anthropic's API: the tool runner calls techo until the model is done.
import Anthropic from '@anthropic-ai/sdk'
import { tools } from 'techo/anthropic'
import { request, techo } from './techo.mjs'

const runner = new Anthropic().beta.messages.toolRunner({
  model: process.env.ANTHROPIC_MODEL, max_tokens: 1024, thread: false, tools: await tools(techo), messages: [{ role: 'user', content: request }],
})
const said = await runner
console.log(said.content.map((part) => part.text).join(''))
await techo.close()
