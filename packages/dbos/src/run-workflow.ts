import { DBOS } from '@dbos-inc/dbos-sdk'
import {
  type Agent,
  type AgentInput,
  MillraceError,
  RequestContext,
  type RunOptions,
  type UserMessageMetadata,
} from '@millrace/core'
import type { AgentOpener, RecordedTrace } from '@millrace/core/recording'
import { CHUNKS, type StoredBatch } from './chunk-writer.ts'
import { Recording, type RunAnswer, type Segment } from './recording.ts'
import { revivedError, storedChunks } from './stored-chunk.ts'

/** The input of the workflow, as DBOS stores it. */
export interface WorkflowInput {
  input: AgentInput
  threadId?: string
  resourceId?: string
  /** The values of the request context. */
  context?: Record<string, unknown>
  /** The application's metadata of the user's message. */
  userMessageMetadata?: UserMessageMetadata
  /** The span in which the run was started. */
  trace?: RecordedTrace
  /** The agents that have called this run, outermost first. */
  agentPath?: readonly string[]
}

export interface WorkflowOptions {
  agent: Agent
  run: RunOptions
  openAgent: (runId: string, input: WorkflowInput) => AgentOpener
  isDurable: (agent: object) => boolean
}

/** The name of the DBOS event with the suspension of a run. */
export const SUSPENSION = 'suspension'

/** What a run waits for. */
export interface Waiting {
  /** The number of the suspension, from 0. */
  wait: number
  /** The first suspension for these calls. Answers are sent to a place: the run waits there for the rest. */
  place: number
  suspension: Extract<Segment, { to: 'suspended' }>['suspension']
}

/** The topic of the DBOS messages that answer what a run waits for. */
export function answerTopic(place: number): string {
  return `resume ${place}`
}

/**
 * The workflow of a durable run. A DBOS step is one tool call, or the part of the agent's loop up to its next
 * checkpoint. Between steps, the workflow only waits for resumption data. The result is JSON text, because
 * DBOS stores text faster than objects.
 */
export async function workOnRun(
  { agent, run, openAgent, isDurable }: WorkflowOptions,
  given: WorkflowInput,
): Promise<string> {
  const runId = DBOS.workflowID as string
  const { input, context, agentPath, threadId, resourceId, userMessageMetadata, trace } = given
  const ids = { ...(threadId !== undefined && { threadId }), ...(resourceId !== undefined && { resourceId }) }
  const requestContext = new RequestContext(context, { ...ids, ...(agentPath && { agentPath }) })
  const recording = new Recording({
    agent,
    runId,
    input,
    options: { ...run, ...ids, ...(userMessageMetadata && { userMessageMetadata }), requestContext },
    openAgent: openAgent(runId, given),
    trace,
    isDurable,
  })
  try {
    let name = 'start'
    for (let wait = 0, place = 0; ; ) {
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
          if (!segment.waitsOn) place = wait
          recording.resume(await receiveAnswer(segment, { wait: wait++, place }))
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

/** Executes each call as a DBOS step, in parallel, started in the order of the calls. */
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

/** Publishes the suspension, and waits for the data. */
async function receiveAnswer(
  { suspension, ttlMs, position }: Extract<Segment, { to: 'suspended' }>,
  { wait, place }: Omit<Waiting, 'suspension'>,
): Promise<RunAnswer> {
  const waiting: Waiting = { wait, place, suspension }
  await DBOS.setEvent(SUSPENSION, waiting)
  const batch: StoredBatch = {
    writer: `suspension ${wait}`,
    at: position,
    kept: position,
    chunks: storedChunks([{ type: 'suspended', ...suspension }]),
  }
  await DBOS.writeStream(CHUNKS, batch)
  const answer = await DBOS.recv<RunAnswer>(answerTopic(place), { timeoutSeconds: ttlMs / 1000 })
  await DBOS.setEvent(SUSPENSION, null)
  if (answer) return answer
  throw new MillraceError(
    'RUN_EXPIRED',
    `The run '${suspension.runId}' was not resumed in time (see suspensionTtl of the agent). Start a new run.`,
  )
}
