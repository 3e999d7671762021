import type { Tools } from './tools.js'

export * from './tools.js'

export interface Options {
  /** The program; by default the one of this package, or else from PATH. */
  program?: string
  store?: string
  user?: string
  lang?: 'en' | 'ja'
  tz?: string
  /** The only folders that the tools for files reach; without it all. */
  roots?: string[]
  /** The address of a `techo serve`, instead of the program. */
  server?: string
  /** For the server; by default TECHO_TOKEN. */
  token?: string
  env?: Record<string, string>
  /** Of one call, in milliseconds. */
  timeout?: number
  /** One process answers all calls, until close(). */
  batch?: boolean
}

/** An answer for a model: the document as text, and whether it is a result. */
export interface Reply {
  text: string
  ok: boolean
}

export type Form = 'mcp' | 'openai' | 'openai-chat' | 'anthropic' | 'gemini'

/** techo for one user and one store: a process for each call, one for many, or a server. */
export interface Techo extends Tools {}
export declare class Techo {
  constructor(options?: Options)
  call(tool: string, input?: object): Promise<any>
  /** With a key, a call that adds something is done once, however often it is repeated. */
  invoke(tool: string, input?: object | string, options?: { key?: string; compact?: boolean; signal?: AbortSignal }): Promise<Reply>
  /** invoke for a framework: every failure is an answer; call is the framework's id of the call. */
  answer(tool: string, input?: object | string, options?: { call?: string; signal?: AbortSignal }): Promise<Reply>
  tools(form?: Form, options?: { names?: string[]; profile?: string }): Promise<any[]>
  withEnv(env: Record<string, string>): Techo
  close(): Promise<void>
}

export declare class TechoError extends Error {
  code: string
  hint: string
  tool: string
  retryable: boolean
  details: Array<{ path: string; message: string; hint?: string }>
}

export declare function program(): string
