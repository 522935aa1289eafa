import { MillraceError } from '../errors.ts'
import { isRecord, type Message, type SystemMessage } from '../messages/message.ts'
import type { MessageOrigin } from '../messages/message-list.ts'
import type { Suspend } from '../signals.ts'
import type { StoredRun } from '../storage/run-store.ts'
import { applyApprovals } from '../tools/decide-calls.ts'
import { ownCalls } from '../tools/prepare-call.ts'
import { applyClientOutputs } from '../tools/run-tools.ts'
import { ownTool } from '../tools/tool.ts'
import type { Usage } from '../usage.ts'
import { isPhase, type Place } from './place.ts'
import type { HaltInfo, RunWarning } from './result.ts'
import type { Run } from './run.ts'
import { Step, type StepSnapshot } from './step.ts'

/** The version of the JSON a suspended run is kept as. It changes when an older one can no longer be read. */
const VERSION = 1

/** A suspended run: all that is needed to go on with it in another process. */
interface RunSnapshot {
  version: typeof VERSION
  place: Place
  messages: { message: Message; origin: MessageOrigin }[]
  systemMessages: SystemMessage[]
  steps: StepSnapshot[]
  current: StepSnapshot | undefined
  usage: Usage
  retryCount: number
  feedback: string | undefined
  responseId: string
  warnings: RunWarning[]
  halt: HaltInfo | undefined
  /** All processors of the run by name, with their state. */
  processors: Record<string, Record<string, unknown>>
}

/**
 * A run as it is to be stored.
 *
 * @throws MillraceError `RUN_STATE_NOT_JSON`
 */
export function toStoredRun(run: Run, signal: Suspend, { ttl }: { ttl: number }): StoredRun {
  const { threadId, resourceId } = run.requestContext
  const { processorId, hook, toolCallId } = signal
  const createdAt = Date.now()
  return {
    runId: run.id,
    agentName: run.settings.agentName,
    ...(threadId !== undefined && { threadId }),
    ...(resourceId !== undefined && { resourceId }),
    payload: toJson(signal.payload, 'The payload of suspend()'),
    ...(processorId !== undefined && { processorId }),
    ...(hook !== undefined && { hook }),
    ...(toolCallId !== undefined && { toolCallId }),
    createdAt,
    expiresAt: createdAt + ttl,
    snapshot: JSON.stringify(toJson(takeSnapshot(run, signal), 'The run')),
  }
}

function takeSnapshot(run: Run, signal: Suspend): RunSnapshot {
  const place = placeOf(run, signal)
  const current = run.current?.step
  const replacedBy = place.phase === 'processOutputStep' ? undefined : current?.settings?.replacedBy
  if (
    replacedBy !== undefined &&
    (place.phase === 'processInputStep' ||
      place.phase === 'wrapModelCall' ||
      place.phase === 'processModelError')
  ) {
    throw new MillraceError(
      'RUN_STATE_NOT_JSON',
      `The run cannot be suspended in ${place.phase}: the processor '${replacedBy}' has put a model object, tools, a schema or a prompt into this step, which are not JSON. Use a model id and activeTools there, or suspend earlier.`,
    )
  }
  const processors: RunSnapshot['processors'] = {}
  for (const [processor, name] of run.pipeline.names) {
    processors[name] = checkState(run.gate(processor).state, name)
  }
  const { messageList, systemMessages, usage, retryCount, feedback, responseId, warnings, halt } = run
  return {
    version: VERSION,
    place,
    messages: messageList
      .get()
      .map((message) => ({ message, origin: messageList.originOf(message.id) ?? 'input' })),
    systemMessages,
    steps: run.steps.map(({ snapshot }) => snapshot),
    current: current?.snapshot,
    usage,
    retryCount,
    feedback,
    responseId,
    warnings: warnings.map((warning) =>
      'error' in warning ? { ...warning, error: String(warning.error) } : warning,
    ),
    halt,
    processors,
  }
}

function placeOf(run: Run, { hook, processorId, toolCallId }: Suspend): Place {
  if (hook === undefined || !isPhase(hook))
    return { phase: run.suspendedIn, processor: undefined, toolCallId }
  const processor = run.pipeline[hook]?.find(({ id }) => id === processorId)
  return { phase: hook, processor: processor && run.pipeline.names.get(processor), toolCallId }
}

/**
 * Puts a stored run's state into a run that has not begun. Returns the step it goes on with.
 *
 * @throws MillraceError `RUN_INCOMPATIBLE` if the agent lacks what the run needs
 */
