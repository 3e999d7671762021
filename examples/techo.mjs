// What the examples share: techo, and what the model is asked.
import { Techo } from 'techo'

/** One process of the program answers all calls, until close(). */
export const techo = new Techo({ batch: true })

export const request = process.argv[2] ?? 'Remember that Tanaka likes ramen'

if (!process.env.ANTHROPIC_API_KEY && !process.env.OPENAI_API_KEY) await import('./scripted.mjs')
