// LangChain: each definition becomes a structured tool, to bind to a model.
import { tool } from '@langchain/core/tools'
import { call, memo, tools } from './techo.mjs'

export const offered = tools('mcp').tools.map(({ name, description, inputSchema }) =>
  tool((input) => call(name, input).text, { name, description, schema: inputSchema }),
)

// With a model: const answer = await model.bindTools(offered).invoke(messages), and for
// each of answer.tool_calls: messages.push(await byName[call.name].invoke(call)).
const scripted = { name: 'add_memo', args: memo, id: 'call_1', type: 'tool_call' }
const said = await offered.find((t) => t.name === scripted.name).invoke(scripted)
console.log(JSON.parse(said.content).message)
