import { MillraceError } from '../../errors.ts'
import { payloadJson } from '../../messages/json-output.ts'
import { type CallRecord, type InterruptedCall, recordOf, type SuspendedCall } from '../../run/call-record.ts'
import { ownCalls } from '../../run/own-calls.ts'
import { isBefore, isPhase, type ResumePoint } from '../../run/resume-point.ts'
import type { Run } from '../../run/run.ts'
import type { Checkpoint } from '../../run/run-journal.ts'
import type { Step } from '../../run/step.ts'
import type { StepState } from '../../run/step-state.ts'
import type { Suspend } from '../../signals.ts'
import type { StoredRun } from '../../storage/run-store.ts'
import { denial } from '../../tools/decision.ts'
import { ownTool } from '../../tools/tool.ts'
import { isUnwritten } from '../end/unwritten.ts'
import { openCalls } from './compatibility.ts'
import { type RunSnapshot, VERSION } from './run-snapshot.ts'
import { decisionOf, encodeResumeData } from './stored-data.ts'

/**
 * A suspended run in its stored form.
 *
 * @throws MillraceError `RUN_STATE_NOT_JSON`
 */
export function toStoredRun(run: Run, signal: Suspend, { ttl }: { ttl: number }): StoredRun {
  const { processorId, hook, toolCallId } = signal
  const point = pointOf(run, signal)
  const current = run.current?.step
  // Of a run whose thread could not be written, only the processor that stores it is called again.
  const needsAll = !isUnwritten(signal)
  if (current && needsAll) checkStep(run, current, point)
  current?.measure()
  return {
    ...headOf(run, { ttl }),
    payload: payloadJson(signal.payload),
    ...(processorId !== undefined && { processorId }),
    ...(hook !== undefined && { hook }),
    ...(toolCallId !== undefined && { toolCallId }),
    snapshot: toText(takeSnapshot(run, { point, current: current?.state, needsAll })),
  }
}

/**
 * A running run in its stored form, before a step begins.
 *
 * @throws MillraceError `RUN_STATE_NOT_JSON`
 */
export function toRunningRun(run: Run, step: Step, { ttl }: { ttl: number }): StoredRun {
  return { ...headOf(run, { ttl }), payload: null, snapshot: toCheckpoint(run, step, 'processInputStep') }
}

/**
 * The snapshot of a running run at a checkpoint of its step. Contains resume data that was not used yet.
 *
 * @param options.withAnswers Whether the snapshot may contain people's answers before processors have reviewed them,
 *   because the answers are stored elsewhere anyway. Default: false.
 * @throws MillraceError `RUN_STATE_NOT_JSON`
 */
export function toCheckpoint(
  run: Run,
  step: Step,
  phase: Checkpoint,
  { withAnswers = false }: { withAnswers?: boolean } = {},
): string {
  const { resumption } = run
  const waits = resumption?.point.phase === 'processToolResult'
  const point = waits ? resumption.point : { phase, processor: undefined, toolCallId: undefined }
  step.measure()
  // Tools that a processor added to the step are not JSON. If such a tool is missing later, its calls are answered
  // with an error.
  const toolNames = step.state.toolNames.filter((name) => ownTool(run.settings.tools, name) !== undefined)
  const data = withAnswers ? JSON.stringify : encodeResumeData
  const resumed = waits ? { data: data(resumption.data), payload: resumption.payload } : {}
  const calls = withAnswers ? step.state.calls : reviewedCalls(run, step.state)
  const current = { ...step.state, calls, toolNames }
  return toText(takeSnapshot(run, { point, current, resumed }))
}

/**
 * What is stored of people's answers before the processors have reviewed them: that a call was denied, without the
 * reason, and decisions. Client outputs and other answers are not stored, so they are requested again.
 */
function reviewedCalls(run: Run, { calls, ...state }: StepState): StepState['calls'] {
  const isReviewed = run.pipeline.processToolResult === null
  const stored = ownCalls(state).map(({ toolCallId }, index): [string, CallRecord] => {
    const { suspended, interrupted, ...record } = recordOf({ calls }, toolCallId)
    const isUnseen = !isReviewed && index >= state.answered && record.review === undefined
    return [
      toolCallId,
      {
        ...(isUnseen ? withoutAnswer(record) : record),
        ...(suspended && { suspended: { ...suspended, ...storedAnswer(suspended.answer) } }),
        ...(interrupted && { interrupted: { ...interrupted, ...storedResumed(interrupted.resumed) } }),
      },
    ]
  })
  return Object.fromEntries(stored)
}

function withoutAnswer({ outcome, ...record }: CallRecord): CallRecord {
  const { decision } = record
  if (decision?.kind === 'answer' && decision.answer.status === 'denied')
    return { ...record, decision: denial(undefined) }
  return { ...record, ...(outcome && decision?.kind !== 'client' && { outcome }) }
}

