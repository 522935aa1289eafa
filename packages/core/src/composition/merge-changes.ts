import { MillraceError } from '../errors.ts'
import { HOOKS, type HookName } from '../hook-name.ts'
import type { Message } from '../messages/message.ts'
import { isSame } from '../processors/snapshot-of.ts'
import { type Chunk, isStructural } from '../results/chunk.ts'
import type { RunResult } from '../results/result.ts'
import { MessageList } from '../transcript/message-list.ts'
import type { HookArgs, Member } from './member.ts'

/** The result of one of several members that ran in parallel. */
export interface Change {
  member: Member
  value: unknown
}

type Fields = Record<string, unknown>

/**
 * Merges the results of several hooks for the same arguments.
 *
 * @throws MillraceError `PROCESSOR_RESULT_INVALID` if two have changed the same thing
 */
export function mergeChanges(hook: HookName, results: readonly Change[], args: HookArgs): unknown {
  const { perChunk, list } = HOOKS[hook]
  if (perChunk) return mergeChunks(hook, results, args)
  if (list === 'input') return mergeFields(hook, results, args)
  const denials = results.filter(({ value }) => isFields(value) && 'deny' in value)
  for (const { member } of denials) member.recordAction('denied')
  const [denial] = denials
  return denial ? denial.value : singleChange(hook, changesOf(hook, results, args))
}

/** Returns the chunk or result unless a member has changed it. Several members may drop the same chunk. */
function mergeChunks(hook: HookName, results: readonly Change[], args: HookArgs): unknown {
  const { part, result } = args as HookArgs & { part: Chunk | undefined; result?: RunResult }
  const given = part ?? result
  const nothingIsUnchanged = HOOKS[hook].nothing === 'unchanged' || (part !== undefined && isStructural(part))
  const changes = results.filter(
    ({ value }) => value !== given && !(nothingIsUnchanged && (value === undefined || value === null)),
  )
  if (changes.length === 0) return part
  // Several members may drop the chunk. If one returned an empty array, a structural chunk is held back instead of
  // kept.
  if (changes.every(({ value }) => isDropped(value))) {
    return changes.some(({ value }) => Array.isArray(value)) ? [] : null
  }
  return singleChange(hook, changes)
}

function isDropped(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

/** Merges fields of different members. `messages` and `messageList` count as the same field. */
function mergeFields(hook: HookName, results: readonly Change[], args: HookArgs): unknown {
  const merged: Fields = {}
  const owners = new Map<string, Change>()
  for (const change of changesOf(hook, results, args)) {
    for (const [field, value] of Object.entries(fieldsOf(change))) {
      if (value === undefined) continue
      const thing = field === 'messageList' ? 'messages' : field
      const owner = owners.get(thing)
      if (owner) throw conflict(hook, [owner, change], `changed ${thing}`)
      owners.set(thing, change)
      merged[field] = value
    }
  }
  if (owners.size === 0) return undefined
  if (owners.size === 1 && 'messageList' in merged) return merged.messageList
  // The list was edited in place, so it need not be returned.
  if (!HOOKS[hook].inSteps) delete merged.messageList
  return merged
}

function fieldsOf({ value }: Change): Fields {
  if (Array.isArray(value)) return { messages: value }
  return value instanceof MessageList ? { messageList: value } : (value as Fields)
}

/** The results that contain a change. */
function changesOf(hook: HookName, results: readonly Change[], args: HookArgs): Change[] {
  const changes = results.filter(({ value }) => isChange(hook, value, args))
  // A `MessageList` as a result does not tell which member has edited it. Edits are recorded where they are detected.
  for (const { member, value } of changes) if (!(value instanceof MessageList)) member.recordAction('changed')
  return changes
}

/** Whether the result differs from what the hook was given. */
export function isChange(hook: HookName, value: unknown, args: HookArgs): boolean {
  if (value === undefined || value === null) return false
  const given = args as unknown as Fields & { toolCall?: Fields }
  if (Array.isArray(value)) {
    if (HOOKS[hook].list === 'input') return !isSame(given.messages, value)
    // Messages are merged by id, and missing messages are kept.
    const known = new Map((given.messages as Message[]).map((message) => [message.id, message]))
    return (value as Message[]).some((message) => !isSame(known.get(message.id), message))
  }
  if (!isFields(value)) return true
  return Object.entries(value).some(([key, field]) => {
    if (field === undefined && key !== 'output' && key !== 'value') return false
    return !isSame(field, key === 'input' ? given.toolCall?.input : given[key])
  })
}

/** The only change. Several equal requests, such as for another attempt, count as one. */
function singleChange(hook: HookName, changes: readonly Change[]): unknown {
  const [first, second] = changes
  if (second === undefined || changes.every(({ value }) => isRequest(value))) return first?.value
  throw conflict(hook, changes, 'changed something')
}

function isRequest(value: unknown): boolean {
  if (!isFields(value)) return false
  const { finish, retry, needsApproval } = value
  return (finish === true || retry === true || needsApproval !== undefined) && Object.keys(value).length === 1
}

function isFields(value: unknown): value is Fields {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof MessageList)
  )
}

function conflict(hook: HookName, changes: readonly Change[], what: string): MillraceError {
  const names = changes.map(({ member }) => `'${member.processor.id}'`).join(' and ')
  return new MillraceError(
    'PROCESSOR_RESULT_INVALID',
    `The processors ${names} ran in parallel in ${hook} and each ${what}, without seeing the change of the other. List them one after the other instead of in parallel().`,
  )
}
