import type { Store, StoredMessage, ThreadKey } from '@millrace/core'
import { tokensOf } from '../message-history/message-tokens.ts'
import { newestMessages } from '../message-history/read-messages.ts'
import { isOpen } from '../message-history/turn-mark.ts'
import { readState, type StateKey } from '../stored-state.ts'
import { cutOfChanged } from './changed-messages.ts'
import { isNotable } from './is-notable.ts'
import { mergeNotes } from './merge-notes.ts'
import { checkNotes, countFitting, type NoteSettings, tokensPerCall } from './note-limits.ts'
import { mergeSources } from './observation.ts'
import { messagesOf } from './range-messages.ts'
import type { SourceRange } from './source-range.ts'
import {
  changeObservations,
  dropNotes,
  lastNotedSequence,
  observationsOf,
  progressOf,
  type StoredObservation,
  type StoredObservations,
} from './stored-observations.ts'
import type { Observer, Reflector } from './take-notes.ts'

export interface NoteTakerSettings extends NoteSettings {
  batchTokens: number
  keepTokens: number
  observe: Observer
  reflect: Reflector
}

/**
 * Messages of a turn that is still open are read once it is complete. A turn that never completes is read
 * after this many milliseconds.
 */
const OPEN_TURN_TIMEOUT_MS = 3_600_000

/** The minimum batch size in tokens. */
const MIN_BATCH = 1_000

/** A turn larger than a batch is kept whole, up to this many times the batch size. */
const LONGEST_TURN = 2

/** Takes notes of the messages of one thread, and merges notes. */
export class NoteTaker {
  readonly #storage: Store
  readonly #key: ThreadKey
  readonly #stateKey: StateKey
  readonly #settings: NoteTakerSettings

  /** @param place Whose state contains the notes */
  constructor(
    storage: Store,
    { key, stateKey, ...settings }: NoteTakerSettings & { key: ThreadKey; stateKey: StateKey },
  ) {
    this.#storage = storage
    this.#key = key
    this.#stateKey = stateKey
    this.#settings = settings
  }

  /**
   * Merges notes first if they exceed the limit: if that fails, no notes are added. If another writer has
   * changed the notes in the meantime, nothing is saved.
   *
   * @param options.unread The known number of tokens without notes. Below `batchTokens`, no messages are read
   * @param options.all Takes notes even of fewer than `batchTokens` tokens
   */
  async observe({ unread, all }: { unread: number; all: boolean }): Promise<void> {
    const { batchTokens } = this.#settings
    const { stored, through } = await this.#read()
    await this.#merge(stored)
    for (const range of stored.pending) await this.#readAgain(range)
    if (!all && unread < batchTokens) return
    for (const messages of await this.#unread({ through, all })) {
      await this.#addNotes(messages)
      await this.#merge()
    }
  }

