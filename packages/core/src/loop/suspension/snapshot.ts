import { MillraceError } from '../../errors.ts'
import { HOOKS, type HookName } from '../../hook-name.ts'
import { payloadJson } from '../../messages/json-output.ts'
import {
  isToolPart,
  type Message,
  reviveMessage,
  type SystemMessage,
  type ToolPart,
} from '../../messages/message.ts'
import { HookRecord } from '../../processors/hook-record.ts'
import type { Processor } from '../../processors/processor.ts'
import { isRecord } from '../../record.ts'
import type { HaltInfo } from '../../results/outcome.ts'
import type { ProcessorRecord, RunWarning } from '../../results/result.ts'
import { ownCalls } from '../../run/own-calls.ts'
import { isBefore, isPhase, type Phase, type ResumePoint } from '../../run/resume-point.ts'
import type { Run } from '../../run/run.ts'
import { Step, type StepSnapshot } from '../../run/step.ts'
import type { Suspend } from '../../signals.ts'
import type { StoredRun } from '../../storage/run-store.ts'
import type { Decision } from '../../tools/decision.ts'
import { ownTool } from '../../tools/tool.ts'
import type { MessageOrigin } from '../../transcript/message-list.ts'
import { reviveUsage, type Usage } from '../../usage.ts'
import { applyApprovals, applyClientOutputs } from '../tools/take-answers.ts'
import { placeOfDamage } from './snapshot-shape.ts'

/** The version of the JSON a suspended run is kept as. It changes when an older one can no longer be read. */
const VERSION = 1

/** A suspended run: all that is needed to go on with it in another process. */
interface RunSnapshot {
  version: typeof VERSION
  place: ResumePoint
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
  records: ProcessorRecord[]
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
    payload: payloadJson(signal.payload),
    ...(processorId !== undefined && { processorId }),
    ...(hook !== undefined && { hook }),
    ...(toolCallId !== undefined && { toolCallId }),
    createdAt,
    expiresAt: createdAt + ttl,
    snapshot: JSON.stringify(toJson(takeSnapshot(run, signal), 'The run')),
  }
}

function takeSnapshot(run: Run, signal: Suspend): RunSnapshot {
  const point = pointOf(run, signal)
  const current = run.current?.step
  if (current) checkStep(run, current, point)
  const processors: RunSnapshot['processors'] = {}
  for (const [processor, name] of run.pipeline.names) {
    processors[name] = checkState(run.gate(processor).state, name)
  }
  const { messageList, systemMessages, usage, retryCount, feedback, responseId, warnings, halt } = run
  return {
    version: VERSION,
    place: point,
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
    records: run.records.map((record) => record.toResult()),
    processors,
  }
}

/** What a processor put into the step and is not JSON must not be needed any more: nothing takes its place later. */
function checkStep(run: Run, step: Step, { phase }: ResumePoint): void {
  const { replacedBy } = step.settings ?? {}
  if (replacedBy === undefined) return
  const isAsked = !isBefore(phase, AFTER_MODEL_CALL)
  const { tools, structuredOutput } = run.settings
  const isNeeded = isAsked
    ? run.structuredOutput !== structuredOutput ||
      openCalls(step).some(
        ({ toolName: name, kind }) => kind !== 'client' && ownTool(step.tools, name) !== ownTool(tools, name),
      )
    : true
  if (!isNeeded) return
  throw new MillraceError(
    'RUN_STATE_NOT_JSON',
    `The run cannot be suspended in ${phase}: the processor '${replacedBy}' has put a model object, tools, a schema or a prompt into this step, which are not JSON. Use a model id and activeTools there, or suspend elsewhere.`,
  )
}

const AFTER_MODEL_CALL: ResumePoint = {
  phase: 'processOutputStep',
  processor: undefined,
  toolCallId: undefined,
}

function pointOf(run: Run, { hook, stage, toolCallId }: Suspend): ResumePoint {
  return hook !== undefined && isPhase(hook)
    ? { phase: hook, processor: stage, toolCallId }
    : { phase: run.suspendedIn, processor: undefined, toolCallId }
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
  checkPoint(run, stored, snapshot.place)
  if (snapshot.current) checkTools(run, stored, snapshot.current)
  for (const [name, state] of Object.entries(snapshot.processors)) {
    const processor = byName.get(name)
    if (processor) Object.assign(run.gate(processor).state, state)
  }
  for (const record of snapshot.records) restoreRecord(run, record)
  const messages = snapshot.messages.map(({ message }) => reviveMessage(message))
  for (const [index, message] of messages.entries()) {
    run.messageList.add(message, snapshot.messages[index]?.origin ?? 'input')
  }
  run.messageList.set(messages)
  const { tools, structuredOutput } = run.settings
  run.systemMessages = snapshot.systemMessages
  for (const accepted of snapshot.steps) {
    const step = Step.restore(accepted, tools)
    step.finish()
    run.steps.push(step)
  }
  run.usage = reviveUsage(snapshot.usage)
  run.retryCount = snapshot.retryCount
  run.feedback = snapshot.feedback
  run.responseId = snapshot.responseId
  run.warnings.push(...snapshot.warnings)
  run.halt = snapshot.halt
  run.structuredOutput = structuredOutput
  run.resumption = { point: snapshot.place, data, payload: stored.payload }
  const step = snapshot.current && Step.restore(snapshot.current, tools)
  if (!step) return undefined
  if (step.settings?.messages) {
    step.settings.messages = step.settings.messages.map((message) => liveMessage(run, message))
  }
  shareInputs(run, step)
  answerCalls(step, snapshot.place, data)
  return step
}