export function restore(run: Run, stored: StoredRun, data: unknown): Step | undefined {
  const snapshot = parseSnapshot(stored)
  const byName = new Map([...run.pipeline.names].map(([processor, name]) => [name, processor]))
  for (const name of Object.keys(snapshot.processors)) {
    if (!byName.has(name)) throw incompatible(stored, `the processor '${name}', which took part in it`)
  }
  for (const name of neededTools(snapshot)) {
    if (!ownTool(run.settings.tools, name))
      throw incompatible(stored, `the tool '${name}', which it has yet to call`)
  }
  for (const [name, state] of Object.entries(snapshot.processors)) {
    const processor = byName.get(name)
    if (processor) Object.assign(run.gate(processor).state, state)
  }
  for (const { message, origin } of snapshot.messages) {
    run.messageList.add({ ...message, createdAt: new Date(message.createdAt) }, origin)
  }
  const { tools, structuredOutput } = run.settings
  run.systemMessages = snapshot.systemMessages
  run.steps.push(...snapshot.steps.map((step) => Step.restore(step, tools)))
  run.usage = snapshot.usage
  run.retryCount = snapshot.retryCount
  run.feedback = snapshot.feedback
  run.responseId = snapshot.responseId
  run.warnings.push(...snapshot.warnings)
  run.halt = snapshot.halt
  run.structuredOutput = structuredOutput
  run.resumption = { place: snapshot.place, data, payload: stored.payload }
  const step = snapshot.current && Step.restore(snapshot.current, tools)
  if (step) answerCalls(step, snapshot.place, data)
  return step
}

/** Data for calls of a step is taken in here, before the run is claimed, so that data that does not fit costs nothing. */
function answerCalls(step: Step, { phase, toolCallId }: Place, data: unknown): void {
  if (phase === 'approval') applyApprovals(step, data)
  if (phase !== 'execute') return
  const index = ownCalls(step).findIndex((call) => call.toolCallId === toolCallId)
  if (step.decisions[index]?.kind === 'client') applyClientOutputs(step, data)
}

function parseSnapshot(stored: StoredRun): RunSnapshot {
  const snapshot: unknown = JSON.parse(stored.snapshot)
  if (isRecord(snapshot) && snapshot.version === VERSION) return snapshot as unknown as RunSnapshot
  const version = isRecord(snapshot) ? String(snapshot.version) : 'none'
  throw incompatible(stored, `version ${VERSION} of the stored form, and it has version ${version}`)
}

/** Tools of calls that are not answered yet. Calls of tools that never were there have been answered with an error. */
function neededTools({ current }: RunSnapshot): string[] {
  if (!current) return []
  const { toolCalls, decisions, answers, toolNames } = current
  const own = toolCalls.filter(({ providerExecuted }) => !providerExecuted)
  return own
    .filter((call, index) => {
      const decision = decisions[index]
      return answers[call.toolCallId] === undefined && (decision === undefined || decision.kind !== 'answer')
    })
    .map(({ toolName }) => toolName)
    .filter((name) => toolNames.includes(name))
}

function incompatible({ runId }: StoredRun, what: string): MillraceError {
  return new MillraceError(
    'RUN_INCOMPATIBLE',
    `The run '${runId}' needs ${what}. Resume it with an agent that has the same processors and tools. It can still be resumed.`,
  )
}

function checkState(state: Record<string, unknown>, name: string): Record<string, unknown> {
  const place = notJson(state, new Set())
  if (place === undefined) return state
  throw new MillraceError(
    'RUN_STATE_NOT_JSON',
    `The run cannot be suspended: the state of the processor '${name}' holds something that is not JSON at '${place}'. Keep plain objects, arrays, strings, finite numbers, booleans and null in state.`,
  )
}

/** The path to the first value that JSON would lose or refuse; `undefined` if there is none. */
function notJson(value: unknown, above: Set<object>, path = ''): string | undefined {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean')
    return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path
  if (typeof value !== 'object' || above.has(value)) return path
  const prototype = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== null && Object.getPrototypeOf(prototype) !== null) return path
  above.add(value)
  for (const [key, item] of Object.entries(value)) {
    const found = notJson(item, above, path === '' ? key : `${path}.${key}`)
    if (found !== undefined) return found
  }
  above.delete(value)
  return undefined
}

function toJson(value: unknown, what: string): unknown {
  if (value === undefined) return undefined
  try {
    return JSON.parse(JSON.stringify(value))
  } catch (cause) {
    throw new MillraceError('RUN_STATE_NOT_JSON', `${what} is not JSON, so the run cannot be suspended.`, {
      cause,
    })
  }
}
