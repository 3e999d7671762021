// techo's tools for JavaScript. The package carries the program `techo` and runs it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

import { names } from './tools.js'

/** A call that failed: `code` is one of techo's codes, `hint` says what to do next. */
export class TechoError extends Error {
  constructor(error = {}) {
    super(error.message ?? '')
    this.name = 'TechoError'
    this.code = error.code ?? 'internal'
    this.hint = error.hint ?? ''
    this.tool = error.tool ?? ''
    this.retryable = error.retryable ?? false
    this.details = error.details ?? []
  }
}

/** The path of the program: of the package for this platform, or else from PATH. */
export function program() {
  const file = process.platform === 'win32' ? 'techo.exe' : 'techo'
  try {
    return createRequire(import.meta.url).resolve(`@techo/${process.platform}-${process.arch}/${file}`)
  } catch {
    const own = createRequire(import.meta.url).resolve('./bin/techo.js')
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(folder, file)
      if (folder && path !== own && existsSync(path)) return path
    }
    throw new Error(`techo: there is no program for ${process.platform}-${process.arch}, and none on PATH`)
  }
}

const reply = (text) => ({ text, ok: !text.startsWith('{"error":') })

export class Techo {
  #options
  #flags
  #batch

  constructor(options = {}) {
    this.#options = { timeout: 120_000, ...options }
    this.#flags = ['--output', 'json']
    for (const name of ['store', 'user', 'lang', 'tz']) {
      if (options[name] !== undefined) this.#flags.push(`--${name}`, options[name])
    }
    for (const root of options.roots ?? []) this.#flags.push('--root', root)
  }

  /** Calls a tool and resolves to its result. An error rejects with a TechoError. */
  async call(tool, input = {}) {
    const { text, ok } = await this.invoke(tool, input)
    const document = JSON.parse(text)
    if (!ok) throw new TechoError(document.error)
    return document
  }

  /** Calls a tool with what a model gave: an object, or its JSON as it came. Errors of the
   * call are answers too: `text` tells the model what to do next. */
  async invoke(tool, input = {}) {
    const text = typeof input === 'string' ? input : JSON.stringify(input)
    if (this.#options.server) return reply(await this.#request(`/tools/${encodeURIComponent(tool)}`, text))
    if (this.#options.batch && isObject(text)) {
      this.#batch ??= new Batch(this.#command(), ['call', '--batch', ...this.#flags], this.#options.env)
      return reply(await this.#batch.call(tool, text, this.#options.timeout))
    }
    return reply(await this.#run(['call', tool, ...this.#flags], text, tool))
  }

  /** The definitions in the form that an API takes: mcp, openai, openai-chat, anthropic, gemini. */
  async tools(form = 'mcp', { names = [], profile } = {}) {
    const only = profile && names.length === 0 ? ['--profile', profile] : []
    let found
    if (this.#options.server) {
      found = JSON.parse(await this.#request(`/tools?${new URLSearchParams({ format: form, ...(profile && { profile }) })}`))
    } else {
      found = JSON.parse(await this.#run(['tools', ...names, '--format', form, ...only, ...this.#flags], ''))
    }
    if (found.error) throw new TechoError(found.error)
    found = found.tools ?? found
    return names.length ? found.filter((t) => names.includes(t.name ?? t.function.name)) : found
  }

  /** The same, with variables of the environment. It shares no process. */
  withEnv(env) {
    return new Techo({ ...this.#options, batch: false, env: { ...this.#options.env, ...env } })
  }

  /** Ends the process that answers many calls, if there is one. */
  async close() {
    const batch = this.#batch
    this.#batch = undefined
    await batch?.close()
  }

  async [Symbol.asyncDispose ?? Symbol('asyncDispose')]() {
    await this.close()
  }

  #command() {
    return (this.#options.program ??= program())
  }

  #run(args, input, tool = '') {
    return new Promise((resolve, reject) => {
      const { timeout, env } = this.#options
      const child = spawn(this.#command(), args, { env: { ...process.env, ...env }, windowsHide: true })
      const timer = setTimeout(() => {
        child.kill('SIGKILL')
        reject(timedOut(tool, timeout))
      }, timeout)
      let out = ''
      let errors = ''
      child.stdout.setEncoding('utf8').on('data', (data) => (out += data))
      child.stderr.setEncoding('utf8').on('data', (data) => (errors += data))
      child.on('error', reject)
      child.on('close', (code) => {
        clearTimeout(timer)
        if (out) resolve(out.trimEnd())
        else reject(new TechoError({ message: errors.trim() || `exit code ${code}` }))
      })
      child.stdin.on('error', () => {})
      child.stdin.end(input)
    })
  }

  async #request(path, body) {
    const { server, token = process.env.TECHO_TOKEN, user, lang, tz, timeout } = this.#options
    const headers = { ...(body !== undefined && { 'Content-Type': 'application/json' }) }
    if (token) headers.Authorization = `Bearer ${token}`
    for (const [name, value] of Object.entries({ 'Techo-User': user, 'Techo-Lang': lang, 'Techo-Tz': tz })) {
      if (value) headers[name] = value
    }
    const answer = await fetch(server.replace(/\/$/, '') + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(timeout),
    })
    return (await answer.text()).trimEnd()
  }
}

for (const name of names) {
  Techo.prototype[name] = function (input) {
    return this.call(name, input)
  }
}

/** One process that answers many calls, in order. */
class Batch {
  #process
  #waiting = []
  #start

  constructor(command, args, env) {
    this.#start = () => spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
  }

  call(tool, text, timeout) {
    return new Promise((resolve, reject) => {
      if (!this.#process) this.#listen()
      const child = this.#process
      const timer = setTimeout(() => {
        child.kill('SIGKILL') // the answers would be those of other calls from now on
        reject(timedOut(tool, timeout))
      }, timeout)
      const settle = (with_) => (value) => {
        clearTimeout(timer)
        with_(value)
      }
      this.#waiting.push({ resolve: settle(resolve), reject: settle(reject), tool })
      // One line: JSON has line ends only between values.
      child.stdin.write(`{"tool":${JSON.stringify(tool)},"input":${text.replace(/[\r\n]/g, ' ')}}\n`)
    })
  }

  #listen() {
    const child = (this.#process = this.#start())
    const waiting = (this.#waiting = [])
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (data) => {
      const lines = (rest + data).split('\n')
      rest = lines.pop()
      for (const line of lines) waiting.shift().resolve(line)
    })
    const ended = () => {
      if (this.#process === child) this.#process = undefined
      for (const { reject, tool } of waiting.splice(0)) {
        reject(new TechoError({ message: 'techo ended before it answered', tool, retryable: true }))
      }
    }
    child.on('error', ended)
    child.on('close', ended)
    child.stdin.on('error', () => {})
  }

  close() {
    const child = this.#process
    if (!child) return
    return new Promise((closed) => {
      child.on('close', closed)
      child.stdin.end()
    })
  }
}

/** Whether a text can be the input on a line of a batch; the program reports what is wrong with others. */
function isObject(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const timedOut = (tool, ms) => new TechoError({ code: 'timeout', message: `no answer within ${ms / 1000} seconds`, tool, retryable: true })
