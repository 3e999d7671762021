// Anthropic's tool runner: techo's tools for client.beta.messages.toolRunner.
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError'

export async function tools(techo, options = { profile: 'core' }) {
  return (await techo.tools('anthropic', options)).map((t) => ({
    ...t,
    parse: (input) => input, // techo checks it
    run: async (input) => {
      const { text, ok } = await techo.invoke(t.name, input)
      if (!ok) throw new ToolError(text)
      return text
    },
  }))
}
