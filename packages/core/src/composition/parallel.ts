import { MillraceError } from '../errors.ts'
import { HOOK_NAMES, type HookName } from '../hook-name.ts'
import { PerRun } from '../per-run.ts'
import { HOST, markFinal } from '../processors/gate.ts'
import type { Processor } from '../processors/processor.ts'
import type { Chunk } from '../results/chunk.ts'
import { isThenable } from '../schema.ts'
import { Suspend } from '../signals.ts'
import { checkMembers, compose, type Hook, type HookArgs, type Hooks, hookOf, Member } from './member.ts'
import { type Change, mergeChanges } from './merge-changes.ts'

/**
 * Composes independent processors into one that runs their hooks in parallel, on the same arguments. Use it for
 * checks that wait, such as for a model.
 *
 * - The first `abort`, `halt` or error decides, with the id of its processor. The others are cancelled by their
 *   `abortSignal`, and their results are ignored. A `suspend` waits for the others to finish; when the run is
 *   resumed, all of them run again, and the one that suspended gets the data.
 * - Changes are merged. Two changes of the same thing fail the run with `PROCESSOR_RESULT_INVALID`, because neither
 *   processor has seen the other's change. Of several denials of a tool call, the first in the list is used. Edits in
 *   place are not compared: use sequential processors for them.
 * - Each processor has its own `state`, `onError` and records. `wrapModelCall` can only be nested, so it is refused.
 *
 * @example
 * new Agent({ model, inputProcessors: [parallel(moderation, injection), redactor] })
 * @throws MillraceError `CONFIG_INVALID`, `CONFIG_HOOK_MISSING`, `CONFIG_ID_DUPLICATE`
 */
export function parallel(...processors: readonly Processor[]): Processor {
  checkMembers(processors, 'parallel()')
  for (const { id, wrapModelCall } of processors) {
    if (!wrapModelCall) continue
    throw new MillraceError(
      'CONFIG_INVALID',
      `The processor '${id}' in parallel() implements wrapModelCall, which cannot run in parallel because it wraps the model call. List it on its own.`,
    )
  }
  const hooks: Hooks = {}
  for (const hook of HOOK_NAMES) {
    const members = processors.flatMap((processor) => {
      const method = hookOf(processor, hook)
      return method ? [{ processor, method }] : []
    })
    if (members.length > 0) hooks[hook] = (args) => runInParallel(hook, members, args)
  }
  const id = `parallel(${processors.map((processor) => processor.id).join(', ')})`
  const keepsIncomplete = processors.some((processor) => processor.keepsIncomplete === true)
  return compose({ id, ...exclusiveOf(processors), keepsIncomplete }, { hooks, of: processors })
}

/** `message-history` takes precedence, because it determines which of a client's messages are used. */
function exclusiveOf(processors: readonly Processor[]): Pick<Processor, 'exclusive'> {
  const all = processors.flatMap(({ exclusive }) => exclusive ?? [])
  const exclusive = all.find((name) => name === 'message-history') ?? all[0]
  return exclusive === undefined ? {} : { exclusive }
}

interface MemberHook {
  processor: Processor
  method: Hook
}

/** The state of the composed processor. */
interface ParallelState {
  /** The state of each member, by id. */
  members?: Record<string, Record<string, unknown>>
  /** The member that has suspended the run. */
  suspended?: string
}

/** The members of one call of a hook; for chunk hooks, of all calls with the same arguments object. */
interface Group {
  members: readonly Member[]
  cancel: AbortController
}

const groups = new PerRun<Group>()

function groupOf(hook: HookName, hooks: readonly MemberHook[], args: HookArgs): Group {
  const known = groups.get(args)
  if (known) return known
  const state = args.state as ParallelState
  state.members ??= {}
  const { members: states, suspended } = state
  delete state.suspended
  const cancel = new AbortController()
  const abortSignal = AbortSignal.any([args.abortSignal, cancel.signal])
  const members = hooks.map(({ processor }) => {
    const { id } = processor
    states[id] ??= {}
    const resumeData = id === suspended ? args.resumeData : undefined
    return new Member(processor, args, { hook, state: states[id], abortSignal, resumeData })
  })
  const group = { members, cancel }
  if ('part' in args) groups.set(args, group)
  return group
}

function runInParallel(hook: HookName, hooks: readonly MemberHook[], args: HookArgs): unknown {
  const { members, cancel } = groupOf(hook, hooks, args)
  const { part, messages } = args as HookArgs & { part?: Chunk; messages?: readonly unknown[] }
  const pending: Promise<unknown>[] = []
  const outcomes: unknown[] = []
  try {
    for (const [index, member] of members.entries()) {
      if (part) (member.args as { part?: Chunk }).part = part
      if (messages) (member.args as { messages?: readonly unknown[] }).messages = [...messages]
      const { method } = hooks[index] as MemberHook
      const outcome = callMember(member, method, part)
      outcomes[index] = outcome
      if (isThenable(outcome)) {
        pending.push(
          Promise.resolve(outcome).then((settled) => {
            outcomes[index] = settled
          }),
        )
      }
    }
  } catch (error) {
    cancel.abort(error)
    for (const promise of pending) promise.catch(() => {})
    throw error
  }
  const finish = (): unknown => {
    const suspended = outcomes.findIndex((outcome) => Suspend.isInstance(outcome))
    if (suspended !== -1) {
      ;(args.state as ParallelState).suspended = (members[suspended] as Member).processor.id
      throw outcomes[suspended]
    }
    const changes = outcomes.map((value, index): Change => ({ member: members[index] as Member, value }))
    try {
      return mergeChanges(hook, changes, args)
    } catch (error) {
      throw markFinal(error as MillraceError, args[HOST])
    }
  }
  if (pending.length === 0) return finish()
  return Promise.all(pending).then(finish, (error) => {
    cancel.abort(error)
    throw error
  })
}

/** The result of a member's hook, or its suspension. */
function callMember(member: Member, method: Hook, part: Chunk | undefined): unknown {
  try {
    const returned = member.call(method, part)
    return isThenable(returned) ? Promise.resolve(returned).catch(keepSuspension) : returned
  } catch (error) {
    return keepSuspension(error)
  }
}

function keepSuspension(error: unknown): Suspend {
  if (Suspend.isInstance(error)) return error
  throw error
}
