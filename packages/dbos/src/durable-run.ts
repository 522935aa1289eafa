import { createHash } from 'node:crypto'
import { DBOS, Error as DBOSErrors, type WorkflowHandle, type WorkflowStatus } from '@dbos-inc/dbos-sdk'
import {
  type Chunk,
  ERROR_CODES,
  MillraceError,
  type MillraceErrorCode,
  type OptionNames,
  type RunResult,
  requireOptions,
} from '@millrace/core'
import { cancelledRun, readAnswers, waitingCallsOf } from '@millrace/core/recording'
import { ChunkMerger } from './chunk-merger.ts'
import { CHUNKS, type StoredBatch } from './chunk-writer.ts'
import type { SuspensionInfo } from './live-run.ts'
import { outsideWorkflow } from './outside-workflow.ts'
import type { RunAnswer } from './recording.ts'
import { answerTopic, SUSPENSION, type Waiting } from './run-workflow.ts'
import { revivedChunks } from './stored-chunk.ts'
import { revivedResult } from './stored-result.ts'

/** The status of a durable run: `queued` before it starts, `suspended` while it waits to be resumed. */
export type DurableRunStatus = 'queued' | 'running' | 'suspended' | 'done' | 'failed' | 'cancelled'

/** The owner of a run. */
export interface RunOwner {
  resourceId?: string | undefined
}

export const RUN_OWNER: OptionNames<RunOwner> = { resourceId: 'optional' }

/** A handle of a durable run, in any process. It holds no state of the run. */
export class DurableRun<RESULT extends RunResult = RunResult> {
  /** The id of the DBOS workflow and of the run, which results, chunks, events and spans also have. */
  readonly workflowId: string
  readonly resourceId: string | undefined

  /** Of a run that was started in this process: it returns the result without polling. */
  readonly #handle: WorkflowHandle<string> | undefined

  constructor(workflowId: string, { resourceId }: RunOwner = {}, handle?: WorkflowHandle<string>) {
    this.workflowId = workflowId
    this.resourceId = resourceId
    this.#handle = handle
  }

  /**
   * The chunks of the run up to its end, also those still to come. A suspended run continues in the same
   * stream after it is resumed; to stop there, leave at the chunk `suspended`. If a process dies, the
   * unrecorded chunks of a step are retracted with `step-discarded`.
   *
   * @param options.from The offset of the first chunk: how many chunks the reader has already. Default: 0.
   */
  async *stream(options: { from?: number } = {}): AsyncGenerator<Chunk, void> {
    const { from = 0 } = requireOptions('durableRun.stream()', options, { from: 'optional' })
    const merger = new ChunkMerger()
    let offset = 0
    // The last chunk is emitted when the stream is closed: until then another process may end the run
    // differently.
    let last: Chunk | undefined
    const batches = outsideWorkflow(() => DBOS.readStream<StoredBatch>(this.workflowId, CHUNKS))
    for (;;) {
      const { value: batch, done } = await outsideWorkflow(() => batches.next())
      if (done) break
      for (const chunk of merger.accept({ ...batch, chunks: revivedChunks(batch.chunks) })) {
        last = isLast(chunk) ? chunk : undefined
        if (!last && offset++ >= from) yield chunk
      }
    }
    if (last && offset >= from) yield last
  }

  /**
   * Waits for the result of the run, also over suspensions and before it starts.
   *
   * @throws MillraceError The error of the run if it failed, `RUN_CANCELLED`, or `RUN_EXPIRED` if it was not
   * resumed in time
   */
  async result(): Promise<RESULT> {
    try {
      const handle = this.#handle ?? DBOS.retrieveWorkflow<string>(this.workflowId)
      return revivedResult(
        await outsideWorkflow(() => handle.getResult({ pollingIntervalMs: 100 })),
      ) as RESULT
    } catch (error) {
      throw this.#failure(error)
    }
  }

