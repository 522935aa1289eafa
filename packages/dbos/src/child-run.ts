import type { AgentInput, Chunk, RunOptions, RunResult } from '@millrace/core'
import { type AgentCall, activeTrace, type OpenRun } from '@millrace/core/recording'
import { type DurableRun, isLast } from './durable-run.ts'
import { CONTINUED_ELSEWHERE } from './live-run.ts'
import { outsideWorkflow } from './outside-workflow.ts'
import type { WorkflowInput } from './run-workflow.ts'

/** Starts a run of a durable agent, or returns the run that has this id. */
export type StartRun = (given: WorkflowInput, workflowId: string) => Promise<DurableRun>

export interface ParentRun {
  runId: string
  context: Record<string, unknown> | undefined
}

/**
 * The run of an agent that was called as a tool. Its workflow id is derived from the tool call, so that a
 * recovered call finds the same run. If it suspends, the parent run suspends too.
 */
export function openChild(startRun: StartRun, call: AgentCall, parent: ParentRun): OpenRun {
  return new ChildRun(() => startChild(startRun, call, parent), call)
}

class ChildRun implements OpenRun {
  readonly fullStream: AsyncIterable<Chunk>
  readonly #start: () => Promise<DurableRun>
  readonly #call: AgentCall
  readonly #result: PromiseWithResolvers<RunResult> = Promise.withResolvers()
  #isRead = false

  constructor(start: () => Promise<DurableRun>, call: AgentCall) {
    this.#start = start
    this.#call = call
    this.#result.promise.catch(() => {})
    this.fullStream = { [Symbol.asyncIterator]: () => this.#read() }
  }

  get result(): Promise<RunResult> {
    if (!this.#isRead) drain(this.#read())
    return this.#result.promise
  }

  #read(): AsyncGenerator<Chunk, undefined> {
    this.#isRead = true
    const { resolve, reject } = this.#result
    return readChild({ start: this.#start, call: this.#call, resolve, reject })
  }
}

function startChild(startRun: StartRun, { toolCallId, input, options }: AgentCall, parent: ParentRun) {
  const { threadId, resourceId, requestContext } = options as RunOptions
  const owner = resourceId ?? requestContext?.resourceId
  // The trace of the call: it is not active outside of the workflow.
  const trace = activeTrace()
  return outsideWorkflow(() =>
    startRun(
      {
        input: input() as AgentInput,
        ...(threadId !== undefined && { threadId }),
        ...(owner !== undefined && { resourceId: owner }),
        ...(parent.context && { context: parent.context }),
        ...(requestContext && { agentPath: requestContext.agentPath }),
        ...(trace && { trace }),
      },
      `${parent.runId}:${toolCallId}`,
    ),
  )
}

interface ReadOptions {
  start: () => Promise<DurableRun>
  call: AgentCall
  resolve: (result: RunResult) => void
  reject: (error: unknown) => void
}

/** The chunks of the run until it suspends; of a resumed run, those since the resumption. */
async function* readChild({ start, call, resolve, reject }: ReadOptions): AsyncGenerator<Chunk, undefined> {
  const { abortSignal } = call.options as RunOptions
  const resumed = call.resume ? suspensionOf(call.resume.runId) : -1
  let run: DurableRun | undefined
  let isOver = false
  const cancel = (): void => {
    if (run && !isOver && abortSignal?.reason !== CONTINUED_ELSEWHERE) run.cancel().catch(reject)
  }
  const settle = async (ended: DurableRun): Promise<void> => {
    isOver = true
    await ended.result().then(resolve, reject)
  }
  try {
    run = await start()
    if (abortSignal?.aborted) cancel()
    else abortSignal?.addEventListener('abort', cancel, { once: true })
    const { by } = call.options as RunOptions
    if (call.resume) await run.answer(resumed, { data: call.resume.data, by })
    let wait = 0
    for await (const chunk of run.stream()) {
      if (chunk.type !== 'suspended') {
        if (wait <= resumed) continue
        // A reader of the last chunk waits for the result, and may not read further.
        if (isLast(chunk)) await settle(run)
        yield chunk
        continue
      }
      if (wait++ <= resumed) continue
      const waiting = { ...chunk, runId: waitId(run.workflowId, wait - 1) }
      isOver = true
      resolve(suspendedResult(waiting))
      yield waiting
      return
    }
    await settle(run)
  } catch (error) {
    isOver = true
    reject(error)
  } finally {
    abortSignal?.removeEventListener('abort', cancel)
    // The reader has left before the end.
    if (!isOver) {
      cancel()
      reject(new DOMException('The reader of the stream has stopped reading.', 'AbortError'))
    }
  }
}

/** The id of one suspension of the run. Resumption data belongs to one suspension. */
function waitId(workflowId: string, wait: number): string {
  return `${workflowId}#${wait}`
}

function suspensionOf(runId: string): number {
  return Number(runId.slice(runId.lastIndexOf('#') + 1))
}

function suspendedResult({ type: _, ...suspension }: Extract<Chunk, { type: 'suspended' }>): RunResult {
  return {
    runId: suspension.runId,
    status: 'suspended',
    tripwire: false,
    text: '',
    reasoningText: '',
    messages: [],
    steps: [],
    finishReason: 'other',
    processors: [],
    warnings: [],
    suspension,
  } as unknown as RunResult
}

async function drain(chunks: AsyncIterable<Chunk>): Promise<void> {
  for await (const _ of chunks);
}
