import { MillraceError, type UIMessageChunk } from '@millrace/core'
import type { StreamStore } from '@millrace/core/storage'
import { toEvents } from '../events.ts'
import { AnswerIndex, type Conversation } from './answer-index.ts'
import {
  AnswerStream,
  EXPIRES_AFTER_END,
  eventsOf,
  HEARTBEATS,
  heartbeatKey,
  INTERRUPTED,
  type StoredStream,
  stopKey,
} from './answer-stream.ts'
import { withoutRetracted } from './retracted-chunks.ts'

export interface AnswerStreamsOptions {
  /**
   * The store through which other processes read the answers of this one. `undefined`: answers are not
   * stored.
   */
  store: StreamStore | undefined
  onReaderGone: 'cancel' | 'continue'
  maxRunsPerResource: number
  maxAnswerLength: number
  /**
   * Milliseconds without a chunk or heartbeat after which readers assume that the process which generates an
   * answer has died.
   */
  goneAfter: number
}

/** The run of an answer. */
export interface AnswerRun {
  chunks: AsyncIterable<UIMessageChunk>
  /**
   * If the first reader already has the beginning of the message: the chunks that other readers get instead
   * of the first.
   */
  opening: () => readonly UIMessageChunk[] | undefined
  /** Resolves or rejects when the run has ended and its turn is stored. Called after the chunks are read. */
  result: () => Promise<unknown>
}

/** Options of an answer to start. */
export interface AnswerStart {
  /**
   * Starts the run. Called once. With `onReaderGone: 'continue'`, the signal is not aborted when readers
   * disconnect.
   */
  open: (signal: AbortSignal) => AnswerRun
  /** Called with errors of the store and of the run. The readers are served nevertheless. */
  onError: (error: unknown) => void
}

/** Milliseconds between two reads of the store, for readers in other processes. */
const POLL_INTERVAL = 250

interface LiveAnswer {
  stream: AnswerStream
  stop: () => void
  /** It was stopped, and its turn is not stored yet. */
  isStopping: boolean
  /** The number of connected readers. */
  readers: number
}

/**
 * The answers in progress, by conversation. Each can have any number of readers, which start at any offset.
 */
export class AnswerStreams {
  readonly #options: AnswerStreamsOptions
  readonly #index: AnswerIndex | undefined
  /** The answers that this process generates. */
  readonly #live = new Set<LiveAnswer>()
  /** The newest of them, by conversation. */
  readonly #newest = new Map<string, LiveAnswer>()
  readonly #running = new Map<string, number>()

  constructor(options: AnswerStreamsOptions) {
    this.#options = options
    this.#index = options.store && new AnswerIndex(options.store)
  }

  /**
   * Starts an answer and returns the stream of its first reader.
   *
   * @throws MillraceError `RUN_LIMIT_REACHED` if the resource has too many answers in progress
   */
  async begin(
    conversation: Conversation,
    { open, onError }: AnswerStart,
  ): Promise<ReadableStream<Uint8Array>> {
    const { maxRunsPerResource, maxAnswerLength: maxLength, goneAfter } = this.#options
    const { resourceId } = conversation
    const running = this.#running.get(resourceId) ?? 0
    if (running >= maxRunsPerResource) {
      throw new MillraceError(
        'RUN_LIMIT_REACHED',
        `${running} answers are in progress for this resource, as many as maxRunsPerResource allows. Wait for one to end.`,
      )
    }
    this.#running.set(resourceId, running + 1)
    const before = this.#newest.get(conversationKey(conversation))
    // Wait until a stopped answer is stored: it is part of the history of the next one.
    if (before?.isStopping) await ended(before)
    const controller = new AbortController()
    const stop = (): void => {
      live.isStopping = true
      controller.abort(new DOMException('The answer was stopped.', 'AbortError'))
    }
    const stored = await this.#announce(conversation, onError)
    const onStoreError = onError
    const stream = new AnswerStream({ stored, maxLength, goneAfter, onStop: stop, onStoreError })
    const live: LiveAnswer = { stream, stop, isStopping: false, readers: 0 }
    const end = (): Promise<void> => this.#end(conversation, { live, stored, onError })
    try {
      const run = open(controller.signal)
      this.#live.add(live)
      this.#newest.set(conversationKey(conversation), live)
      void this.#pump(run, live, onError).finally(end)
    } catch (error) {
      stream.end()
      await end()
      throw error
    }
    return this.#readLive(live, live.stream.readFirst())
  }

