// LangChain: each definition becomes a structured tool, bound to a model.
import { HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { call, request, tools } from './techo.mjs'

const offered = tools('mcp').tools.map(({ name, description, inputSchema }) =>
  tool((input) => call(name, input).text, { name, description, schema: inputSchema }),
)
const model = new ChatOpenAI({ model: process.env.OPENAI_MODEL, configuration: { baseURL: process.env.OPENAI_BASE_URL } }).bindTools(offered)

const messages = [new HumanMessage(request)]
for (;;) {
  const said = await model.invoke(messages)
  messages.push(said)
  if (!said.tool_calls?.length) {
    console.log(said.text)
    break
  }
  for (const wanted of said.tool_calls) {
    messages.push(await offered.find((t) => t.name === wanted.name).invoke(wanted))
  }
}
