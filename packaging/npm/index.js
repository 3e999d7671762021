// techo's tools for JavaScript. The package carries the program `techo` and runs it.
import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

import { adds, names, reads, waits } from './tools.js'

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

/** The answer in a text. What is no JSON object is no answer. */
function reply(text, tool) {
  const document = parsed(text)
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    const message = `no answer of techo: ${text.slice(0, 80)}`
    throw new TechoError({ code: 'upstream', message, hint: 'Check the path of the program', tool })
  }
  return { text, ok: typeof document.error !== 'object' || document.error === null }
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A text without a byte order mark, which JSON.parse does not read. */
const unmarked = (text) => text.replace(/^[\ufeff\s]+/, '')

/** The tool that a call is of: call_tool stands for another one. */
const called = (tool, text) => (tool === 'call_tool' ? (parsed(text)?.name ?? tool) : tool)

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
  async invoke(tool, input = {}, { key, compact = false, signal } = {}) {
    const text = typeof input === 'string' ? unmarked(input) : JSON.stringify(input)
    signal?.throwIfAborted()
    const of = { tool, text, compact, signal, key: adds.includes(called(tool, text)) ? key : undefined }
    if (this.#options.server) return reply(await this.#request(`/tools/${encodeURIComponent(tool)}`, text, of), tool)
    if (this.#options.batch && isObject(text) && !signal && !waits.includes(called(tool, text))) {
      this.#batch ??= new Batch(this.#command(), ['call', '--batch', ...this.#flags], hinted(this.#options.env))
      return reply(await this.#batch.call(of, this.#options.timeout), tool)
    }
    const options = [...(of.key ? ['--idempotency-key', of.key] : []), ...(compact ? ['--compact'] : [])]
    return reply(await this.#run(['call', tool, ...options, ...this.#flags], text, of), tool)
  }

  /** invoke for a framework: compact, and every failure is an answer for the model. call is the
   * framework's id of the call: the same call adds once. An aborted signal rejects with its reason. */
  async answer(tool, input = {}, { call, signal } = {}) {
    try {
      return await this.invoke(tool, input, { key: keyOf(call, tool, input), compact: true, signal })
    } catch (error) {
      if (signal?.aborted) throw error
      return failure(error, tool)
    }
  }

  /** The definitions in the form that an API takes: mcp, openai, openai-chat, anthropic, gemini. */
  async tools(form = 'mcp', { names = [], profile } = {}) {
    const only = profile && names.length === 0 ? ['--profile', profile] : []
    let found
    if (this.#options.server) {
      found = parsed(await this.#request(`/tools?${new URLSearchParams({ format: form, ...(profile && { profile }) })}`))
    } else {
      found = parsed(await this.#run(['tools', ...names, '--format', form, ...only, ...this.#flags], ''))
    }
    if (!found) throw new TechoError({ code: 'upstream', message: 'no answer of techo' })
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

  #run(args, input, of = {}) {
    return new Promise((resolve, reject) => {
      const { timeout, env } = this.#options
      const child = spawn(this.#command(), args, { env: { ...process.env, ...hinted(env) }, windowsHide: true })
      const stop = () => child.kill('SIGKILL')
      const timer = setTimeout(() => {
        stop()
        reject(timedOut(of, timeout))
      }, timeout)
      const aborted = () => {
        stop()
        reject(of.signal.reason)
      }
      of.signal?.addEventListener('abort', aborted, { once: true })
      let out = ''
      let errors = ''
      const settle = () => {
        clearTimeout(timer)
        of.signal?.removeEventListener('abort', aborted)
      }
      child.stdout.setEncoding('utf8').on('data', (data) => (out += data))
      child.stderr.setEncoding('utf8').on('data', (data) => (errors += data))
      child.on('error', (error) => {
        settle()
        reject(new TechoError({ code: 'unavailable', message: `techo cannot be started: ${error.message}`, tool: of.tool }))
      })
      child.on('close', (code, killed) => {
        settle()
        if (out) resolve(out.trimEnd())
        else if (killed) reject(lost(of))
        else reject(new TechoError({ message: errors.trim() || `exit code ${code}`, tool: of.tool }))
      })
      child.stdin.on('error', () => {})
      child.stdin.end(input)
    })
  }

  async #request(path, body, of = {}) {
    const { server, token = process.env.TECHO_TOKEN, user, lang, tz, timeout } = this.#options
    const headers = { ...(body !== undefined && { 'Content-Type': 'application/json' }) }
    if (token) headers.Authorization = `Bearer ${token}`
    if (of.key) headers['Idempotency-Key'] = of.key
    if (of.compact) headers['Techo-Compact'] = 'true'
    for (const [name, value] of Object.entries({ 'Techo-User': user, 'Techo-Lang': lang, 'Techo-Tz': tz })) {
      if (value) headers[name] = value
    }
    const late = AbortSignal.timeout(timeout)
    let answer, text
    try {
      answer = await fetch(server.replace(/\/$/, '') + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        body,
        signal: of.signal ? AbortSignal.any([of.signal, late]) : late,
      })
      text = (await answer.text()).trimEnd()
    } catch (error) {
      if (of.signal?.aborted) throw of.signal.reason
      if (late.aborted) throw timedOut(of, timeout)
      throw unreachable(error, of)
    }
    const found = parsed(text)
    if (typeof found === 'object' && found !== null && !(of.tool && Array.isArray(found))) return text
    const again = [408, 425, 429].includes(answer.status) || answer.status >= 500
    throw maybe({ code: 'upstream', message: `the server answered ${answer.status} without a document of techo` }, of, again)
  }
}

for (const name of names) {
  Techo.prototype[name] = function (input) {
    return this.call(name, input)
  }
}

/** One process that answers many calls, in order. It keeps no program alive unless a call is under way. */
class Batch {
  #worker
  #start

  constructor(command, args, env) {
    this.#start = () => new Worker(spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true }))
  }

  call(of, timeout) {
    return new Promise((resolve, reject) => {
      if (!this.#worker || this.#worker.ended) this.#worker = this.#start()
      const worker = this.#worker
      const timer = setTimeout(() => {
        if (this.#worker === worker) this.#worker = undefined // others still get their answers from it
        worker.giveUp(one)
        reject(timedOut(of, timeout))
      }, timeout)
      const settle = (with_) => (value) => {
        clearTimeout(timer)
        with_(value)
      }
      const one = { resolve: settle(resolve), reject: settle(reject), of }
      worker.send(one)
    })
  }

  async close() {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.close()
  }
}

/** A process with the calls that wait for its answers. */
class Worker {
  ended = false
  #child
  #waiting = []

  constructor(child) {
    this.#child = child
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (data) => {
      const lines = (rest + data).split('\n')
      rest = lines.pop()
      for (const line of lines) this.#waiting.shift().resolve(line)
      this.#hold()
    })
    const ended = () => {
      this.ended = true
      for (const { reject, of } of this.#waiting.splice(0)) reject(lost(of))
    }
    child.on('error', ended)
    child.on('close', ended)
    child.stdin.on('error', () => {})
  }

  send(one) {
    const { tool, text, key, compact } = one.of
    this.#waiting.push(one)
    this.#hold()
    const more = (key ? `,"idempotency_key":${JSON.stringify(key)}` : '') + (compact ? ',"compact":true' : '')
    // One line: JSON has line ends only between values.
    this.#child.stdin.write(`{"tool":${JSON.stringify(tool)},"input":${text.replace(/[\r\n]/g, ' ')}${more}}\n`)
  }

  giveUp(one) {
    one.over = true
    this.#child.stdin.end()
    if (this.#waiting.every(({ over }) => over)) this.#child.kill('SIGKILL')
  }

  /** Lets the program end while no call is under way. */
  #hold() {
    const how = this.#waiting.length > 0 ? 'ref' : 'unref'
    for (const handle of [this.#child, this.#child.stdin, this.#child.stdout]) handle[how]?.()
  }

  close() {
    if (this.ended) return
    return new Promise((closed) => {
      this.#child.on('close', closed)
      for (const handle of [this.#child, this.#child.stdin, this.#child.stdout]) handle.ref?.()
      this.#child.stdin.end()
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

/** The idempotency key of a framework's call: the same for the same call, another for another input. */
function keyOf(call, tool, input) {
  const value = typeof input === 'string' ? (parsed(unmarked(input)) ?? input) : input
  return createHash('sha256').update(JSON.stringify([call ?? randomUUID(), tool, sorted(value)])).digest('hex')
}

const sorted = (value) =>
  Array.isArray(value) ? value.map(sorted)
  : value && typeof value === 'object' ? Object.fromEntries(Object.keys(value).sort().map((k) => [k, sorted(value[k])]))
  : value

/** The environment of a call, whose hints name tools and fields. */
const hinted = (env) => ({ ...env, TECHO_HINTS: 'tools' })

const timedOut = (of, ms) => maybe({ code: 'timeout', message: `no answer within ${ms / 1000} seconds` }, of, true)

const lost = (of) => maybe({ message: 'techo ended before it answered' }, of, true)

function unreachable(error, of) {
  const reason = error.cause ?? error
  const e = { code: 'upstream', message: `the server cannot be reached: ${reason.message || reason.code}` }
  const unsent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(reason.code)
  return unsent ? new TechoError({ ...e, tool: of.tool, retryable: true, hint: 'Try again later' }) : maybe(e, of, true)
}

const unknown = '; it is not known whether the change was made'
const look = 'Check the current state before you call again'

/** The error of a call that may have been done. It is retryable only if repeating it is safe. */
function maybe(error, { tool, text, key }, again) {
  const isRead = !tool || reads.includes(called(tool, text))
  if (!isRead && !key) return new TechoError({ ...error, message: error.message + unknown, hint: look, tool, retryable: false })
  const e = new TechoError({ ...error, hint: again ? 'Try again' : 'Check the address of the server', tool, retryable: again })
  Object.defineProperty(e, 'maybe', { value: !isRead })
  return e
}

/** A failure as an answer for a model. */
function failure(e, tool) {
  const error = { code: e.code ?? 'internal', message: e.message, hint: e.hint, tool: e.tool || tool, retryable: e.retryable ?? false }
  if (!(e instanceof TechoError)) error.code = 'internal'
  if (e.maybe) {
    // A model calls again under another id, and so with another key.
    Object.assign(error, { message: error.message + unknown, hint: look, retryable: false })
  }
  return { text: JSON.stringify({ error }), ok: false }
}
