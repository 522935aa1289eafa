import type { Message } from '../messages/message.ts'
import { PerRun } from '../per-run.ts'
import type { Signal } from '../signals.ts'
import type { MessageList } from '../transcript/message-list.ts'
import type { ChangeDetector } from './change-detector.ts'
import type { ChangeLog, RecordedChange } from './change-log.ts'
import { actionOf } from './gate.ts'
import type { HookRecord } from './hook-record.ts'
import { type MessageWatch, watchIn } from './message-watch.ts'
import { checkMessages } from './result-check.ts'

/** The part of a run that a hook can change. */
interface Subject {
  readonly messageList: MessageList
  readonly changes: ChangeLog | undefined
}

interface EffectOptions {
  overlaps?: boolean
  messages?: (() => readonly Message[]) | undefined
  detector?: ChangeDetector | undefined
  subject?: { key?: string; toolCallId?: string }
  /** What earlier calls have captured of the messages. Default: one watch per run. */
  watch?: MessageWatch
}

/** Arguments that give a hook access to messages, or to data in them. */
const MESSAGE_ARGUMENTS = ['messages', 'messageList', 'toolCalls'] as const

const trackedArguments = new PerRun<{ effects: HookEffects; values: Record<string, unknown> }>()

type TrackedArgument = (typeof MESSAGE_ARGUMENTS)[number]

/** Getters that all arguments share: see `withComputed`. */
const TRACKED_ARGUMENTS = Object.fromEntries(
  MESSAGE_ARGUMENTS.map((key) => [key, trackedArgument(key)]),
) as Record<TrackedArgument, PropertyDescriptor>

function trackedArgument(key: TrackedArgument): PropertyDescriptor {
  return {
    get(this: object) {
      const own = trackedArguments.get(this)
      own?.effects.begin()
      return own?.values[key]
    },
    set(this: object, value: unknown) {
      Object.defineProperty(this, key, { value, enumerable: true, configurable: true, writable: true })
    },
    enumerable: true,
    configurable: true,
  }
}

/** Number of newest parts whose data is compared for hooks that run in every step. For other hooks it is all parts. */
const NEWEST_PARTS = 32

/** Keys of changes to settings, not to what the hook is about. */
const SETTINGS_KEYS: ReadonlySet<string> = new Set(['systemMessages', 'settings', 'toolCalls'])

/** The captured messages of a run, by its transcript. */
const watches = new PerRun<MessageWatch>()

/**
 * Detects what one call of a hook changes, by its result or in place. Messages are compared only if the hook accesses
 * them: captured at the first access and compared when the hook returns.
 */
export class HookEffects {
  readonly #run: Subject
  readonly #record: HookRecord
  readonly #detector: ChangeDetector | undefined
  readonly #messages: () => readonly Message[]
  readonly #subject: { key?: string; toolCallId?: string }
  readonly #overlaps: boolean
  readonly #version: number
  readonly #known: MessageWatch | undefined
  #watch: MessageWatch | undefined

  constructor(run: Subject, record: HookRecord, options: EffectOptions) {
    const { overlaps = false, messages, detector, subject = {}, watch } = options
    this.#known = watch
    this.#run = run
    this.#record = record
    this.#overlaps = overlaps
    this.#messages = messages ?? (() => run.messageList.get())
    this.#detector = detector
    this.#subject = subject
    this.#version = run.messageList.version
    detector?.capture()
  }

  /** The same arguments, with getters. The first access to messages captures them. */
  trackAccess<ARGS extends object>(args: ARGS): ARGS {
    const values: Record<string, unknown> = {}
    trackedArguments.set(args, { effects: this, values })
    for (const key of MESSAGE_ARGUMENTS) {
      if (!(key in args)) continue
      values[key] = args[key as keyof ARGS]
      Object.defineProperty(args, key, TRACKED_ARGUMENTS[key])
    }
    return args
  }

  /** Captures the messages before a change. */
  begin(): void {
    if (this.#watch) return
    this.#watch = this.#known ?? watchIn(watches, this.#run.messageList)
    this.#watch.parts = this.#record.stepNumber === undefined ? Number.POSITIVE_INFINITY : NEWEST_PARTS
    this.#watch.capture(this.#messages())
  }

  /**
   * For concurrent calls of a hook: detects only synchronous changes, since a later one may be made by another call.
   */
  endSync(isSync: boolean): void {
    if (isSync && this.#watch) this.#endMessages(this.#watch)
    this.#watch = undefined
  }

  /** Records what has changed since {@link begin}. */
  end(): void {
    if (this.#detector?.changed) {
      this.#record.recordAction('changed')
      this.#recordChange({ ...this.#subject, before: this.#detector.before, after: this.#detector.after })
    }
    if (this.#overlaps) return
    if (this.#watch) this.#endMessages(this.#watch)
    else if (this.#run.messageList.version !== this.#version) this.#record.recordAction('changed')
  }

  /** Records a signal with which the hook ended the run or step, and what the hook was shown. */
  recordEnd(args: object, signal: Signal): void {
    if (!this.#run.changes) return
    const { key } = this.#subject
    const isAbout = key !== undefined && !SETTINGS_KEYS.has(key)
    const shown = isAbout ? this.#detector?.after : shownIn(args)
    this.#recordChange({
      ...(isAbout && this.#subject),
      action: actionOf(signal),
      before: shown,
      after: undefined,
    })
  }

  #endMessages(watch: MessageWatch): void {
    const now = this.#messages()
    if (!isChanged(watch, now, this.#record)) return
    this.#record.recordAction('changed')
    const changes = watch.changes(now)
    checkMessages(this.#record, changes)
    if (this.#run.changes) for (const { made: _, ...change } of changes) this.#recordChange(change)
  }

  #recordChange(change: RecordedChange): void {
    this.#run.changes?.recordChange(this.#record, change)
  }
}

/** Whether the messages were changed. Messages that cannot be read are invalid. */
function isChanged(watch: MessageWatch, now: readonly Message[], record: HookRecord): boolean {
  try {
    return watch.isChanged(now)
  } catch (error) {
    checkMessages(
      record,
      now.map((message) => ({ made: { message } })),
    )
    throw error
  }
}

/** What the hook was shown, if it has no subject: the answer so far, or the newest message. */
function shownIn(args: object): unknown {
  const { text, result, toolResults, messages } = args as {
    text?: string
    result?: { text?: string }
    toolResults?: unknown
    messages?: readonly Message[]
  }
  return text ?? result?.text ?? toolResults ?? messages?.at(-1)?.content.parts
}
