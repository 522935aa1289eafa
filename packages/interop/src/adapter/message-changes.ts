import type { ProcessInputStepArgs, ProcessInputStepResult } from '@millrace/core'
import type { SourceLine } from '../lines/lines-of-messages.ts'
import { type EditedLine, rewrite } from '../lines/messages-of-lines.ts'

/** The messages of this call, after lines were edited. */
export function messageChanges(
  args: ProcessInputStepArgs,
  known: readonly SourceLine[],
  edited: readonly EditedLine[],
): Pick<ProcessInputStepResult, 'messages' | 'systemMessages'> {
  const { messages, systemMessages, isChanged } = rewrite(known, edited)
  if (!isChanged) return {}
  return {
    ...(!isSameList(messages, args.messages) && { messages }),
    ...(!isSameList(systemMessages, args.systemMessages) && { systemMessages }),
  }
}

function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index])
}