/** What a processor has done stands in the result, and what it does from now on in the same step is added to it. */
function restoreRecord(run: Run, earlier: ProcessorRecord): void {
  const { processorId, hook, stepNumber, modelUsage } = earlier
  for (const used of modelUsage ?? []) used.usage = reviveUsage(used.usage)
  const record = new HookRecord(processorId, hook, stepNumber, earlier)
  run.records.push(record)
  const processor = [...run.pipeline.names.keys()].find((one) => one.id === processorId && one[hook])
  if (processor) run.gate(processor).adopt(record)
}

/** The transcript, the step's calls and held chunks hold the same inputs again: by that, changes are known. */
function shareInputs({ messageList }: Run, step: Step): void {
  const parts = new Map<string, ToolPart>()
  for (const { content } of messageList.get('response')) {
    for (const part of content.parts) if (isToolPart(part)) parts.set(part.toolCallId, part)
  }
  for (const call of step.toolCalls) {
    const part = parts.get(call.toolCallId)
    if (part && isSame(part.input, call.input)) call.input = part.input
  }
  for (const chunk of step.held ?? []) {
    if (chunk.type !== 'tool-call') continue
    const call = step.toolCalls.find(({ toolCallId }) => toolCallId === chunk.toolCallId)
    if (call && isSame(call.input, chunk.input)) chunk.input = call.input
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** A message of a step's view: the one in the transcript, unless the view has another version of it. */
function liveMessage({ messageList }: Run, message: Message): Message {
  const live = messageList.find(message.id)
  return live && isSame(live.content, message.content) ? live : reviveMessage(message)
}

function checkPoint(run: Run, stored: StoredRun, { phase, processor: name }: ResumePoint): void {
  if (name === undefined) return
  const processors: readonly Processor[] = (isHook(phase) && run.pipeline[phase]) || []
  if (processors.some((processor) => run.pipeline.names.get(processor) === name)) return
  throw incompatible(stored, `the hook ${phase} of the processor '${name}', where it was suspended`)
}

function isHook(phase: Phase): phase is Phase & HookName {
  return phase in HOOKS
}

/** Tools of calls that are not answered yet must be there, and be executed where they were to be executed. */
function checkTools(run: Run, stored: StoredRun, current: StepSnapshot): void {
  for (const { toolName, kind } of openCalls(current)) {
    // A client's output needs no tool here; a call of a tool that never was there is answered with an error.
    if (kind === 'client' || !current.toolNames.includes(toolName)) continue
    const tool = ownTool(run.settings.tools, toolName)
    if (!tool) throw incompatible(stored, `the tool '${toolName}', which it has yet to call`)
    if (kind === 'execute' && !tool.execute)
      throw incompatible(stored, `the tool '${toolName}' with an execute function`)
  }
}

/** Data for calls of a step is taken in here, before the run is claimed, so that data that does not fit costs nothing. */
function answerCalls(step: Step, { phase, toolCallId }: ResumePoint, data: unknown): void {
  if (phase === 'approval') applyApprovals(step, data)
  if (phase !== 'execute') return
  const index = ownCalls(step).findIndex((call) => call.toolCallId === toolCallId)
  if (step.decisions[index]?.kind === 'client') applyClientOutputs(step, data)
}

function parseSnapshot(stored: StoredRun): RunSnapshot {
  const snapshot = parseJson(stored.snapshot)
  if (isRecord(snapshot) && snapshot.version === VERSION) {
    const damage = placeOfDamage(snapshot)
    if (damage === undefined) return snapshot as unknown as RunSnapshot
    throw incompatible(
      stored,
      `its stored form as it was saved, and '${damage}' of that is missing or damaged`,
    )
  }
  const version = isRecord(snapshot) ? String(snapshot.version) : 'none'
  throw incompatible(stored, `version ${VERSION} of the stored form, and it has version ${version}`)
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Calls of a step that have no answer yet, with what is to become of them if that is decided. */
function openCalls({
  toolCalls,
  decisions,
  answers,
}: Pick<Step, 'toolCalls' | 'decisions' | 'answers'>): { toolName: string; kind?: Decision['kind'] }[] {
  return ownCalls({ toolCalls }).flatMap(({ toolCallId, toolName }, index) => {
    const kind = decisions[index]?.kind
    if (Object.hasOwn(answers, toolCallId) || kind === 'answer') return []
    return [kind === undefined ? { toolName } : { toolName, kind }]
  })
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
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path
  if (typeof value !== 'object' || above.has(value)) return path
  const prototype = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== null && Object.getPrototypeOf(prototype) !== null) return path
  above.add(value)
  for (const [key, item] of Object.entries(value)) {
    // A property that is undefined is as good as none; in a list it would become null.
    if (item === undefined && !Array.isArray(value)) continue
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
