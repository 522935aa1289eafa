import { MillraceError } from '../../errors.ts'
import { HOOKS, type HookName } from '../../hook-name.ts'
import type { Processor } from '../../processors/processor.ts'
import { isRecord } from '../../record.ts'
import { handoffOf } from '../../results/handoff-target.ts'
import { ownCalls } from '../../run/own-calls.ts'
import type { Phase } from '../../run/resume-point.ts'
import type { Run } from '../../run/run.ts'
import type { StepState } from '../../run/step-state.ts'
import type { StoredRun } from '../../storage/run-store.ts'
import type { Decision } from '../../tools/decision.ts'
import { ownTool } from '../../tools/tool.ts'
import { type RunSnapshot, VERSION } from './run-snapshot.ts'
import { damagedPath } from './snapshot-shape.ts'

/**
 * Parses a stored run, and checks that this run's agent has the processors and tools that it needs.
 *
 * @throws MillraceError `RUN_INCOMPATIBLE`
 */
export function readSnapshot(run: Run, stored: StoredRun): RunSnapshot {
  const snapshot = parseSnapshot(stored)
  const names = new Set(run.pipeline.names.values())
  for (const name of Object.keys(snapshot.processors)) {
    if (!names.has(name)) throw incompatible(stored, `the processor '${name}', which took part in it`)
  }
  checkPoint(run, stored, snapshot.place)
  if (snapshot.current) checkTools(run, stored, snapshot.current)
  if (snapshot.handoff && snapshot.handoff.ended === undefined) checkHandoff(run, stored, snapshot)
  return snapshot
}

function checkPoint(run: Run, stored: StoredRun, { phase, processor: name }: RunSnapshot['place']): void {
  if (name === undefined) return
  const processors: readonly Processor[] = (isHook(phase) && run.pipeline[phase]) || []
  if (processors.some((processor) => run.pipeline.names.get(processor) === name)) return
  throw incompatible(stored, `the hook ${phase} of the processor '${name}', where it was suspended`)
}

function isHook(phase: Phase): phase is Phase & HookName {
  return phase in HOOKS
}

/** Throws if a tool of an unanswered call is missing, or has no `execute` although it is to be executed. */
function checkTools(run: Run, stored: StoredRun, current: StepState): void {
  for (const { toolName, kind } of openCalls(current)) {
    // A client's output needs no tool here. A call of a tool that never existed is answered with an error.
    if (kind === 'client' || !current.toolNames.includes(toolName)) continue
    const tool = ownTool(run.settings.tools, toolName)
    if (!tool) throw incompatible(stored, `the tool '${toolName}', which it has not called yet`)
    if (kind === 'execute' && !tool.execute)
      throw incompatible(stored, `the tool '${toolName}' with an execute function`)
  }
}

/** Throws if the tool that handed off the turn is missing: the agent that has the turn is found through it. */
function checkHandoff(run: Run, stored: StoredRun, { handoff, steps }: RunSnapshot): void {
  const step = steps.find(({ number }) => number === handoff?.stepNumber)
  const call = step?.toolCalls.find(({ toolCallId }) => toolCallId === handoff?.toolCallId)
  const tool = call && ownTool(run.settings.tools, call.toolName)
  if (tool && handoffOf(tool)) return
  throw incompatible(stored, `the tool '${call?.toolName}', which hands off to the agent that has the turn`)
}

/** @throws MillraceError `RUN_INCOMPATIBLE` if the snapshot is damaged or has another version */
export function parseSnapshot(stored: StoredRun): RunSnapshot {
  const snapshot = parseJson(stored.snapshot)
  if (isRecord(snapshot) && snapshot.version === VERSION) {
    const damage = damagedPath(snapshot)
    if (damage === undefined) return snapshot as unknown as RunSnapshot
    throw incompatible(stored, `its stored snapshot, in which '${damage}' is missing or damaged`)
  }
  const version = isRecord(snapshot) ? String(snapshot.version) : 'none'
  throw incompatible(stored, `version ${VERSION} of the snapshot, but has version ${version}`)
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Calls of a step that have no answer yet, with their decision if there is one. */
export function openCalls({
  toolCalls,
  calls,
}: Pick<StepState, 'toolCalls' | 'calls'>): { toolName: string; kind?: Decision['kind'] }[] {
  return ownCalls({ toolCalls }).flatMap(({ toolCallId, toolName }) => {
    const { decision, outcome } = (Object.hasOwn(calls, toolCallId) && calls[toolCallId]) || {}
    const kind = decision?.kind
    if (outcome || kind === 'answer') return []
    return [kind === undefined ? { toolName } : { toolName, kind }]
  })
}

function incompatible({ runId }: StoredRun, what: string): MillraceError {
  return new MillraceError(
    'RUN_INCOMPATIBLE',
    `The run '${runId}' needs ${what}. Resume it with an agent that has the same processors and tools. It can still be resumed.`,
  )
}