function storedAnswer(answer: SuspendedCall['answer']): Pick<SuspendedCall, 'answer'> {
  const decision = decisionOf(answer?.data)
  return { answer: decision && { data: decision } }
}

function storedResumed(resumed: InterruptedCall['resumed']): Pick<InterruptedCall, 'resumed'> {
  const decision = decisionOf(resumed?.data)
  return { resumed: resumed && { payload: resumed.payload, ...(decision && { data: decision }) } }
}

function headOf(run: Run, { ttl }: { ttl: number }) {
  const { threadId, resourceId } = run.requestContext
  const createdAt = Date.now()
  return {
    runId: run.storedId,
    agentName: run.settings.agentName,
    ...(threadId !== undefined && { threadId }),
    ...(resourceId !== undefined && { resourceId }),
    createdAt,
    expiresAt: createdAt + ttl,
  }
}

interface SnapshotOptions extends Pick<RunSnapshot, 'current' | 'resumed'> {
  point: ResumePoint
  /** Whether the rest of the run needs the state of all processors. Otherwise state that is not JSON is left out. */
  needsAll?: boolean
}

function takeSnapshot(run: Run, { point, current, resumed, needsAll = true }: SnapshotOptions): RunSnapshot {
  const processors: RunSnapshot['processors'] = {}
  for (const [processor, name] of run.pipeline.names) {
    const { state } = run.gate(processor)
    if (needsAll || pathOfNonJson(state, new Set()) === undefined) processors[name] = checkState(state, name)
  }
  const { messageList, state } = run
  return {
    ...state,
    version: VERSION,
    place: point,
    messages: messageList
      .get()
      .map((message) => ({ message, origin: messageList.originOf(message.id) ?? 'input' })),
    steps: run.steps.map((step) => step.state),
    current,
    resumed,
    warnings: state.warnings.map((warning) =>
      'error' in warning ? { ...warning, error: String(warning.error) } : warning,
    ),
    records: run.records.map((record) => record.toResult()),
    processors,
  }
}

/**
 * Throws if the rest of the step still needs something that a processor added and that is not JSON: it cannot be
 * restored.
 */
function checkStep(run: Run, step: Step, { phase }: ResumePoint): void {
  const { replacedBy } = step.state.settings ?? {}
  if (replacedBy === undefined) return
  const isAsked = !isBefore(phase, { phase: 'processOutputStep' })
  const { tools, structuredOutput } = run.settings
  const isNeeded = isAsked
    ? run.structuredOutput !== structuredOutput ||
      openCalls(step.state).some(
        ({ toolName: name, kind }) => kind !== 'client' && ownTool(step.tools, name) !== ownTool(tools, name),
      )
    : true
  if (!isNeeded) return
  throw new MillraceError(
    'RUN_STATE_NOT_JSON',
    `The run cannot be suspended in ${phase}: the processor '${replacedBy}' has set a model object, tools, a schema or a prompt in this step, which are not JSON. Set a model id and activeTools instead, or suspend in another hook.`,
  )
}

function pointOf(run: Run, { hook, stage, toolCallId }: Suspend): ResumePoint {
  return isPhase(hook)
    ? { phase: hook, processor: stage, toolCallId }
    : { phase: run.suspendedIn, processor: undefined, toolCallId }
}

function checkState(state: Record<string, unknown>, name: string): Record<string, unknown> {
  const place = pathOfNonJson(state, new Set())
  if (place === undefined) return state
  throw new MillraceError(
    'RUN_STATE_NOT_JSON',
    `The run cannot be suspended: the state of the processor '${name}' has a value that is not JSON at '${place}'. Keep plain objects, arrays, strings, finite numbers, booleans and null in state.`,
  )
}

/** The path to the first value that is not JSON; `undefined` if there is none. */
function pathOfNonJson(value: unknown, above: Set<object>, path = ''): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path
  if (typeof value !== 'object' || above.has(value)) return path
  const prototype = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== null && Object.getPrototypeOf(prototype) !== null) return path
  above.add(value)
  for (const [key, item] of Object.entries(value)) {
    // `JSON.stringify` omits an undefined property, but writes `null` for one in a list.
    if (item === undefined && !Array.isArray(value)) continue
    const found = pathOfNonJson(item, above, path === '' ? key : `${path}.${key}`)
    if (found !== undefined) return found
  }
  above.delete(value)
  return undefined
}

function toText(snapshot: RunSnapshot): string {
  try {
    return JSON.stringify(snapshot)
  } catch (cause) {
    throw new MillraceError(
      'RUN_STATE_NOT_JSON',
      'The run cannot be stored because it is not JSON. Use plain objects, lists, strings, finite numbers, booleans and null in messages, metadata and state.',
      { cause },
    )
  }
}
