// The AI SDK: techo's tools as a ToolSet.
import { jsonSchema, tool } from 'ai'

export async function tools(techo, options = { profile: 'core' }) {
  const set = {}
  for (const { name, description, inputSchema } of await techo.tools('mcp', options)) {
    set[name] = tool({
      description,
      inputSchema: jsonSchema(inputSchema),
      execute: async (input, { toolCallId, abortSignal } = {}) => {
        const { text, ok } = await techo.answer(name, input, { call: toolCallId, signal: abortSignal })
        if (!ok) throw new Error(text) // the SDK gives it to the model
        return JSON.parse(text)
      },
    })
  }
  return set
}
