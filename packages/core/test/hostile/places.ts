import type { HookName, Processor } from '@millrace/core'
import { HOOK_NAMES } from '@millrace/core'

/** An object among a hook's arguments: which call of the hook it was, and the keys that lead to it. */
export interface Place {
  hook: HookName
  call: number
  path: readonly string[]
}

type Args = Record<string, unknown>

/**
 * What is documented as shared: services of the application and the run, and objects of libraries, which cannot be copied.
 * The message list is reached by its messages.
 */
const SHARED: ReadonlySet<string> = new Set([
  'messageList',
  'requestContext',
  'tracingContext',
  'abortSignal',
  'counters',
  'model',
  'error',
  'inputSchema',
  'outputSchema',
  'schema',
])

/** All objects that can be reached from a hook's arguments, shared ones left out. */
function objectsIn(args: Args, hook: HookName, call: number): Place[] {
  const places: Place[] = []
  const seen = new Set<object>()
  const pending: [value: object, path: string[]][] = [[args, []]]
  for (let next = pending.shift(); next; next = pending.shift()) {
    const [value, path] = next
    places.push({ hook, call, path })
    for (const key of Object.keys(value)) {
      const inner = (value as Args)[key]
      if (typeof inner !== 'object' || inner === null || seen.has(inner) || SHARED.has(key)) continue
      seen.add(inner)
      pending.push([inner, [...path, key]])
    }
  }
  return places
}

/** A processor with all hooks, which does nothing but call `visit` with their arguments. */
function visitor(visit: (hook: HookName, call: number, args: Args) => void): Processor {
  const calls = new Map<HookName, number>()
  const hooks = HOOK_NAMES.map((hook) => [
    hook,
    (args: Args) => {
      const call = calls.get(hook) ?? 0
      calls.set(hook, call + 1)
      visit(hook, call, args)
      if (hook === 'wrapModelCall') return (args.next as (request: unknown) => unknown)(args.request)
      return hook === 'processOutputStream' ? args.part : undefined
    },
  ])
  return { id: 'hostile', ...Object.fromEntries(hooks) }
}

/** Notes all places there are: of those that are alike in several calls of a hook, the first. */
export function explorer(): { processor: Processor; places: Place[] } {
  const places: Place[] = []
  const known = new Set<string>()
  const processor = visitor((hook, call, args) => {
    const { type } = (args.part ?? {}) as { type?: string }
    for (const place of objectsIn(args, hook, call)) {
      const path = place.path.map((key) => (place.path[0] === 'streamParts' && /^\d/.test(key) ? '*' : key))
      const kind = JSON.stringify([hook, type, path])
      if (known.has(kind)) continue
      known.add(kind)
      places.push(place)
    }
  })
  return { processor, places }
}

/** Changes the object at one place in every way there is: replaces, adds and deletes, in lists as in objects. */
export function vandal(place: Place): { processor: Processor; reached: () => boolean } {
  let reached = false
  const processor = visitor((hook, call, args) => {
    if (hook !== place.hook || call !== place.call) return
    let target: unknown = args
    for (const key of place.path) target = (target as Args | undefined)?.[key]
    if (typeof target !== 'object' || target === null) return
    reached = true
    vandalise(target as Args)
  })
  return { processor, reached: () => reached }
}

function vandalise(target: Args | unknown[]): void {
  if (Array.isArray(target)) {
    target.push('vandal', ...target)
    target.shift()
    return
  }
  const keys = Object.keys(target)
  for (const [index, key] of keys.entries()) {
    const value = target[key]
    if (SHARED.has(key) || key === 'next' || key === 'part') continue
    if (index % 3 === 2) delete target[key]
    else if (typeof value === 'string') target[key] = `${value} vandal`
    else if (typeof value === 'number') target[key] = value + 1
    else if (typeof value === 'function') target[key] = () => 'vandal'
    else target[key] = { vandal: true }
  }
  target.vandal = { vandal: true }
}
