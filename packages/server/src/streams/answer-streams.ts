import { MillraceError, type UIMessageChunk } from '@millrace/core'
import type { StreamStore } from '@millrace/core/storage'
import { toEvents } from '../events.ts'
import { AnswerIndex, type Place } from './answer-index.ts'
import {
  AnswerStream,
  BROKEN_OFF,
  eventsOf,
  KEPT_AFTER_END,
  type KeptIn,
  SIGNS_OF_LIFE,
  signKey,
  stopKey,
} from './answer-stream.ts'

export interface AnswerStreamsOptions {
  /** Where other processes find the answers of this one. `undefined`: there are no others. */
  store: StreamStore | undefined
  onReaderGone: 'cancel' | 'continue'
  maxRunsPerResource: number
  maxAnswerLength: number
  /** Milliseconds without a chunk or a sign of life after which the process that makes an answer counts as gone. */
  goneAfter: number
}

/** The run of an answer. */
export interface AnswerRun {
  chunks: AsyncIterable<UIMessageChunk>
  /** Where the first reader has a message that they continue: what others get in place of the first chunk. */
  opening: () => readonly UIMessageChunk[] | undefined
  /** Resolves or rejects once the run is over and its turn is stored. Called when the chunks are read. */
  result: () => Promise<unknown>
}

/** How an answer is begun. */
export interface Beginning {
  /** Starts the run. Called once; its stream is read without regard to readers where it is to last. */
  open: (signal: AbortSignal) => AnswerRun
  /** Called with faults of the store, and with what broke the answer off. The reader is served all the same. */
  onError: (error: unknown) => void
}

/** How long a reader in another process waits before it looks for more, in milliseconds. */
const POLL = 250

interface Live {
  stream: AnswerStream
  stop: () => void
  /** It was asked to stop, and its turn is not stored yet. */
  isStopping: boolean
  /** Clients that read it now. */
  readers: number
}

/** Answers as they are made: by conversation, with any number of readers, from their beginning or from a place on. */
export class AnswerStreams {
  readonly #options: AnswerStreamsOptions
  readonly #index: AnswerIndex | undefined
  /** The answers that this process makes. */
  readonly #live = new Set<Live>()
  /** The newest of them, by conversation. */
  readonly #newest = new Map<string, Live>()
  readonly #running = new Map<string, number>()

  constructor(options: AnswerStreamsOptions) {
    this.#options = options
    this.#index = options.store && new AnswerIndex(options.store)
  }

  /**
   * Begins an answer and returns what its first reader reads.
   *
   * @throws MillraceError `RUN_LIMIT_REACHED` where the resource has too many answers under way
   */
  async begin(place: Place, { open, onError }: Beginning): Promise<ReadableStream<Uint8Array>> {
    const { maxRunsPerResource, maxAnswerLength: maxLength, goneAfter } = this.#options
    const { resourceId } = place
    const running = this.#running.get(resourceId) ?? 0
    if (running >= maxRunsPerResource) {
      throw new MillraceError(
        'RUN_LIMIT_REACHED',
        `${running} answers are being made for this resource, as many as maxRunsPerResource allows. Wait for one to end.`,
      )
    }
    this.#running.set(resourceId, running + 1)
    const before = this.#newest.get(keyOf(place))
    // What is left of an answer that was stopped belongs to the history of the next.
    if (before?.isStopping) await ended(before)
    const controller = new AbortController()
    const stop = (): void => {
      live.isStopping = true
      controller.abort(new DOMException('The answer was stopped.', 'AbortError'))
    }
    const kept = await this.#keep(place, onError)
    const onStoreError = onError
    const stream = new AnswerStream({ kept, maxLength, goneAfter, onStop: stop, onStoreError })
    const live: Live = { stream, stop, isStopping: false, readers: 0 }
    const end = (): Promise<void> => this.#end(place, { live, kept, onError })
    try {
      const run = open(controller.signal)
      this.#live.add(live)
      this.#newest.set(keyOf(place), live)
      void this.#pump(run, live, onError).finally(end)
    } catch (error) {
      stream.end()
      await end()
      throw error
    }
    return this.#readLive(live, live.stream.readFirst())
  }

