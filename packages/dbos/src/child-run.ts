import type { AgentInput, Chunk, RunOptions, RunResult } from '@millrace/core'
import { type AgentCall, activeTrace, type OpenRun } from '@millrace/core/recording'
import { type DurableRun, isLast } from './durable-run.ts'
import { GIVEN_UP } from './live-run.ts'
import { outside } from './outside.ts'
import type { WorkflowInput } from './run-workflow.ts'

/** Starts a run of a durable agent, or finds the one of this id. */
export type StartRun = (given: WorkflowInput, workflowId: string) => Promise<DurableRun>

export interface ParentRun {
  runId: string
  context: Record<string, unknown> | undefined
}

/**
 * The run of an agent that was called as a tool: a workflow whose id is that of the call, so that the call finds it again
 * after a crash. Where it suspends, so does the run that has called it.
 */
export function openChild(startRun: StartRun, call: AgentCall, parent: ParentRun): OpenRun {
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>()
  promise.catch(() => {})
  let isRead = false
  const read = (): AsyncGenerator<Chunk, undefined> => {
    isRead = true
    return readChild({ start: () => startChild(startRun, call, parent), call, resolve, reject })
  }
  return {
    fullStream: { [Symbol.asyncIterator]: read },
    get result() {
      if (!isRead) drain(read())
      return promise
    },
  }
}

function startChild(startRun: StartRun, { toolCallId, input, options }: AgentCall, parent: ParentRun) {
  const { threadId, resourceId, requestContext } = options as RunOptions
  const owner = resourceId ?? requestContext?.resourceId
  // Of the call: outside it is not active.
  const trace = activeTrace()
  return outside(() =>
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

/** The chunks of the run, up to where it waits; of one that is resumed, those since. */
async function* readChild({ start, call, resolve, reject }: ReadOptions): AsyncGenerator<Chunk, undefined> {
  const { abortSignal } = call.options as RunOptions
  const resumed = call.resume ? waitOf(call.resume.runId) : -1
  let run: DurableRun | undefined
  let isOver = false
  const cancel = (): void => {
    if (run && !isOver && abortSignal?.reason !== GIVEN_UP) run.cancel().catch(reject)
  }
  const settle = async (ended: DurableRun): Promise<void> => {
    isOver = true
    await ended.result().then(resolve, reject)
  }
  try {
    run = await start()
    if (abortSignal?.aborted) cancel()
    else abortSignal?.addEventListener('abort', cancel, { once: true })
    if (call.resume) await run.answer(resumed, call.resume.data)
    let wait = 0
    for await (const chunk of run.stream()) {
      if (chunk.type !== 'suspended') {
        if (wait <= resumed) continue
        // Whoever reads the last chunk wants the result, and reads on only then.
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
    // Nobody wants to know more of it.
    if (!isOver) {
      cancel()
      reject(new DOMException('The reader of the stream left.', 'AbortError'))
    }
  }
}

/** Names a suspension of the run: what it is resumed with is for that one. */
function waitId(workflowId: string, wait: number): string {
  return `${workflowId}#${wait}`
}

function waitOf(runId: string): number {
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
