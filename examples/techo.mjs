// What the examples share: the definitions, and a call.
import { execFileSync, spawnSync } from 'node:child_process'

/** The definitions in the form that an API takes: mcp, openai, anthropic… */
export const tools = (form) => JSON.parse(execFileSync('techo', ['tools', '--format', form], { encoding: 'utf8' }))

/** Calls a tool with what the model gave. The text is for the model, also when it is an error. */
export const call = (name, input) => {
  const run = spawnSync('techo', ['call', name], { input: typeof input === 'string' ? input : JSON.stringify(input), encoding: 'utf8' })
  if (run.error) throw run.error
  return { text: run.stdout.trim(), isError: run.status !== 0 }
}

/** What the model is asked. */
export const request = process.argv[2] ?? 'Remember that Tanaka likes ramen'

if (!process.env.ANTHROPIC_API_KEY && !process.env.OPENAI_API_KEY) await import('./scripted.mjs')