  async status(): Promise<DurableRunStatus> {
    const { status } = await this.#workflow()
    if (status !== 'PENDING') return STATUSES[status] ?? 'failed'
    return (await this.#waiting()) ? 'suspended' : 'running'
  }

  /** What the run waits for; `undefined` if it is not suspended. */
  async suspension(): Promise<SuspensionInfo | undefined> {
    return (await this.#waiting())?.suspension
  }

  /**
   * Resumes the run, in any process, with the same data as `resume` of an agent: answers by call id, or one
   * answer. The first answer to a call counts. If it answers only some of the calls, the run waits for the rest.
   * `by` is recorded as who has answered.
   *
   * @throws MillraceError `RUN_NOT_FOUND` if this resource has no such run, `RUN_RESUME_INVALID` if the data
   * does not fit, `RUN_ALREADY_RESUMED` if the run is not suspended
   */
  async resume(data?: unknown, options: RunOwner & { by?: string } = {}): Promise<void> {
    const given = requireOptions('durableRun.resume()', options, { ...RUN_OWNER, by: 'optional' })
    const { resourceId, by } = 'resourceId' in options ? given : { ...given, resourceId: this.resourceId }
    await this.#workflow({ resourceId })
    const waiting = await this.#waiting()
    if (!waiting) {
      throw new MillraceError(
        'RUN_ALREADY_RESUMED',
        `The run '${this.workflowId}' is not suspended: it was resumed already, has ended, or still works. Check its status().`,
      )
    }
    // So that the caller gets the error. The run checks the data again.
    const calls = waitingCallsOf(waiting.suspension.payload)
    if (calls.length > 0) readAnswers(data, { waiting: calls })
    await this.#send(waiting.place, { data, by })
  }

  /** @internal Sends the answer to one suspension. The same answer is sent once. */
  async answer(wait: number, answer: RunAnswer): Promise<void> {
    const waiting = await this.#waiting()
    await this.#send(waiting?.wait === wait ? waiting.place : wait, answer)
  }

  /** Several answers may be on their way to one place: the run takes those that it still waits for. */
  async #send(place: number, answer: RunAnswer): Promise<void> {
    const topic = answerTopic(place)
    const hash = createHash('sha256').update(JSON.stringify(answer)).digest('hex')
    await outsideWorkflow(() =>
      DBOS.send(this.workflowId, answer, topic, `${this.workflowId} ${topic} ${hash}`),
    )
  }

  /**
   * Cancels the run and the runs of agents that it has called. Model calls and tools are aborted. A run that
   * has ended is not changed.
   */
  async cancel(): Promise<void> {
    await outsideWorkflow(() => DBOS.cancelWorkflow(this.workflowId, { cancelChildren: true }))
  }

  async #waiting(): Promise<Waiting | undefined> {
    const event = outsideWorkflow(() =>
      DBOS.getEvent<Waiting>(this.workflowId, SUSPENSION, { timeoutSeconds: -1 }),
    )
    return (await event) ?? undefined
  }

  async #workflow({ resourceId }: RunOwner = this): Promise<WorkflowStatus> {
    return findWorkflow(this.workflowId, { resourceId })
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
 * @throws MillraceError `RUN_NOT_FOUND` if this resource has no such run
 */
export async function findWorkflow(
  workflowId: string,
  { resourceId, workflowName }: RunOwner & { workflowName?: string },
): Promise<WorkflowStatus> {
  const status = await outsideWorkflow(() => DBOS.getWorkflowStatus(workflowId))
  const isOther = workflowName !== undefined && status?.workflowName !== workflowName
  if (status && !isOther && status.attributes?.resourceId === ownerAttribute(resourceId)) return status
  throw new MillraceError(
    'RUN_NOT_FOUND',
    `There is no run '${workflowId}'. Check the id, and pass the resourceId that the run was started with.`,
  )
}

/** The owner as an attribute of a workflow: `null` for none, because a filter cannot ask for what is missing. */
export function ownerAttribute(resourceId: string | undefined): string | null {
  return resourceId ?? null
}

/** Whether the chunk ends a run. */
export function isLast({ type }: Chunk): boolean {
  return type === 'finish' || type === 'tripwire' || type === 'abort' || type === 'error'
}
