import type { Message, MessagePart, ProcessOutputStepArgs, ProcessOutputStepResult } from '@millrace/core'
import { isSameLine, type Line } from '../lines/line.ts'
import { linesOf } from '../lines/lines-of-messages.ts'
import { rewrite } from '../lines/messages-of-lines.ts'
import { reviewOf } from './transcript.ts'

/**
 * Changes the response of the current step, and nothing else in the transcript. An empty response stays
 * empty.
 *
 * @param editParts For changes that a line cannot express: receives the parts of the step after `edit`
 */
export function editLastResponse(
  args: ProcessOutputStepArgs,
  edit: (line: Line) => Line,
  editParts: (parts: readonly MessagePart[]) => readonly MessagePart[] = (parts) => parts,
): ProcessOutputStepResult {
  const message = args.messages.at(-1)
  if (message?.role !== 'assistant') return undefined
  const known = linesOf([message])
  const place = known.findLastIndex(({ line }) => line.role === 'assistant')
  // Results after it belong to an earlier step: the current response is empty.
  if (place !== known.length - 1) return undefined
  const edited = known.map(({ line }, index) => ({ line: index === place ? edit(line) : line, place: index }))
  const isSame = edited.every(({ line }, index) => isSameLine(line, known[index]?.line as Line))
  const changed = isSame ? message : (rewrite(known, edited).messages[0] as Message)
  const start = changed.content.parts.findLastIndex(({ type }) => type === 'step-start') + 1
  const parts = changed.content.parts.slice(start)
  const newParts = editParts(parts)
  if (changed === message && newParts === parts) return undefined
  args.messageList.replace({
    ...changed,
    content: { ...changed.content, parts: [...changed.content.parts.slice(0, start), ...newParts] },
  })
  return reviewOf(args)
}