  /**
   * Reads the newest answer of a conversation from the given offset, if it is in progress.
   *
   * @param onError Called if the store fails while the answer is read; the reader then gets an error chunk
   */
  async reconnect(
    conversation: Conversation,
    { from, onError }: { from: number; onError: (error: unknown) => void },
  ): Promise<ReadableStream<Uint8Array> | undefined> {
    const live = this.#newest.get(conversationKey(conversation))
    if (live && !live.stream.ended) return this.#readLive(live, live.stream.read(from))
    const stored = await this.#findStored(conversation)
    if (!stored) return undefined
    const reader = { left: false }
    return toEvents(this.#readStored(stored, { from, reader, onError }), {
      onLeave: () => {
        reader.left = true
      },
    })
  }

  /**
   * Stops the newest answer of a conversation, in any process. Returns whether there was one. If it is in
   * this process, resolves when its turn is stored.
   */
  async stop(conversation: Conversation): Promise<boolean> {
    const live = this.#newest.get(conversationKey(conversation))
    if (live && !live.stream.ended) {
      live.stop()
      await ended(live)
      return true
    }
    const stored = await this.#findStored(conversation)
    if (!stored) return false
    const { store, resourceId, threadId, streamId } = stored
    await store
      .appendToStream({
        runId: stopKey(streamId),
        resourceId,
        threadId,
        offset: 0,
        chunks: ['stop'],
        end: true,
        expiresIn: EXPIRES_AFTER_END,
      })
      // The stop was requested already.
      .catch(() => {})
    return true
  }

  /** Resolves when no answer is in progress in this process. */
  async settled(): Promise<void> {
    for (const live of [...this.#live]) {
      await ended(live)
      await live.stream.written
    }
  }

  /** Stops all answers in progress in this process. */
  stopAll(): void {
    for (const { stop } of this.#live) stop()
  }

  /** Announces the answer to other processes. If the store fails, the answer is not stored. */
  async #announce(
    conversation: Conversation,
    onError: (error: unknown) => void,
  ): Promise<(StoredStream & { indexLength: number }) | undefined> {
    const { store } = this.#options
    if (!store || !this.#index) return undefined
    const { resourceId, threadId } = conversation
    const streamId = crypto.randomUUID()
    try {
      await store.appendToStream({ runId: streamId, resourceId, threadId, offset: 0, chunks: [] })
      const indexLength = await this.#index.announce(conversation, streamId)
      return { store, resourceId, threadId, streamId, indexLength }
    } catch (error) {
      onError(error)
      return undefined
    }
  }

  /** The newest answer of a conversation, if another process generates it. */
  async #findStored(conversation: Conversation): Promise<StoredStream | undefined> {
    const { store } = this.#options
    if (!store || !this.#index) return undefined
    const streamId = await this.#index.newest(conversation)
    if (streamId === undefined) return undefined
    const { resourceId, threadId } = conversation
    const part = await store.readStream({ runId: streamId, resourceId, limit: 1 })
    return part && !part.ended ? { store, resourceId, threadId, streamId } : undefined
  }

  async #end(
    conversation: Conversation,
    {
      live,
      stored,
      onError,
    }: {
      live: LiveAnswer
      stored: (StoredStream & { indexLength: number }) | undefined
      onError: (error: unknown) => void
    },
  ): Promise<void> {
    const { resourceId } = conversation
    const left = (this.#running.get(resourceId) ?? 1) - 1
    if (left === 0) this.#running.delete(resourceId)
    else this.#running.set(resourceId, left)
    await live.stream.written
    if (stored) await this.#index?.end(conversation, stored.indexLength).catch(onError)
    this.#live.delete(live)
    const key = conversationKey(conversation)
    if (this.#newest.get(key) === live) this.#newest.delete(key)
  }

  async #pump(
    { chunks, opening, result }: AnswerRun,
    { stream, stop }: LiveAnswer,
    onError: (error: unknown) => void,
  ): Promise<void> {
    try {
      for await (const chunk of chunks) {
        if (chunk.type === 'start') stream.begin(chunk, opening())
        else stream.push(chunk)
      }
    } catch (error) {
      onError(error)
      stop()
      stream.interrupt()
    }
    // A reader that sees the end finds the turn in the thread. Faults were already sent in the stream.
    await result().catch(() => {})
    stream.end()
  }

  #readLive(live: LiveAnswer, chunks: AsyncGenerator<readonly string[]>): ReadableStream<Uint8Array> {
    live.readers++
    let left = false
    const leave = (): void => {
      if (left) return
      left = true
      live.readers--
      if (live.readers === 0 && this.#options.onReaderGone === 'cancel') live.stop()
    }
    return toEvents(chunks, { onLeave: leave })
  }

  async *#readStored(
    { store, resourceId, streamId }: StoredStream,
    { from, reader, onError }: { from: number; reader: { left: boolean }; onError: (error: unknown) => void },
  ): AsyncGenerator<string | readonly string[]> {
    const { goneAfter } = this.#options
    let next = from
    let nextCheck = Date.now() + goneAfter
    try {
      while (!reader.left) {
        const part = await store.readStream({ runId: streamId, resourceId, from: next })
        if (!part) return
        if (part.chunks.length > 0) yield eventsOf(withoutRetracted(part.chunks))
        next += part.chunks.length
        if (part.ended && next >= part.length) return
        if (part.chunks.length > 0) nextCheck = Date.now() + goneAfter
        else if (Date.now() > nextCheck) {
          if (!(await store.readStream({ runId: heartbeatKey(streamId), resourceId, limit: 1 }))) {
            yield JSON.stringify(INTERRUPTED)
            return
          }
          nextCheck = Date.now() + goneAfter / HEARTBEATS
        } else await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL))
      }
    } catch (error) {
      onError(error)
      yield JSON.stringify(INTERRUPTED)
    }
  }
}

async function ended({ stream }: LiveAnswer): Promise<void> {
  for await (const _ of stream.read()) {
    // Reads to the end.
  }
}

function conversationKey({ agent, resourceId, threadId }: Conversation): string {
  return JSON.stringify([agent, resourceId, threadId])
}
