// LangChain: techo's tools are bound to a model. techo itself checks the arguments, so
// that the model reads what is wrong with them and calls again.
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { tools } from 'techo/langchain'
import { request, techo } from './techo.mjs'

const offered = await tools(techo)
const model = new ChatOpenAI({ model: process.env.OPENAI_MODEL, configuration: { baseURL: process.env.OPENAI_BASE_URL } }).bindTools(offered)
const messages = [new HumanMessage(request)]
for (;;) {
  const said = await model.invoke(messages)
  messages.push(said)
  for (const call of said.tool_calls ?? []) messages.push(await offered.find((t) => t.name === call.name).invoke(call))
  for (const { id, name, args } of said.invalid_tool_calls ?? []) { // broken JSON: techo says where
    messages.push(new ToolMessage({ tool_call_id: id, content: (await techo.invoke(name, args)).text, status: 'error' }))
  }
  if (!said.tool_calls?.length && !said.invalid_tool_calls?.length) {
    console.log(said.text)
    break
  }
}
await techo.close()
