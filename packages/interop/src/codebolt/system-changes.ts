import type { SystemMessage } from '@millrace/core'
import { isRecord } from '@millrace/core'

/**
 * Changes that a modifier made to the system messages after a call, for the following calls. JSON, so that a
 * resumed run has them again.
 */
interface SystemChanges {
  /** Old and new text; `null` removes the message. */
  replaced: [string, string | null][]
  added: string[]
}

/** Adds the difference between the two to `state`, after earlier changes. */
export function recordSystemChanges(
  state: Record<string, unknown>,
  before: readonly SystemMessage[],
  after: readonly SystemMessage[],
): void {
  const left = before.filter(({ content }) => !after.some((message) => message.content === content))
  const fresh = after.filter(({ content }) => !before.some((message) => message.content === content))
  if (left.length === 0 && fresh.length === 0) return
  const changes = noted(state)
  // If there are as many new messages as missing ones, they count as edited.
  const isEdited = left.length === fresh.length
  for (const [index, { content }] of left.entries()) {
    const now = isEdited ? (fresh[index]?.content ?? null) : null
    const own = changes.added.indexOf(content)
    if (own === -1) changes.replaced.push([content, now])
    else changes.added.splice(own, 1, ...(now === null ? [] : [now]))
  }
  if (!isEdited) changes.added.push(...fresh.map(({ content }) => content))
  state.system = changes
}

/** The system messages with the stored changes. `undefined` if there are none. */
export function withSystemChanges(
  state: Record<string, unknown>,
  systemMessages: readonly SystemMessage[],
): SystemMessage[] | undefined {
  if (state.system === undefined) return undefined
  const { replaced, added } = noted(state)
  const current = systemMessages.flatMap((message) => {
    const change = replaced.findLast(([before]) => before === message.content)
    if (!change) return [message]
    return change[1] === null ? [] : [{ ...message, content: change[1] }]
  })
  return [...current, ...added.map((content) => ({ role: 'system' as const, content }))]
}

function noted({ system }: Record<string, unknown>): SystemChanges {
  return isRecord(system) ? (system as unknown as SystemChanges) : { replaced: [], added: [] }
}
