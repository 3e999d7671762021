// LangChain: the definitions are bound to a model. techo itself checks the arguments, so
// that the model reads what is wrong with them and calls again.
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { call, request, tools } from './techo.mjs'

const model = new ChatOpenAI({ model: process.env.OPENAI_MODEL, configuration: { baseURL: process.env.OPENAI_BASE_URL } }).bindTools(tools('openai-chat'))

const messages = [new HumanMessage(request)]
for (;;) {
  const said = await model.invoke(messages)
  messages.push(said)
  const wanted = [...(said.tool_calls ?? []), ...(said.invalid_tool_calls ?? [])]
  if (wanted.length === 0) {
    console.log(said.text)
    break
  }
  for (const { id, name, args } of wanted) {
    const { text, isError } = call(name, args)
    messages.push(new ToolMessage({ tool_call_id: id, content: text, status: isError ? 'error' : 'success' }))
  }
}
