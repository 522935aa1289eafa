import { MillraceError } from '../errors.ts'
import { HOOK_NAMES, HOOKS, type HookName } from '../hook-name.ts'
import { ownCopy } from '../loop/model/own-settings.ts'
import type { SystemMessage } from '../messages/message.ts'
import { resolveModel } from '../model/language-model.ts'
import { PerRun } from '../per-run.ts'
import { HOST, markFinal } from '../processors/gate.ts'
import { invalidResult } from '../processors/invalid-result.ts'
import type { WrapModelCallArgs } from '../processors/model-hooks.ts'
import type { Processor } from '../processors/processor.ts'
import type { Chunk } from '../results/chunk.ts'
import { isThenable } from '../schema.ts'
import { checkMembers, compose, type Hook, type HookArgs, type Hooks, hookOf, Member } from './member.ts'
import { isChange } from './merge-changes.ts'

/**
 * An input check that adds no latency: its `processInput` (in the first step) and `processInputStep` (in every step)
 * run while the model answers. The first chunk waits for them, so no chunk is emitted and no tool runs before the
 * check has passed. If it aborts or halts, the model call is cancelled.
 *
 * The prompt was already sent, so such a check can only pass or stop: a change that it returns fails the run with
 * `PROCESSOR_RESULT_INVALID`, and it cannot suspend. Its other hooks are unchanged.
 *
 * @throws MillraceError `CONFIG_INVALID` if the check has no input hook, or has a `wrapModelCall` of its own
 */
export function whileModelRuns<ID extends string>(check: Processor<ID>): Processor<ID> {
  checkMembers([check], 'whileModelRuns()')
  const checks = INPUT_HOOKS.flatMap((hook) => {
    const method = hookOf(check, hook)
    return method ? [{ hook, method }] : []
  })
  if (checks.length === 0 || check.wrapModelCall) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `whileModelRuns() runs processInput and processInputStep, and takes the place of wrapModelCall. The processor '${check.id}' ${check.wrapModelCall ? 'has a wrapModelCall of its own' : 'has neither'}.`,
    )
  }
  const hooks: Hooks = {}
  for (const hook of HOOK_NAMES) {
    const method = hookOf(check, hook)
    if (method && !checks.some((one) => one.hook === hook)) hooks[hook] = method
  }
  if (hooks.processOutputStream) hooks.processOutputStream = delayStepStart(hooks.processOutputStream)
  /** The states of runs whose `processInput` was called: another attempt at the first step does not call it again. */
  const begun = new PerRun<true>()
  hooks.wrapModelCall = (hookArgs) => {
    const args = hookArgs as unknown as WrapModelCallArgs
    const first = args.stepNumber === 0 && !begun.get(args.state)
    begun.set(args.state, true)
    return overlap(args, (abortSignal) =>
      runChecks(
        check,
        checks.filter(({ hook }) => first || HOOKS[hook].inSteps),
        { args, abortSignal },
      ),
    )
  }
  return compose(check, { hooks, of: [check] })
}

const INPUT_HOOKS = HOOK_NAMES.filter((hook) => HOOKS[hook].list === 'input')

/**
 * Delays `step-start` for the hook: it is emitted before the model call, so before the check. The hook receives it
 * together with the next chunk. Changes that the hook makes to the input then, such as redacting what is stored, are
 * not checked.
 */
function delayStepStart(hook: Hook): Hook {
  const begun = new PerRun<Chunk>()
  return (hookArgs) => {
    const args = hookArgs as HookArgs & { part: Chunk }
    const { part, state } = args
    if (part.type === 'step-start') {
      begun.set(state, part)
      return part
    }
    const start = begun.get(state)
    if (start === undefined) return hook(args)
    begun.delete(state)
    args.part = start
    const atStart = hook(args)
    const passCurrent = (returned: unknown): unknown => {
      const added = chunksOf(returned).filter((chunk) => chunk?.type !== 'step-start')
      args.part = part
      const current = hook(args)
      if (added.length === 0) return current
      if (isThenable(current)) return current.then((settled) => [...added, ...chunksOf(settled)])
      return [...added, ...chunksOf(current)]
    }
    return isThenable(atStart) ? atStart.then(passCurrent) : passCurrent(atStart)
  }
}

function chunksOf(returned: unknown): Chunk[] {
  return returned === undefined || returned === null ? [] : ([returned].flat() as Chunk[])
}

/** The chunks of the model call. None is emitted before `verdict` has resolved. */
async function* overlap(
  args: WrapModelCallArgs,
  check: (abortSignal: AbortSignal) => Promise<void>,
): AsyncGenerator<Chunk> {
  const cancel = new AbortController()
  const verdict = check(AbortSignal.any([args.abortSignal, cancel.signal]))
  verdict.catch(() => {})
  const chunks = args.next(args.request)[Symbol.asyncIterator]()
  const first = chunks.next()
  // Both promises must be handled. The failure of the check takes precedence.
  first.catch(() => {})
  let ended = false
  try {
    await verdict
    for (let chunk = await first; !chunk.done; chunk = await chunks.next()) yield chunk.value
    ended = true
  } finally {
    cancel.abort()
    if (!ended) chunks.return?.()?.then(undefined, () => {})
  }
}

async function runChecks(
  check: Processor,
  checks: readonly { hook: HookName; method: Hook }[],
  { args, abortSignal }: { args: WrapModelCallArgs; abortSignal: AbortSignal },
): Promise<void> {
  const { messageList, stepNumber, state } = args
  const request = ownCopy(args.request)
  const systemMessages = request.prompt.filter(
    (message): message is SystemMessage => message.role === 'system',
  )
  for (const { hook, method } of checks) {
    const { inSteps } = HOOKS[hook]
    const messages = messageList.get()
    const hookArgs = {
      ...args,
      messages: [...messages],
      systemMessages: [...systemMessages],
      ...(inSteps && {
        ...request,
        model: await resolveModel(request.model),
        activeTools: Object.keys(request.tools),
      }),
      stepNumber: inSteps ? stepNumber : undefined,
    } as unknown as HookArgs
    const member = new Member(check, hookArgs, { hook, state, abortSignal })
    const result = await member.call(method)
    if (result !== messageList && isChange(hook, result, hookArgs)) {
      throw markFinal(invalidResult(check.id, hook, 'a change after the prompt was sent,'), hookArgs[HOST])
    }
  }
}