  async #read(): Promise<{ stored: StoredObservations; through: number }> {
    const thread = await readState(this.#storage, { ...this.#key })
    const isOfThread = this.#stateKey.threadId !== undefined
    const stored = observationsOf(isOfThread ? thread : await readState(this.#storage, this.#stateKey))
    return { stored, through: Math.max(progressOf(thread).through, lastNotedSequence(this.#key, stored)) }
  }

  #merge(known?: StoredObservations): Promise<void> {
    return mergeNotes({ ...this.#settings, storage: this.#storage, stateKey: this.#stateKey, known })
  }

  /** The messages without notes, in batches. Empty if they have fewer than `batchTokens` tokens. */
  async #unread({ through, all }: { through: number; all: boolean }): Promise<StoredMessage[][]> {
    const unread: StoredMessage[] = []
    for await (const stored of newestMessages(this.#storage, this.#key, {})) {
      if (stored.sequence <= through) break
      unread.push(stored)
    }
    unread.reverse()
    const open = unread.findIndex(
      ({ message }) => isOpen(message) && Date.now() - message.createdAt.getTime() < OPEN_TURN_TIMEOUT_MS,
    )
    const { parts, tokens } = await this.#parts(open < 0 ? unread : unread.slice(0, open))
    return all || tokens >= this.#settings.batchTokens ? parts : []
  }

  /** Splits messages into batches: whole turns where they fit. */
  async #parts(messages: readonly StoredMessage[]): Promise<{ parts: StoredMessage[][]; tokens: number }> {
    const most = Math.max(this.#settings.batchTokens, MIN_BATCH)
    const parts: StoredMessage[][] = []
    let tokens = 0
    let size = 0
    for (const stored of messages.filter(isNotable)) {
      const own = await tokensOf(stored.message, this.#settings.countTokens)
      const isFull = size + own > (stored.message.role === 'user' ? most : LONGEST_TURN * most)
      if (parts.length > 0 && !isFull) parts.at(-1)?.push(stored)
      else {
        parts.push([stored])
        size = 0
      }
      size += own
      tokens += own
    }
    return { parts, tokens }
  }

  /** Takes notes again, batch by batch, of messages whose notes were dropped. */
  async #readAgain(range: SourceRange): Promise<void> {
    const { parts } = await this.#parts(await messagesOf(this.#storage, this.#key, range))
    let pending = range
    for (const [index, messages] of (parts.length > 0 ? parts : [[]]).entries()) {
      const next = parts[index + 1]?.[0]
      const rest = next && { ...range, firstId: next.message.id, from: next.sequence }
      await this.#addNotes(messages, { again: { range: pending, rest } })
      await this.#merge()
      if (rest) pending = rest
    }
  }

  /**
   * Takes notes of messages and appends them, unless another writer has done so or the messages have changed
   * in the meantime.
   */
  async #addNotes(
    messages: readonly StoredMessage[],
    {
      again,
    }: {
      /** The pending range that these messages begin, and what remains of it afterwards. */
      again?: { range: SourceRange; rest: SourceRange | undefined }
    } = {},
  ): Promise<void> {
    const [storage, key, stateKey] = [this.#storage, this.#key, this.#stateKey]
    const [first] = messages
    const last = messages.at(-1)
    const threadId = again?.range.threadId ?? key.threadId
    const range =
      first && last
        ? { threadId, firstId: first.message.id, from: first.sequence, to: last.sequence }
        : undefined
    const made = range ? await this.#take(messages, threadId) : []
    const batch = crypto.randomUUID()
    const isSaved = await changeObservations(storage, stateKey, (stored) => {
      const at = again ? stored.pending.findIndex((other) => isSame(other, again.range)) : -1
      // Another writer has taken notes of these messages, or they were deleted.
      if (again ? at < 0 : range && overlaps(stored, range)) return undefined
      const notes = made.map((note) => ({ ...note, batch }))
      return {
        stored: {
          ...stored,
          notes: [...stored.notes, ...notes],
          batches: range && notes.length > 0 ? { ...stored.batches, [batch]: [range] } : stored.batches,
          pending: again
            ? stored.pending.toSpliced(at, 1, ...(again.rest ? [again.rest] : []))
            : stored.pending,
        },
      }
    })
    if (!again && last) {
      const shownFrom = await this.#firstShown(last.sequence)
      await changeObservations(storage, { ...key }, (_, part) =>
        part.through >= last.sequence ? undefined : { part: { through: last.sequence, shownFrom } },
      )
    }
    if (isSaved && range) await this.#checkSources(messages)
  }

  /**
   * Handles a message that was deleted or edited while its notes were made. That change found no notes to
   * delete; a later change finds these.
   */
  async #checkSources(messages: readonly StoredMessage[]): Promise<void> {
    const { resourceId } = this.#key
    const cut = await cutOfChanged(this.#storage, { resourceId, messages })
    if (!cut) return
    await changeObservations(this.#storage, this.#stateKey, (stored) => {
      const left = dropNotes(stored, cut)
      return left && { stored: left }
    })
  }

  async #take(
    messages: readonly StoredMessage[],
    threadId: string,
  ): Promise<Omit<StoredObservation, 'batch'>[]> {
    const maxTokens = tokensPerCall(this.#settings)
    const said = messages.map(({ message }) => message)
    const { observe } = this.#settings
    const made = checkNotes(await observe({ messages: said, maxTokens }), 'observe')
    const day = (said.at(-1)?.createdAt ?? new Date()).toISOString().slice(0, 10)
    const ids = said.map(({ id }) => id)
    const notes = made.map(({ text, date = day, messageIds }) => {
      const named = messageIds?.filter((id) => ids.includes(id)) ?? []
      const sources = mergeSources([{ threadId, messageIds: named.length > 0 ? named : ids }])
      return { id: crypto.randomUUID(), date, text, sources }
    })
    const fitting = await countFitting(notes, { ...this.#settings, maxTokens })
    return notes.slice(0, fitting)
  }

  /** The sequence number at which the newest whole turns begin that fit into `keepTokens`. */
  async #firstShown(through: number): Promise<number> {
    let first = through + 1
    let left = this.#settings.keepTokens
    for await (const { message, sequence } of newestMessages(this.#storage, this.#key, {})) {
      if (sequence > through || !isNotable({ message })) continue
      left -= await tokensOf(message, this.#settings.countTokens)
      if (left < 0) break
      if (message.role === 'user') first = sequence
    }
    return first
  }
}

function overlaps({ batches, pending }: StoredObservations, { threadId, from, to }: SourceRange): boolean {
  return [...Object.values(batches).flat(), ...pending].some(
    (other) => other.threadId === threadId && other.from <= to && from <= other.to,
  )
}

function isSame(range: SourceRange, other: SourceRange): boolean {
  return range.threadId === other.threadId && range.from === other.from && range.to === other.to
}
