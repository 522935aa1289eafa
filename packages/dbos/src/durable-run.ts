import { DBOS, Error as DBOSErrors, type WorkflowHandle, type WorkflowStatus } from '@dbos-inc/dbos-sdk'
import {
  type Chunk,
  ERROR_CODES,
  MillraceError,
  type MillraceErrorCode,
  type RunResult,
} from '@millrace/core'
import { cancelledRun } from '@millrace/core/recording'
import { checkAnswer } from './check-answer.ts'
import { ChunkLine } from './chunk-line.ts'
import { CHUNKS, type StoredBatch } from './chunk-writer.ts'
import type { SuspensionInfo } from './live-run.ts'
import { outside } from './outside.ts'
import { answerTopic, SUSPENSION, type Waiting } from './run-workflow.ts'
import { revivedChunks } from './stored-chunk.ts'
import { revivedResult } from './stored-result.ts'

/** Where a durable run is: `queued` before it begins, `suspended` while it waits to be resumed. */
export type DurableRunStatus = 'queued' | 'running' | 'suspended' | 'done' | 'failed' | 'cancelled'

/** Whose run it is. */
export interface RunOwner {
  resourceId?: string | undefined
}

/** A durable run, from any process. Nothing of the run is in it. */
export class DurableRun<RESULT extends RunResult = RunResult> {
  /** The DBOS workflow, and the run: the same in results, chunks, events and spans. */
  readonly workflowId: string
  readonly resourceId: string | undefined

  /** Of a run that was started here, which tells its result at once. */
  readonly #handle: WorkflowHandle<string> | undefined

  constructor(workflowId: string, { resourceId }: RunOwner = {}, handle?: WorkflowHandle<string>) {
    this.workflowId = workflowId
    this.resourceId = resourceId
    this.#handle = handle
  }

  /**
   * The chunks of the run, from the beginning or an offset, up to its end: those it has emitted, and those to come. A run
   * that is suspended goes on in the same stream when it is resumed; a reader that does not want to wait for that leaves at
   * the chunk `suspended`. When a process dies, what it had streamed of a step is taken back with `step-discarded`.
   *
   * @param options.from How many chunks the reader has already. Default: 0.
   */
  async *stream({ from = 0 }: { from?: number } = {}): AsyncGenerator<Chunk, void> {
    const line = new ChunkLine()
    let offset = 0
    // How the run ends counts when it is recorded: another process may end it otherwise.
    let last: Chunk | undefined
    const batches = outside(() => DBOS.readStream<StoredBatch>(this.workflowId, CHUNKS))
    for (;;) {
      const { value: batch, done } = await outside(() => batches.next())
      if (done) break
      for (const chunk of line.accept({ ...batch, chunks: revivedChunks(batch.chunks) })) {
        last = isLast(chunk) ? chunk : undefined
        if (!last && offset++ >= from) yield chunk
      }
    }
    if (last && offset >= from) yield last
  }

  /**
   * How the run ended, once it has: also over suspensions, and if it is still to begin.
   *
   * @throws MillraceError that of the run if it failed, `RUN_CANCELLED`, or `RUN_EXPIRED` if it was not resumed in time
   */
  async result(): Promise<RESULT> {
    try {
      const handle = this.#handle ?? DBOS.retrieveWorkflow<string>(this.workflowId)
      return revivedResult(await outside(() => handle.getResult({ pollingIntervalMs: 100 }))) as RESULT
    } catch (error) {
      throw this.#failure(error)
    }
  }

  async status(): Promise<DurableRunStatus> {
    const { status } = await this.#workflow()
    if (status !== 'PENDING') return STATUSES[status] ?? 'failed'
    return (await this.#waiting()) ? 'suspended' : 'running'
  }

  /** What the run waits for, if it does. */
  async suspension(): Promise<SuspensionInfo | undefined> {
    return (await this.#waiting())?.suspension
  }

  /**
   * Resumes the run, which goes on in some process. What it can be resumed with is what it waits for: for approvals
   * `{ approved, reason? }`, or such objects by call id. The first answer counts.
   *
   * @throws MillraceError `RUN_NOT_FOUND` if there is no such run of this resource, `RUN_RESUME_INVALID` if the data does not
   * answer what it waits for, `RUN_ALREADY_RESUMED` if it waits for nothing
   */
  async resume(data?: unknown, { resourceId }: RunOwner = {}): Promise<void> {
    await this.#workflow({ resourceId })
    const waiting = await this.#waiting()
    if (!waiting) {
      throw new MillraceError(
        'RUN_ALREADY_RESUMED',
        `The run '${this.workflowId}' waits for nothing: it was resumed, has ended, or has not come that far. See its status().`,
      )
    }
    const { wait, suspension } = waiting
    checkAnswer(suspension.payload, data)
    await this.answer(wait, data)
  }

  /** @internal Answers one suspension, once. */
  async answer(wait: number, data: unknown): Promise<void> {
    const topic = answerTopic(wait)
    await outside(() => DBOS.send(this.workflowId, { data }, topic, `${this.workflowId} ${topic}`))
  }

  /**
   * Ends the run where it is, with the runs of agents it has called. Its model call and its tools are aborted. A run that has
   * ended stays as it is.
   */
  async cancel(): Promise<void> {
    await outside(() => DBOS.cancelWorkflow(this.workflowId, { cancelChildren: true }))
  }

  async #waiting(): Promise<Waiting | undefined> {
    const event = outside(() => DBOS.getEvent<Waiting>(this.workflowId, SUSPENSION, { timeoutSeconds: -1 }))
    return (await event) ?? undefined
  }

  async #workflow({ resourceId = this.resourceId }: RunOwner = {}): Promise<WorkflowStatus> {
    return findWorkflow(this.workflowId, { ...(resourceId !== undefined && { resourceId }) })
  }

  #failure(error: unknown): unknown {
    const { code, message } = error as { code?: unknown; message?: unknown }
    if (typeof code === 'string' && Object.hasOwn(ERROR_CODES, code))
      return new MillraceError(code as MillraceErrorCode, String(message), { cause: error })
    const { DBOSAwaitedWorkflowCancelledError, DBOSWorkflowCancelledError } = DBOSErrors
    const isCancelled =
      error instanceof DBOSAwaitedWorkflowCancelledError || error instanceof DBOSWorkflowCancelledError
    return isCancelled ? cancelledRun(this.workflowId) : error
  }
}

const STATUSES: Readonly<Record<string, DurableRunStatus>> = {
  ENQUEUED: 'queued',
  DELAYED: 'queued',
  SUCCESS: 'done',
  CANCELLED: 'cancelled',
}

/**
 * The workflow of a run.
 *
 * @throws MillraceError `RUN_NOT_FOUND` if there is none of this resource
 */
export async function findWorkflow(
  workflowId: string,
  { resourceId, workflowName }: RunOwner & { workflowName?: string },
): Promise<WorkflowStatus> {
  const status = await outside(() => DBOS.getWorkflowStatus(workflowId))
  const isOther = workflowName !== undefined && status?.workflowName !== workflowName
  if (status && !isOther && status.attributes?.resourceId === resourceId) return status
  throw new MillraceError(
    'RUN_NOT_FOUND',
    `There is no run '${workflowId}'. Check the id, and the resourceId if it belongs to one.`,
  )
}

/** Whether a chunk says how its run ended. */
export function isLast({ type }: Chunk): boolean {
  return type === 'finish' || type === 'tripwire' || type === 'abort' || type === 'error'
}
