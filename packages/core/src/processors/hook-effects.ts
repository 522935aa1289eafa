import type { Message } from '../messages/message.ts'
import type { Signal } from '../signals.ts'
import type { MessageList } from '../transcript/message-list.ts'
import type { ChangeLog, RecordedChange } from './change-log.ts'
import { actionOf } from './gate.ts'
import type { HookRecord } from './hook-record.ts'
import { MessageWatch } from './message-watch.ts'
import { checkMessages } from './result-check.ts'
import type { Look } from './snapshot-of.ts'

/** What of a run a hook can have an effect on. */
interface Subject {
  readonly messageList: MessageList
  readonly changes: ChangeLog | undefined
}

interface EffectOptions {
  overlaps?: boolean
  messages?: (() => readonly Message[]) | undefined
  look?: Look | undefined
  subject?: { key?: string; toolCallId?: string }
  /** What is known of the messages from earlier looks. Default: one watch for the run. */
  watch?: MessageWatch
}

/** Arguments through which a hook gets at messages, or at data that stands in them. */
const WAYS_TO_MESSAGES = ['messages', 'messageList', 'toolCalls'] as const

/** Hooks of a step are looked at for the data of so many parts; hooks that are called once, for that of all. */
const NEWEST_PARTS = 32

/** Looks at what surrounds the messages a hook is about. */
const SETTINGS_KEYS: ReadonlySet<string> = new Set(['systemMessages', 'settings', 'toolCalls'])

/** What was seen of the messages of a run, by its transcript. */
const watches = new WeakMap<MessageList, MessageWatch>()

function watchOf(messageList: MessageList): MessageWatch {
  let watch = watches.get(messageList)
  if (!watch) {
    watch = new MessageWatch()
    watches.set(messageList, watch)
  }
  return watch
}

/**
 * What one call of a hook changes: what it returns and what it edits in place alike. Messages are looked at only where
 * the hook reaches for them, and then before it has them and when it is done.
 */
export class HookEffects {
  readonly #run: Subject
  readonly #record: HookRecord
  readonly #look: Look | undefined
  readonly #messages: () => readonly Message[]
  readonly #subject: { key?: string; toolCallId?: string }
  readonly #overlaps: boolean
  readonly #version: number
  readonly #known: MessageWatch | undefined
  #watch: MessageWatch | undefined

  constructor(run: Subject, record: HookRecord, options: EffectOptions) {
    const { overlaps = false, messages, look, subject = {}, watch } = options
    this.#known = watch
    this.#run = run
    this.#record = record
    this.#overlaps = overlaps
    this.#messages = messages ?? (() => run.messageList.get())
    this.#look = look
    this.#subject = subject
    this.#version = run.messageList.version
    look?.see()
  }

  /** The same arguments. The first of those that lead to messages to be asked for begins the watch. */
  watched<ARGS extends object>(args: ARGS): ARGS {
    for (const key of WAYS_TO_MESSAGES) {
      if (!(key in args)) continue
      const value = args[key as keyof ARGS]
      Object.defineProperty(args, key, {
        get: () => {
          this.begin()
          return value
        },
        set: (other) => {
          Object.defineProperty(args, key, {
            value: other,
            enumerable: true,
            configurable: true,
            writable: true,
          })
        },
        enumerable: true,
        configurable: true,
      })
    }
    return args
  }

  /** The messages are about to be changed, perhaps. */
  begin(): void {
    if (this.#watch) return
    this.#watch = this.#known ?? watchOf(this.#run.messageList)
    this.#watch.parts = this.#record.stepNumber === undefined ? Number.POSITIVE_INFINITY : NEWEST_PARTS
    this.#watch.see(this.#messages())
  }

  /** For a hook whose calls overlap: what is changed later may be the doing of another. */
  endAtOnce(answered: boolean): void {
    if (answered && this.#watch) this.#endMessages(this.#watch)
    this.#watch = undefined
  }

  /** Records what has changed since the beginning. */
  end(): void {
    if (this.#look?.changed) {
      this.#record.recordAction('changed')
      this.#recordChange({ ...this.#subject, before: this.#look.before, after: this.#look.after })
    }
    if (this.#overlaps) return
    if (this.#watch) this.#endMessages(this.#watch)
    else if (this.#run.messageList.version !== this.#version) this.#record.recordAction('changed')
  }

  /** The hook ended the run, or the step, over what it was shown. */
  recordEnd(args: object, signal: Signal): void {
    if (!this.#run.changes) return
    const { key } = this.#subject
    const isAbout = key !== undefined && !SETTINGS_KEYS.has(key)
    const shown = isAbout ? this.#look?.after : shownIn(args)
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

/** Messages that cannot be read are none. */
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

/** What a hook was about, where it says nothing else: the answer so far, or the newest message. */
function shownIn(args: object): unknown {
  const { text, result, toolResults, messages } = args as {
    text?: string
    result?: { text?: string }
    toolResults?: unknown
    messages?: readonly Message[]
  }
  return text ?? result?.text ?? toolResults ?? messages?.at(-1)?.content.parts
}
