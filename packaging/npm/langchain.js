// LangChain: techo's tools as StructuredTool. techo checks the arguments, so that a model
// reads all that is wrong with them at once, with the way out.
import { ToolMessage } from '@langchain/core/messages'
import { StructuredTool } from '@langchain/core/tools'

export class TechoTool extends StructuredTool {
  constructor(techo, { name, description, inputSchema }) {
    super()
    this.techo = techo
    this.name = name
    this.description = description
    this.schema = inputSchema
  }

  async invoke(input, config) {
    const isCall = input?.type === 'tool_call'
    const options = { call: isCall ? input.id : undefined, signal: config?.signal }
    const { text, ok } = await this.techo.answer(this.name, isCall ? input.args : input, options)
    if (!isCall) return text
    return new ToolMessage({ content: text, name: this.name, tool_call_id: input.id, status: ok ? 'success' : 'error' })
  }

  async _call(input) {
    return (await this.techo.answer(this.name, input)).text
  }
}

export async function tools(techo, options = { profile: 'core' }) {
  return (await techo.tools('mcp', options)).map((t) => new TechoTool(techo, t))
}
