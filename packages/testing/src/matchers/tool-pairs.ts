import type { MatcherState, SyncMatcherResult } from 'vitest'
import { unfit, verdict } from './verdict.ts'

interface PartLike {
  readonly type: string
  readonly toolCallId?: string
  readonly toolName?: string
  readonly providerExecuted?: boolean
  readonly state?: string
  readonly preliminary?: boolean
}

interface MessageLike {
  readonly role: string
  readonly content?: string | readonly PartLike[] | { readonly parts?: readonly PartLike[] }
  readonly parts?: readonly PartLike[]
}

/**
 * Every tool call has exactly one result, in the order of the calls and before the next message that is not a tool message.
 * Takes a model prompt, or messages with UI message parts: a part with a final state is a pair. Calls that the provider
 * executes may be answered later and in any order.
 */
export function toPairEveryToolCall(this: MatcherState, received: unknown): SyncMatcherResult {
  if (!Array.isArray(received)) throw unfit(this, received, 'a list of messages')
  const problems = problemsIn(received as MessageLike[])
  const problem = `expected every tool call to have exactly one result, but\n  ${problems.join('\n  ')}`
  const negated = 'expected some tool call to lack its result, but every one has exactly one, in order'
  return verdict(problems.length > 0 ? problem : undefined, negated)
}

function problemsIn(messages: readonly MessageLike[]): string[] {
  const problems: string[] = []
  const seen = new Set<string>()
  const open = new Map<string, PartLike>()

  function call(id: string, part: PartLike): void {
    if (seen.has(id)) problems.push(`${nameOf(part)} is called twice with this id`)
    seen.add(id)
    open.set(id, part)
  }

  function result(id: string, part: PartLike): void {
    const answered = open.get(id)
    if (!answered) {
      problems.push(
        seen.has(id) ? `${nameOf(part)} has a second result` : `${nameOf(part)} has a result without a call`,
      )
      return
    }
    const first = [...open.values()].find((candidate) => !candidate.providerExecuted)
    if (first && !answered.providerExecuted && first !== answered) {
      problems.push(
        `the result of ${nameOf(part)} comes before that of ${nameOf(first)}, which was called first`,
      )
    }
    open.delete(id)
  }

  for (const message of messages) {
    if (message.role !== 'tool') {
      for (const [id, part] of open) {
        if (part.providerExecuted) continue
        problems.push(`${nameOf(part)} has no result before the next message, of role ${message.role}`)
        open.delete(id)
      }
    }
    for (const part of partsOf(message)) {
      const id = part.toolCallId
      if (id === undefined) continue
      if (part.type === 'tool-call') call(id, part)
      else if (part.type === 'tool-result') result(id, part)
      else if (isToolPart(part)) {
        call(id, part)
        open.delete(id)
        if (!isFinal(part)) problems.push(`${nameOf(part)} has no result: its state is '${part.state}'`)
      }
    }
  }
  for (const part of open.values()) problems.push(`${nameOf(part)} has no result`)
  return problems
}

function partsOf({ content, parts }: MessageLike): readonly PartLike[] {
  if (Array.isArray(content)) return content as readonly PartLike[]
  if (typeof content === 'object') return (content as { parts?: readonly PartLike[] }).parts ?? []
  return parts ?? []
}

function isToolPart({ type }: PartLike): boolean {
  return type === 'dynamic-tool' || type.startsWith('tool-')
}

function isFinal({ state, preliminary }: PartLike): boolean {
  return (
    !preliminary && (state === 'output-available' || state === 'output-error' || state === 'output-denied')
  )
}

function nameOf({ type, toolName, toolCallId }: PartLike): string {
  return `${toolName ?? type.replace(/^tool-/, '')} (${toolCallId})`
}
