import { MillraceError } from '../../errors.ts'
import type { Run } from '../../run/run.ts'
import type { StoredRun, SuspendedRun } from '../../storage/run-store.ts'
import type { WaitingCall } from '../../tools/waiting-calls.ts'

/** An answer that somebody wants to give to a call that waits. */
export interface AnswerInQuestion {
  call: WaitingCall
  /** The run that waits, with its owner. */
  run: SuspendedRun
  /** Who answers: as in the options of the call. */
  by: string | undefined
}

/** Whether an answer may be given by this caller. */
export type MayAnswer = (answer: AnswerInQuestion) => boolean | Promise<boolean>

/** @throws MillraceError `CONFIG_INVALID` if `by` is not the id of somebody */
export function checkBy({ by }: Run): void {
  if (by === undefined || (typeof by === 'string' && by !== '')) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `by is ${by === '' ? 'empty' : `of type ${typeof by}`}. Use the id of who answers, as a string.`,
  )
}

/** @throws MillraceError `RUN_ANSWER_FORBIDDEN` */
export async function requireMayAnswer(
  { by }: Run,
  { snapshot: _, ...run }: StoredRun,
  { call, mayAnswer }: { call: WaitingCall; mayAnswer: MayAnswer },
): Promise<void> {
  if ((await mayAnswer({ call, run, by })) === true) return
  throw new MillraceError(
    'RUN_ANSWER_FORBIDDEN',
    `This caller may not answer the call '${call.toolCallId}' of the run '${run.runId}', which still waits. Let somebody answer it whom mayAnswer accepts.`,
  )
}
