import type { SystemMessage } from '@millrace/core'
import { isRecord } from '@millrace/core'

/** How a modifier changed the system messages after a call: for the calls that follow. JSON, so that it is resumed. */
interface SystemChanges {
  /** Old text and new; `null` removes it. */
  replaced: [string, string | null][]
  added: string[]
}

/** Notes the difference between the two in `state`, after what was noted before. */
export function noteSystemChanges(
  state: Record<string, unknown>,
  before: readonly SystemMessage[],
  after: readonly SystemMessage[],
): void {
  const left = before.filter(({ content }) => !after.some((message) => message.content === content))
  const fresh = after.filter(({ content }) => !before.some((message) => message.content === content))
  if (left.length === 0 && fresh.length === 0) return
  const changes = noted(state)
  // As many new as old ones are taken to be the old ones, edited.
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

/** The system messages with what was noted, or `undefined` if nothing was. */
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