  /**
   * The newest answer of a conversation, if it is still being made; from the given chunk on.
   *
   * @param onError Called if the store fails while the answer is read: the reader is told that it broke off
   */
  async reconnect(
    place: Place,
    { from, onError }: { from: number; onError: (error: unknown) => void },
  ): Promise<ReadableStream<Uint8Array> | undefined> {
    const live = this.#newest.get(keyOf(place))
    if (live && !live.stream.ended) return this.#readLive(live, live.stream.read(from))
    const kept = await this.#elsewhere(place)
    if (!kept) return undefined
    const reader = { left: false }
    return toEvents(this.#readStored(kept, { from, reader, onError }), {
      onLeave: () => {
        reader.left = true
      },
    })
  }

  /**
   * Stops the newest answer of a conversation, wherever it is made. Returns whether there was one; if this process makes it,
   * once what is left of it is stored.
   */
  async stop(place: Place): Promise<boolean> {
    const live = this.#newest.get(keyOf(place))
    if (live && !live.stream.ended) {
      live.stop()
      await ended(live)
      return true
    }
    const kept = await this.#elsewhere(place)
    if (!kept) return false
    const { store, resourceId, threadId, streamId } = kept
    await store
      .appendToStream({
        runId: stopKey(streamId),
        resourceId,
        threadId,
        offset: 0,
        chunks: ['stop'],
        end: true,
        expiresIn: KEPT_AFTER_END,
      })
      // It was asked for before.
      .catch(() => {})
    return true
  }

  /** Resolves when no answer is being made in this process. */
  async settled(): Promise<void> {
    for (const live of [...this.#live]) {
      await ended(live)
      await live.stream.written
    }
  }

  /** Stops all answers that are being made in this process. */
  stopAll(): void {
    for (const { stop } of this.#live) stop()
  }

  /** Where the answer is kept: from now on, who asks another process finds it there. If the store fails, it is not kept. */
  async #keep(
    place: Place,
    onError: (error: unknown) => void,
  ): Promise<(KeptIn & { indexLength: number }) | undefined> {
    const { store } = this.#options
    if (!store || !this.#index) return undefined
    const { resourceId, threadId } = place
    const streamId = crypto.randomUUID()
    try {
      await store.appendToStream({ runId: streamId, resourceId, threadId, offset: 0, chunks: [] })
      const indexLength = await this.#index.announce(place, streamId)
      return { store, resourceId, threadId, streamId, indexLength }
    } catch (error) {
      onError(error)
      return undefined
    }
  }

  /** The newest answer of a conversation, if another process makes it. */
  async #elsewhere(place: Place): Promise<KeptIn | undefined> {
    const { store } = this.#options
    if (!store || !this.#index) return undefined
    const streamId = await this.#index.newest(place)
    if (streamId === undefined) return undefined
    const { resourceId, threadId } = place
    const part = await store.readStream({ runId: streamId, resourceId, limit: 1 })
    return part && !part.ended ? { store, resourceId, threadId, streamId } : undefined
  }

  async #end(
    place: Place,
    {
      live,
      kept,
      onError,
    }: {
      live: Live
      kept: (KeptIn & { indexLength: number }) | undefined
      onError: (error: unknown) => void
    },
  ): Promise<void> {
    const { resourceId } = place
    const left = (this.#running.get(resourceId) ?? 1) - 1
    if (left === 0) this.#running.delete(resourceId)
    else this.#running.set(resourceId, left)
    await live.stream.written
    if (kept) await this.#index?.end(place, kept.indexLength).catch(onError)
    this.#live.delete(live)
    const key = keyOf(place)
    if (this.#newest.get(key) === live) this.#newest.delete(key)
  }

  async #pump(
    { chunks, opening, result }: AnswerRun,
    { stream, stop }: Live,
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
      stream.breakOff()
    }
    // Who has read the end finds the turn in the thread. Of a fault, readers were told in the stream.
    await result().catch(() => {})
    stream.end()
  }

  #readLive(live: Live, chunks: AsyncGenerator<readonly string[]>): ReadableStream<Uint8Array> {
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
    { store, resourceId, streamId }: KeptIn,
    { from, reader, onError }: { from: number; reader: { left: boolean }; onError: (error: unknown) => void },
  ): AsyncGenerator<string | readonly string[]> {
    const { goneAfter } = this.#options
    let next = from
    let nextLook = Date.now() + goneAfter
    try {
      while (!reader.left) {
        const part = await store.readStream({ runId: streamId, resourceId, from: next })
        if (!part) return
        if (part.chunks.length > 0) yield eventsOf(part.chunks)
        next += part.chunks.length
        if (part.ended && next >= part.length) return
        if (part.chunks.length > 0) nextLook = Date.now() + goneAfter
        else if (Date.now() > nextLook) {
          if (!(await store.readStream({ runId: signKey(streamId), resourceId, limit: 1 }))) {
            yield JSON.stringify(BROKEN_OFF)
            return
          }
          nextLook = Date.now() + goneAfter / SIGNS_OF_LIFE
        } else await new Promise((resolve) => setTimeout(resolve, POLL))
      }
    } catch (error) {
      onError(error)
      yield JSON.stringify(BROKEN_OFF)
    }
  }
}

async function ended({ stream }: Live): Promise<void> {
  for await (const _ of stream.read()) {
    // Only its end is waited for.
  }
}

function keyOf({ agent, resourceId, threadId }: Place): string {
  return JSON.stringify([agent, resourceId, threadId])
}
