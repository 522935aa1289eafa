import { MillraceError } from '../errors.ts'
import { HOOK_NAMES, HOOKS, type HookName } from '../hook-name.ts'
import { PerRun } from '../per-run.ts'
import type { ProcessorArgs } from '../processors/hook-arguments.ts'
import type { ProcessInputStepArgs } from '../processors/input-hooks.ts'
import type { WrapModelCallArgs } from '../processors/model-hooks.ts'
import type { Processor } from '../processors/processor.ts'
import type { Chunk } from '../results/chunk.ts'
import { isThenable } from '../schema.ts'
import { Suspend } from '../signals.ts'
import { checkMembers, compose, type Hook, type HookArgs, type Hooks, hookOf } from './member.ts'

/** The arguments of the hook that is about to be called: those of every hook, and those of some. */
export type ConditionArgs = ProcessorArgs &
  Partial<Pick<ProcessInputStepArgs, 'messages' | 'messageList' | 'stepNumber'>> & {
    /** The name of the hook. */
    hook: HookName
  }

/** Decides whether a processor runs. */
export type Condition = (args: ConditionArgs) => boolean | Promise<boolean>

/**
 * Runs a processor only if the condition is true; otherwise everything passes unchanged. The id stays the same, for
 * ordering, records and resumed runs.
 *
 * The condition is evaluated before every call of a hook. For chunk hooks it is evaluated less often: for
 * `processOutputStream` at the first chunk of each attempt at a step, for `processDelivery` once per run. A condition
 * that throws fails the run, as a hook does. A call that had suspended continues when the run is resumed, without
 * evaluating the condition again.
 *
 * @example
 * when(({ requestContext }) => requestContext.get('plan') === 'free', new Moderation({ model }))
 * @throws MillraceError `CONFIG_INVALID`, `CONFIG_HOOK_MISSING`
 */
export function when<ID extends string>(condition: Condition, processor: Processor<ID>): Processor<ID> {
  if (typeof condition !== 'function') {
    throw new MillraceError(
      'CONFIG_INVALID',
      `when() got a condition of type ${typeof condition}. Pass a function of the hook's arguments.`,
    )
  }
  checkMembers([processor], 'when()')
  const hooks: Hooks = {}
  for (const hook of HOOK_NAMES) {
    const inner = hookOf(processor, hook)
    if (!inner) continue
    const ask = (args: HookArgs): boolean | Promise<boolean> =>
      condition({ ...args, hook } as unknown as ConditionArgs)
    const { perChunk } = HOOKS[hook]
    const decide = perChunk ? cachedCondition(hook, ask) : ask
    const take = perChunk ? inner : resumable(hook, inner)
    const otherwise = unchanged(hook)
    hooks[hook] = (args) => {
      if (!perChunk && isResumed(hook, args)) return take(args)
      const holds = decide(args)
      if (isThenable(holds)) return holds.then((settled) => (settled ? take(args) : otherwise(args)))
      return holds ? take(args) : otherwise(args)
    }
  }
  return compose(processor, { hooks, of: [processor] })
}

/** A hook that changes nothing. */
function unchanged(hook: HookName): Hook {
  if (hook === 'wrapModelCall') {
    return (args) => {
      const { next, request } = args as HookArgs & WrapModelCallArgs
      return next(request)
    }
  }
  if (HOOKS[hook].nothing === 'dropped') return (args) => (args as HookArgs & { part: Chunk }).part
  return () => undefined
}

/** The state key of the hook that has suspended. The next call of that hook resumes. */
const SUSPENDED_IN = 'when.suspendedIn'

function isResumed(hook: HookName, { state, resumeData }: HookArgs): boolean {
  return state[SUSPENDED_IN] === hook || resumeData !== undefined
}

/** Wraps a hook to store in which hook it suspends. */
function resumable(hook: HookName, inner: Hook): Hook {
  return (args) => {
    const { state } = args
    const passed = (result: unknown): unknown => {
      if (state[SUSPENDED_IN] === hook) state[SUSPENDED_IN] = undefined
      return result
    }
    const failed = (error: unknown): never => {
      if (Suspend.isInstance(error)) state[SUSPENDED_IN] = hook
      throw error
    }
    try {
      const result = inner(args)
      return isThenable(result) ? result.then(passed, failed) : passed(result)
    } catch (error) {
      return failed(error)
    }
  }
}

/** Caches the condition for a stream or a run. Runs are distinguished by state; a stream begins with `step-start`. */
function cachedCondition(
  hook: HookName,
  ask: (args: HookArgs) => boolean | Promise<boolean>,
): (args: HookArgs) => boolean | Promise<boolean> {
  const answers = new PerRun<boolean | Promise<boolean>>()
  return (args) => {
    const { part, state } = args as HookArgs & { part: Chunk | undefined }
    const known = answers.get(state)
    if (known !== undefined && (!HOOKS[hook].inSteps || part?.type !== 'step-start')) return known
    const answer = ask(args)
    answers.set(state, answer)
    if (isThenable(answer)) {
      // Caches the value itself, so that later calls need no promise.
      const settle = (settled: boolean): void => {
        if (answers.get(state) === answer) answers.set(state, settled)
      }
      answer.then(settle, () => {})
    }
    return answer
  }
}
