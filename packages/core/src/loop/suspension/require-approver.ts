import { MillraceError } from '../../errors.ts'
import type { Run } from '../../run/run.ts'
import type { StoredRun, SuspendedRun } from '../../storage/run-store.ts'
import type { WaitingCall } from '../../tools/waiting-calls.ts'

/** An approval or denial that somebody wants to give. */
export interface ApprovalInQuestion {
  call: WaitingCall
  /** The run that waits, with its owner. */
  run: SuspendedRun
  /** Who decides: as in the options of the call. */
  by: string | undefined
}

/** Whether an approval may be given by this caller. */
export type MayApprove = (approval: ApprovalInQuestion) => boolean | Promise<boolean>

/** @throws MillraceError `RUN_APPROVAL_FORBIDDEN` */
export async function requireApprover(
  { by }: Run,
  { snapshot: _, ...run }: StoredRun,
  { call, mayApprove }: { call: WaitingCall; mayApprove: MayApprove },
): Promise<void> {
  if ((await mayApprove({ call, run, by })) === true) return
  throw new MillraceError(
    'RUN_APPROVAL_FORBIDDEN',
    `This caller may not decide on the call '${call.toolCallId}' of the run '${run.runId}', which still waits. Let somebody decide whom mayApprove accepts.`,
  )
}
