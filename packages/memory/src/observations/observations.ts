import {
  isRecord,
  type LanguageModel,
  type Message,
  MillraceError,
  requireCount,
  requireOneOf,
  type Store,
  type StoredMessage,
  type ThreadKey,
} from '@millrace/core'
import { contextMessage, escaped, LASTING_CONTEXT } from '../context-message.ts'
import { beginAtUserMessage } from '../message-history/history-window.ts'
import { tokensOf } from '../message-history/message-tokens.ts'
import { newestMessages } from '../message-history/read-messages.ts'
import { isBlocked, isOpen } from '../message-history/turn-mark.ts'
import { readState, type StatePlace, statePlace } from '../stored-state.ts'
import { cutOfChanged } from './changed-messages.ts'
import { isDay, lineOf, mergeSources, type NewObservation, toLine } from './observation.ts'
import { messagesOf } from './range-messages.ts'
import { cutAfter, joinRanges, type SourceRange } from './source-range.ts'
import {
  changeObservations,
  forgetNotes,
  lastPlaceIn,
  type ObservedPart,
  observationsOf,
  observedPartOf,
  recordChange,
  type StoredObservation,
  type StoredObservations,
} from './stored-observations.ts'
import { type Observer, observeWith, type Reflector, reflectWith } from './take-notes.ts'

export interface ObservationsOptions {
  /** The tokens of a text, such as `countTokens` of `@millrace/tokens`. */
  countTokens: (text: string) => number | Promise<number>
  /** The most tokens of all notes. When they take more, a reflector merges them into half of it. Default: 4,000. */
  maxTokens?: number | undefined
  /** When messages without notes take this many tokens, notes are taken of them. Default: 2,000. */
  batchTokens?: number | undefined
  /** What of the messages with notes is also shown as it is: the newest whole turns. Default: 2,000. */
  keepTokens?: number | undefined
  /** Whose notes they are, and who is shown them. Without a resource they are the thread's. Default: `thread`. */
  scope?: 'resource' | 'thread' | undefined
  /** Takes and merges notes. Default: the agent's. */
  model?: LanguageModel | undefined
  /** Takes notes in place of the model. */
  observe?: Observer | undefined
  /** Merges notes in place of the model. */
  reflect?: Reflector | undefined
}

/** A thread as the model is shown it. */
export interface ObservedHistory {
  /** The notes, as a message marked as context. */
  notes: Message | undefined
  /** What was said since, and the newest of what there are notes of, oldest first. */
  messages: Message[]
  /** The place of the newest message that is taken into account. */
  newest: number
  /** The tokens of messages there are no notes of. */
  unread: number
  /** There are notes of messages that this turn takes back. */
  isStale: boolean
}

const TAG = 'observations'

/** A turn that is under way has its messages read when it is complete; one that never was, after this time. */
const OPEN_FOR_MS = 3_600_000

/** The least a note-taker is given at once, in tokens, if there is so much. */
const MIN_BATCH = 1_000

/** Messages beyond this many times what is to be shown are left out: taking notes of them has failed. */
const TOLERANCE = 2

/**
 * Keeps dated notes of what was said, and shows them with the newest messages: all of a thread, or of a resource, in a
 * bounded number of tokens. Notes are only added at the end until the reflector merges them, so that providers can cache
 * the beginning of the prompt. The messages stay in the store, and can be found there.
 */
