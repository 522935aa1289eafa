import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'

/** A fault of a store that several processes use. */
export interface ProcessMistake {
  /** Writes each turn only when the next one is saved. */
  late?: boolean
  /** Writes the last message of a turn only when the next turn is saved. */
  halves?: boolean
  /** Never reads what other processes have written since it was opened. */
  blind?: boolean
  /** Overwrites what other processes have written. */
  overwrites?: boolean
  /** Does not write calls of this method. */
  forgets?: keyof Store
}

const CHANGES = /^(?:save|delete|add|set|claim|update|end|release|append)/

const folderOf = (database: string): string => join(tmpdir(), `${database}-log`)

export function remove(database: string): void {
  rmSync(folderOf(database), { recursive: true, force: true })
}

/** A store that logs its calls in a file, and replays the calls of other processes before each call of its own. */
export function openLog(
  database: string,
  { late, halves, blind, overwrites, forgets }: ProcessMistake = {},
): Store {
  const folder = folderOf(database)
  const log = join(folder, 'log')
  mkdirSync(folder, { recursive: true })
  const memory = new InMemoryStore()
  let read = 0
  let held = ''
  let known = ''

  /** Replays the log, and truncates the incomplete last line of a killed process. */
  async function catchUp(): Promise<void> {
    const text = existsSync(log) ? readFileSync(log, 'utf8') : ''
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    if (whole.length < text.length) writeFileSync(log, whole)
    for (const line of whole.slice(read).split('\n').filter(Boolean)) {
      const [method, values, time] = JSON.parse(line, (name, value) =>
        name === 'createdAt' && typeof value === 'string' ? new Date(value) : value,
      )
      await at(time, () => call(method, values)).catch(() => {})
    }
    read = whole.length
    known = whole
  }

  function call(method: keyof Store, values: unknown[]): Promise<unknown> {
    return (memory[method] as (...values: unknown[]) => Promise<unknown>)(...values)
  }

  function write(method: keyof Store, values: unknown[], time: number): void {
    if (method === forgets) return
    let text = linesOf(method, values, time)
    if (method === 'saveMessages' && (late || halves)) {
      const [now = '', ...later] = late ? ['', text] : text.split(/(?<=\n)/)
      text = held + now
      held = later.join('')
    }
    known += text
    if (overwrites) writeFileSync(log, known)
    else appendFileSync(log, text)
    read += text.length
  }

  /** One line; two for a turn that is written in halves. */
  function linesOf(method: keyof Store, values: unknown[], time: number): string {
    const line = (written: unknown): string => `${JSON.stringify([method, written, time])}\n`
    const [options] = values as [{ messages: unknown[] }]
    if (!halves || method !== 'saveMessages') return line(values)
    const { length } = options.messages
    const part = (start: number, end: number): string =>
      line([{ ...options, messages: options.messages.slice(start, end) }])
    return part(0, length - 1) + part(length - 1, length)
  }

  async function transact(method: keyof Store, values: unknown[]): Promise<unknown> {
    const unlock = await lock(folder)
    try {
      if (!blind || read === 0) await catchUp()
      const time = Date.now()
      const result = await at(time, () => call(method, values))
      if (CHANGES.test(method)) write(method, values, time)
      return result
    } finally {
      unlock()
    }
  }

  return new Proxy<Store>(memory, {
    get(target, name) {
      if (name === 'capabilities') return { ...target.capabilities, persistent: true }
      if (typeof target[name as keyof Store] !== 'function') return undefined
      return (...values: unknown[]) => transact(name as keyof Store, values)
    },
  })
}

/** Leases depend on the clock, so a call is replayed at its original time. */
function at<RESULT>(time: number, call: () => RESULT): RESULT {
  const { now } = Date
  Date.now = () => time
  try {
    return call()
  } finally {
    Date.now = now
  }
}

/**
 * Waits until the lock is free, or its holder is dead. Creating a symbolic link is atomic, and its target names the holder.
 */
async function lock(folder: string): Promise<() => void> {
  const path = join(folder, 'lock')
  const until = Date.now() + 20_000
  while (Date.now() < until) {
    try {
      symlinkSync(String(process.pid), path)
      return () => rmSync(path, { force: true })
    } catch {
      if (isStale(path)) rmSync(path, { force: true })
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  throw new Error('The lock was not released.')
}

function isStale(path: string): boolean {
  try {
    process.kill(Number(readlinkSync(path)), 0)
    return false
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH'
  }
}
