// OpenAI Agents: techo's tools as function tools.
import { tool } from '@openai/agents'

export async function tools(techo, options = { profile: 'core' }) {
  return (await techo.tools('openai', options)).map(({ name, description, parameters, strict }) => ({
    ...tool({ name, description, parameters, strict, execute: () => '' }),
    invoke: async (_, input) => (await techo.invoke(name, input)).text, // techo reads the JSON
  }))
}