export class Observations {
  readonly #countTokens: ObservationsOptions['countTokens']
  readonly #maxTokens: number
  readonly #batchTokens: number
  readonly #keepTokens: number
  readonly #scope: 'resource' | 'thread'
  readonly #options: ObservationsOptions

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: ObservationsOptions) {
    const { maxTokens = 4_000, batchTokens = 2_000, keepTokens = 2_000, scope = 'thread' } = options
    this.#options = options
    this.#maxTokens = requireCount('observations.maxTokens', maxTokens, 1)
    this.#batchTokens = requireCount('observations.batchTokens', batchTokens, 0)
    this.#keepTokens = requireCount('observations.keepTokens', keepTokens, 0)
    requireOneOf('observations.scope', scope, ['resource', 'thread'])
    this.#scope = scope
    this.#countTokens = options.countTokens
    for (const name of ['countTokens', 'observe', 'reflect'] as const) {
      if (typeof options[name] === 'function' || (name !== 'countTokens' && options[name] === undefined))
        continue
      throw new MillraceError('CONFIG_INVALID', `observations.${name} must be a function.`)
    }
  }

  placeOf(key: ThreadKey): StatePlace {
    return statePlace(key, this.#scope)
  }

  /** @param options.before Only what comes before the message with this id: for a turn that is done again */
  async read(
    storage: Store,
    key: ThreadKey,
    { before }: { before?: string | undefined } = {},
  ): Promise<ObservedHistory> {
    const { stored, part } = await this.#readNotes(storage, key)
    const through = Math.max(part.through, lastPlaceIn(key, stored))
    const since = await this.#shown(storage, key, { before, shownFrom: part.shownFrom, through })
    const { newest } = since
    const isStale = through > newest
    const isGone = isStale && part.shownFrom > newest
    const { messages, unread } = isGone
      ? await this.#shown(storage, key, { before, shownFrom: 0, through })
      : since
    const visible = isStale ? forgetNotes(stored, cutAfter(key.threadId, newest)) : undefined
    const notes = await this.#message((visible ?? stored).notes)
    return { notes, messages, newest, unread, isStale }
  }

  /** Forgets the notes of what a turn takes back. */
  async takeBack(storage: Store, key: ThreadKey, newest: number): Promise<void> {
    const { threadId } = key
    const place = this.placeOf(key)
    await changeObservations(storage, place, (stored) => {
      const left = forgetNotes(stored, cutAfter(threadId, newest))
      return left && { stored: left }
    })
    await changeObservations(storage, { ...key }, (_, part) =>
      part.through > newest
        ? { part: { through: newest, shownFrom: part.shownFrom > newest ? 0 : part.shownFrom } }
        : undefined,
    )
  }

  /**
   * Takes notes of what there are none of, where that is enough, and merges notes that take too many tokens. Nothing
   * changes if the model fails, or if another writer was faster.
   *
   * @param options.model The agent's
   * @param options.newest The place of the newest message when the turn began: notes of later ones may be of what it took back
   * @param options.unread The tokens of messages without notes, as far as they are known: if they are few, nothing is read
   * @param options.all Takes notes of however little there is
   * @throws MillraceError `CONFIG_INVALID` if there is nobody to take notes
   */
  async observe(
    storage: Store,
    key: ThreadKey,
    {
      model: agentModel,
      newest,
      unread = Number.POSITIVE_INFINITY,
      all = false,
    }: {
      model?: LanguageModel | undefined
      newest?: number | undefined
      unread?: number | undefined
      all?: boolean
    },
  ): Promise<void> {
    const model = this.#options.model ?? agentModel
    const place = this.placeOf(key)
    let { stored, part } = await this.#readNotes(storage, key)
    if (newest !== undefined && Math.max(part.through, lastPlaceIn(key, stored)) > newest) {
      await this.takeBack(storage, key, newest)
      const again = await this.#readNotes(storage, key)
      stored = again.stored
      part = again.part
    }
    for (const range of stored.pending) await this.#readAgain(storage, key, { place, range, model })
    if (all || unread >= this.#batchTokens) {
      const through = Math.max(part.through, lastPlaceIn(key, stored))
      for (const messages of await this.#unread(storage, key, { through, all })) {
        await this.#addNotes(storage, key, { place, messages, model })
      }
    }
    await this.#reflect(storage, place, model)
  }

  /** What messages take. */
  async tokensOf(messages: readonly Message[]): Promise<number> {
    let tokens = 0
    for (const message of messages) tokens += await tokensOf(message, this.#countTokens)
    return tokens
  }

  async #readNotes(
    storage: Store,
    key: ThreadKey,
  ): Promise<{ stored: StoredObservations; part: ObservedPart }> {
    const thread = await readState(storage, { ...key })
    const place = this.placeOf(key)
    const notes = place.threadId === undefined ? await readState(storage, place) : thread
    return { stored: observationsOf(notes), part: observedPartOf(thread) }
  }

  /** The messages from a place on, the newest if they are too many, and the place of the newest there is. */
  async #shown(
    storage: Store,
    key: ThreadKey,
    { before, shownFrom, through }: { before: string | undefined; shownFrom: number; through: number },
  ): Promise<{ messages: Message[]; newest: number; unread: number }> {
    const most = TOLERANCE * (this.#keepTokens + this.#batchTokens)
    const newestFirst: Message[] = []
    let tokens = 0
    let unread = 0
    let newest = 0
    let isCut = false
    for await (const { message, sequence } of newestMessages(storage, key, { before })) {
      newest = Math.max(newest, sequence)
      isCut = sequence < shownFrom
      if (isCut) break
      if (!isNotable({ message })) continue
      const size = await tokensOf(message, this.#countTokens)
      tokens += size
      if (sequence > through) unread += size
      isCut = tokens > most && newestFirst.length > 0
      if (isCut) break
      newestFirst.push(message)
    }
    const messages = newestFirst.reverse()
    return { messages: isCut ? beginAtUserMessage(messages) : messages, newest, unread }
  }

  /** The newest notes that fit, oldest first: the same for every run until notes are added or merged, but for its id. */
  async #message(notes: readonly StoredObservation[]): Promise<Message | undefined> {
    const shown: string[] = []
    let left = this.#maxTokens
    for (const note of notes.toReversed()) {
      const line = lineOf(note)
      left -= await this.#countTokens(line)
      if (left < 0) break
      shown.push(line)
    }
    if (shown.length === 0) return undefined
    return contextMessage({
      id: LASTING_CONTEXT,
      tag: TAG,
      about: 'Notes on what was said earlier.',
      body: escaped(shown.toReversed().join('\n'), TAG),
    })
  }

  /** What there are no notes of, if it is enough, in parts. */
  async #unread(
    storage: Store,
    key: ThreadKey,
    { through, all }: { through: number; all: boolean },
  ): Promise<StoredMessage[][]> {
    const unread: StoredMessage[] = []
    for await (const stored of newestMessages(storage, key, {})) {
      if (stored.sequence <= through) break
      unread.push(stored)
    }
    unread.reverse()
    const open = unread.findIndex(
      ({ message }) => isOpen(message) && Date.now() - message.createdAt.getTime() < OPEN_FOR_MS,
    )
    const { parts, tokens } = await this.#parts(open < 0 ? unread : unread.slice(0, open))
    return all || tokens >= this.#batchTokens ? parts : []
  }

  /** What a note-taker is given at once: whole turns, where they fit. */
  async #parts(messages: readonly StoredMessage[]): Promise<{ parts: StoredMessage[][]; tokens: number }> {
    const most = Math.max(this.#batchTokens, MIN_BATCH)
    const parts: StoredMessage[][] = []
    let tokens = 0
    let size = 0
    for (const stored of messages.filter(isNotable)) {
      const own = await tokensOf(stored.message, this.#countTokens)
      const isFull = size + own > (stored.message.role === 'user' ? most : TOLERANCE * most)
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

  /** Takes notes of messages whose notes were dropped with those of others, part by part. */
  async #readAgain(
    storage: Store,
    key: ThreadKey,
    { place, range, model }: { place: StatePlace; range: SourceRange; model: LanguageModel | undefined },
  ): Promise<void> {
    const { parts } = await this.#parts(await messagesOf(storage, key, range))
    let pending = range
    for (const [index, messages] of (parts.length > 0 ? parts : [[]]).entries()) {
      const next = parts[index + 1]?.[0]
      const rest = next && { ...range, firstId: next.message.id, from: next.sequence }
      await this.#addNotes(storage, key, { place, messages, model, again: { range: pending, rest } })
      if (rest) pending = rest
    }
  }

  /** Adds the notes of messages at the end, unless somebody else has, or the messages have changed meanwhile. */
  async #addNotes(
    storage: Store,
    key: ThreadKey,
    {
      place,
      messages,
      model,
      again,
    }: {
      place: StatePlace
      messages: readonly StoredMessage[]
      model: LanguageModel | undefined
      /** What of `pending` they begin, and what is left of it then. */
      again?: { range: SourceRange; rest: SourceRange | undefined }
    },
  ): Promise<void> {
    const [first] = messages
    const last = messages.at(-1)
    const threadId = again?.range.threadId ?? key.threadId
    const range =
      first && last
        ? { threadId, firstId: first.message.id, from: first.sequence, to: last.sequence }
        : undefined
    const made = range ? await this.#take(messages, { model, threadId }) : []
    const batch = crypto.randomUUID()
    const isSaved = await changeObservations(storage, place, (stored) => {
      const at = again ? stored.pending.findIndex((other) => isSame(other, again.range)) : -1
      // Another writer has taken notes of them, or they were deleted.
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
      const shownFrom = await this.#firstShown(storage, key, last.sequence)
      await changeObservations(storage, { ...key }, (_, part) =>
        part.through >= last.sequence ? undefined : { part: { through: last.sequence, shownFrom } },
      )
    }
    if (isSaved && range) await this.#checkSources(storage, { resourceId: key.resourceId, place, messages })
  }

  /** Who has deleted or edited a message meanwhile has found no notes of it to forget; who does so now finds these. */
  async #checkSources(
    storage: Store,
    {
      place,
      ...sources
    }: { place: StatePlace; messages: readonly StoredMessage[]; resourceId: string | undefined },
  ): Promise<void> {
    const cut = await cutOfChanged(storage, sources)
    if (!cut) return
    await changeObservations(storage, place, (stored) => {
      const left = forgetNotes(stored, cut)
      return left && { stored: left }
    })
  }

  async #take(
    messages: readonly StoredMessage[],
    { model, threadId }: { model: LanguageModel | undefined; threadId: string },
  ): Promise<Omit<StoredObservation, 'batch'>[]> {
    const maxTokens = Math.max(1, Math.floor(this.#maxTokens / 2))
    const observe = this.#options.observe ?? observeWith(required(model))
    const said = messages.map(({ message }) => message)
    const made = checkNotes(await observe({ messages: said, maxTokens }), 'observe')
    const day = (said.at(-1)?.createdAt ?? new Date()).toISOString().slice(0, 10)
    const ids = said.map(({ id }) => id)
    const notes = made.map(({ text, date = day, messageIds }) => {
      const named = messageIds?.filter((id) => ids.includes(id)) ?? []
      const sources = mergeSources([{ threadId, messageIds: named.length > 0 ? named : ids }])
      return { id: crypto.randomUUID(), date, text, sources }
    })
    const fitting = await this.#countFitting(notes, maxTokens)
    return notes.slice(0, fitting)
  }

  async #countFitting(
    notes: readonly Pick<StoredObservation, 'date' | 'text'>[],
    maxTokens: number,
  ): Promise<number> {
    let tokens = 0
    for (const [index, note] of notes.entries()) {
      tokens += await this.#countTokens(lineOf(note))
      if (tokens > maxTokens) return index
    }
    return notes.length
  }

  /** Where the newest whole turns up to a place begin that fit into what is kept. */
  async #firstShown(storage: Store, key: ThreadKey, through: number): Promise<number> {
    let first = through + 1
    let left = this.#keepTokens
    for await (const { message, sequence } of newestMessages(storage, key, {})) {
      if (sequence > through || !isNotable({ message })) continue
      left -= await tokensOf(message, this.#countTokens)
      if (left < 0) break
      if (message.role === 'user') first = sequence
    }
    return first
  }

  /** Merges all notes, if they take too many tokens. They stay as they are if what comes back takes too many as well. */
  async #reflect(storage: Store, place: StatePlace, model: LanguageModel | undefined): Promise<void> {
    const before = observationsOf(await readState(storage, place))
    if ((await this.#countFitting(before.notes, this.#maxTokens)) === before.notes.length) return
    const maxTokens = Math.max(1, Math.floor(this.#maxTokens / 2))
    const reflect = this.#options.reflect ?? reflectWith(required(model))
    const observations = before.notes.map(({ batch: _, ...note }) => note)
    const made = checkNotes(await reflect({ observations, maxTokens }), 'reflect')
    const isSmaller = (await this.#countFitting(made.map(dated), this.#maxTokens)) === made.length
    if (made.length === 0 || !isSmaller) {
      throw new MillraceError(
        'MODEL_OUTPUT_INVALID',
        `The reflector was to merge observations into ${maxTokens} tokens, and gave ${made.length === 0 ? 'none' : `more than ${this.#maxTokens}`}. They stay as they were, and of them the newest are shown. Raise observations.maxTokens, or use another model.`,
      )
    }
    const ids = new Set(before.notes.map(({ id }) => id))
    const batch = crypto.randomUUID()
    const notes = made.map((note) => ({
      id: crypto.randomUUID(),
      ...dated(note),
      sources: mergeSources(sourcesNamed(note, before.notes)),
      batch,
    }))
    await changeObservations(storage, place, (stored) => {
      const merged = stored.notes.filter(({ id }) => ids.has(id))
      const isSame = JSON.stringify(merged) === JSON.stringify(before.notes)
      // Some were edited or forgotten meanwhile, and what was merged from them may still say what they said.
      if (!isSame) return undefined
      const removed = stored.notes.flatMap((note, index) => (ids.has(note.id) ? [{ index, note }] : []))
      const ranges = [...new Set(merged.map((note) => note.batch))].flatMap(
        (each) => stored.batches[each] ?? [],
      )
      const changed = {
        ...stored,
        notes: [...notes, ...stored.notes.filter(({ id }) => !ids.has(id))],
        batches: { ...stored.batches, [batch]: joinRanges(ranges) },
      }
      return { stored: recordChange(changed, { removed, added: notes.map(({ id }) => id) }) }
    })
  }
}

function dated({ text, date }: NewObservation): { text: string; date: string } {
  return { text, date: date ?? new Date().toISOString().slice(0, 10) }
}

/** The sources of the notes that name one of these messages; of all, if none does. */
function sourcesNamed(
  { messageIds = [] }: NewObservation,
  notes: readonly StoredObservation[],
): StoredObservation['sources'] {
  const named = notes
    .flatMap(({ sources }) => sources)
    .map(({ threadId, messageIds: ids }) => ({
      threadId,
      messageIds: ids.filter((id) => messageIds.includes(id)),
    }))
    .filter(({ messageIds: ids }) => ids.length > 0)
  return named.length > 0 ? named : notes.flatMap(({ sources }) => sources)
}

function isNotable({ message }: Pick<StoredMessage, 'message'>): boolean {
  return !isBlocked(message) && message.role !== 'system'
}

function overlaps({ batches, pending }: StoredObservations, { threadId, from, to }: SourceRange): boolean {
  return [...Object.values(batches).flat(), ...pending].some(
    (other) => other.threadId === threadId && other.from <= to && from <= other.to,
  )
}

function isSame(range: SourceRange, other: SourceRange): boolean {
  return range.threadId === other.threadId && range.from === other.from && range.to === other.to
}

function required(model: LanguageModel | undefined): LanguageModel {
  if (model !== undefined) return model
  throw new MillraceError(
    'CONFIG_INVALID',
    'There is no model to take notes. Give observations a model, or the functions observe and reflect.',
  )
}

/** What a function of the user's has made, with each text as one line. */
function checkNotes(made: unknown, name: 'observe' | 'reflect'): NewObservation[] {
  const isNote = (note: unknown): note is NewObservation =>
    isRecord(note) &&
    typeof note.text === 'string' &&
    (note.date === undefined || (typeof note.date === 'string' && isDay(note.date))) &&
    (note.messageIds === undefined || Array.isArray(note.messageIds))
  if (!Array.isArray(made) || !made.every(isNote)) {
    throw new MillraceError(
      'RUN_FAILED',
      `observations.${name} gave no list of notes. Return a list of { text, date, messageIds }, with a date such as '2026-05-08' or none.`,
    )
  }
  return made.map((note) => ({ ...note, text: toLine(note.text) })).filter(({ text }) => text !== '')
}
