import { DBOS } from '@dbos-inc/dbos-sdk'
import { type Agent, type AgentInput, MillraceError, RequestContext, type RunOptions } from '@millrace/core'
import type { AgentOpener, RecordedTrace } from '@millrace/core/recording'
import { CHUNKS, type StoredBatch } from './chunk-writer.ts'
import { Recording, type Segment } from './recording.ts'
import { revivedError, storedChunks } from './stored-chunk.ts'

/** What a run is started with, as DBOS stores it. */
export interface WorkflowInput {
  input: AgentInput
  threadId?: string
  resourceId?: string
  /** The values of the request context. */
  context?: Record<string, unknown>
  /** The span in which the run was started. */
  trace?: RecordedTrace
  /** The agents that this run is within. */
  agentPath?: readonly string[]
}

export interface WorkflowOptions {
  agent: Agent
  run: RunOptions
  openAgent: (runId: string, input: WorkflowInput) => AgentOpener
  isDurable: (agent: object) => boolean
}

/** The DBOS event that says what a run waits for. */
export const SUSPENSION = 'suspension'

/** What a run waits for. */
export interface Waiting {
  /** Counts the suspensions of the run. An answer names the one it is for. */
  wait: number
  suspension: Extract<Segment, { to: 'suspended' }>['suspension']
}

/** The topic of the message that answers a suspension. */
export function answerTopic(wait: number): string {
  return `resume ${wait}`
}

/**
 * The workflow of a durable run. A DBOS step is a part of the agent's loop: up to the next point from which it can be
 * continued, or one tool call. Between two steps nothing is done but waiting for answers. The result is JSON text, which is
 * stored faster than an object is.
 */
export async function workOnRun(
  { agent, run, openAgent, isDurable }: WorkflowOptions,
  given: WorkflowInput,
): Promise<string> {
  const runId = DBOS.workflowID as string
  const { input, context, agentPath, threadId, resourceId, trace } = given
  const ids = { ...(threadId !== undefined && { threadId }), ...(resourceId !== undefined && { resourceId }) }
  const requestContext = new RequestContext(context, { ...ids, ...(agentPath && { agentPath }) })
  const recording = new Recording({
    agent,
    runId,
    input,
    options: { ...run, ...ids, requestContext },
    openAgent: openAgent(runId, given),
    trace,
    isDurable,
  })
  try {
    let name = 'start'
    for (let wait = 0; ; ) {
      const segment = recording.apply(await DBOS.runStep(() => recording.advance(), { name }))
      switch (segment.to) {
        case 'point':
          name = segment.next
          break
        case 'calls':
          await executeCalls(recording, segment.calls)
          name = 'results'
          break
        case 'suspended':
          recording.resume(await receiveAnswer(segment, wait++))
          name = 'resume'
          break
        case 'end':
          await DBOS.closeStream(CHUNKS)
          return JSON.stringify(segment.result)
        case 'failed':
          await DBOS.closeStream(CHUNKS)
          throw revivedError(segment.error)
        default:
          segment satisfies never
      }
    }
  } catch (error) {
    recording.giveUp(error)
    throw error
  }
}

/** Every call is a DBOS step; they begin in the order of the calls, and run side by side. */
async function executeCalls(
  recording: Recording,
  calls: Extract<Segment, { to: 'calls' }>['calls'],
): Promise<void> {
  await Promise.all(
    calls.map(async (call) => {
      const { toolCallId, toolName } = call
      const outcome = await DBOS.runStep(() => recording.execute(toolCallId), { name: toolName })
      recording.applyCall(call, outcome)
    }),
  )
}

/** Says what the run waits for, and waits. */
async function receiveAnswer(
  { suspension, ttlMs, position }: Extract<Segment, { to: 'suspended' }>,
  wait: number,
): Promise<unknown> {
  const waiting: Waiting = { wait, suspension }
  await DBOS.setEvent(SUSPENSION, waiting)
  const batch: StoredBatch = {
    writer: `suspension ${wait}`,
    at: position,
    kept: position,
    chunks: storedChunks([{ type: 'suspended', ...suspension }]),
  }
  await DBOS.writeStream(CHUNKS, batch)
  const answer = await DBOS.recv<{ data: unknown }>(answerTopic(wait), { timeoutSeconds: ttlMs / 1000 })
  await DBOS.setEvent(SUSPENSION, null)
  if (answer) return answer.data
  throw new MillraceError(
    'RUN_EXPIRED',
    `The run '${suspension.runId}' was not resumed in time (see suspensionTtl of the agent). Start a new run.`,
  )
}
