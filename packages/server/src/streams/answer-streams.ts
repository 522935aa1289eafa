import { MillraceError, type UIMessageChunk } from '@millrace/core'
import type { StreamStore } from '@millrace/core/storage'
import { toEvents } from '../events.ts'
import { AnswerStream, BROKEN_OFF, stopKey } from './answer-stream.ts'

/** A conversation of one resource with one agent. */
export interface Place {
  agent: string
  resourceId: string
  threadId: string
}

export interface AnswerStreamsOptions {
  store: StreamStore
  onReaderGone: 'cancel' | 'continue'
  maxRunsPerResource: number
}

/** How long a reader in another process waits before it looks for more, in milliseconds. */
const POLL = 250
/** How long a stream may bring nothing before its process counts as gone, in milliseconds. */
const SILENCE = 60_000

interface Live {
  stream: AnswerStream
  stop: () => void
  /** Clients that read it now. */
  readers: number
}

/** Answers as they are made: by conversation, with any number of readers, from their beginning or from a place on. */
export class AnswerStreams {
  readonly #options: AnswerStreamsOptions
  readonly #live = new Map<string, Live>()
  readonly #running = new Map<string, number>()

  constructor(options: AnswerStreamsOptions) {
    this.#options = options
  }

  /**
   * Begins an answer and returns what its first reader reads.
   *
   * @param open Starts the run. Called once; its stream is read without regard to readers where it is to last
   * @throws MillraceError `RUN_LIMIT_REACHED` where the resource has too many answers under way
   */
  async begin(
    place: Place,
    open: (signal: AbortSignal) => ReadableStream<UIMessageChunk>,
  ): Promise<ReadableStream<Uint8Array>> {
    const { store, maxRunsPerResource } = this.#options
    const { resourceId, threadId } = place
    const running = this.#running.get(resourceId) ?? 0
    if (running >= maxRunsPerResource) {
      throw new MillraceError(
        'RUN_LIMIT_REACHED',
        `${running} answers are being made for this resource, as many as maxRunsPerResource allows. Wait for one to end.`,
      )
    }
    this.#running.set(resourceId, running + 1)
    const streamId = crypto.randomUUID()
    const controller = new AbortController()
    const stop = (): void => controller.abort(new DOMException('The answer was stopped.', 'AbortError'))
    const stream = new AnswerStream({ store, resourceId, threadId, streamId, onStop: stop })
    const live: Live = { stream, stop, readers: 0 }
    try {
      // Who asks another process finds it from now on.
      await store.appendToStream({ runId: streamId, resourceId, threadId, offset: 0, chunks: [] })
      await this.#announce(place, streamId)
      const chunks = open(controller.signal)
      this.#live.set(streamId, live)
      void this.#pump(chunks, live).finally(() => this.#end(streamId, live, resourceId))
    } catch (error) {
      stream.end()
      await this.#end(streamId, live, resourceId)
      throw error
    }
    return this.#readLive(live, 0)
  }

  /** The newest answer of a conversation, if it is still being made; from the given chunk on. */
  async reconnect(place: Place, from = 0): Promise<ReadableStream<Uint8Array> | undefined> {
    const streamId = await this.#newest(place)
    if (streamId === undefined) return undefined
    const live = this.#live.get(streamId)
    if (live) return live.stream.ended ? undefined : this.#readLive(live, from)
    const part = await this.#options.store.readStream({
      runId: streamId,
      resourceId: place.resourceId,
      limit: 1,
    })
    if (!part || part.ended) return undefined
    const reader = { left: false }
    const texts = this.#readStored({ streamId, resourceId: place.resourceId, from, reader })
    return toEvents(texts, {
      onLeave: () => {
        reader.left = true
      },
    })
  }

  /** Stops the newest answer of a conversation, wherever it is made. Returns whether there was one. */
  async stop(place: Place): Promise<boolean> {
    const streamId = await this.#newest(place)
    if (streamId === undefined) return false
    const live = this.#live.get(streamId)
    if (live) {
      const { ended } = live.stream
      live.stop()
      return !ended
    }
    const { store } = this.#options
    const { resourceId, threadId } = place
    const part = await store.readStream({ runId: streamId, resourceId, limit: 1 })
    if (!part || part.ended) return false
    await store
      .appendToStream({
        runId: stopKey(streamId),
        resourceId,
        threadId,
        offset: 0,
        chunks: ['stop'],
        end: true,
      })
      // It was asked for before.
      .catch(() => {})
    return true
  }

  /** Resolves when no answer is being made in this process. */
  async settled(): Promise<void> {
    for (const { stream } of [...this.#live.values()]) {
      for await (const _ of stream.read()) {
        // Only its end is waited for.
      }
      await stream.written
    }
  }

  /** Stops all answers that are being made in this process. */
  stopAll(): void {
    for (const { stop } of this.#live.values()) stop()
  }

  async #end(streamId: string, { stream }: Live, resourceId: string): Promise<void> {
    const left = (this.#running.get(resourceId) ?? 1) - 1
    if (left === 0) this.#running.delete(resourceId)
    else this.#running.set(resourceId, left)
    await stream.written
    this.#live.delete(streamId)
  }

  async #pump(chunks: ReadableStream<UIMessageChunk>, { stream }: Live): Promise<void> {
    try {
      for await (const chunk of chunks) stream.push(chunk)
    } catch {
      stream.push(BROKEN_OFF)
    } finally {
      stream.end()
    }
  }

  #readLive(live: Live, from: number): ReadableStream<Uint8Array> {
    live.readers++
    let left = false
    const leave = (): void => {
      if (left) return
      left = true
      live.readers--
      if (live.readers === 0 && this.#options.onReaderGone === 'cancel') live.stop()
    }
    return toEvents(live.stream.read(from), { onLeave: leave })
  }

  async *#readStored({
    streamId,
    resourceId,
    from,
    reader,
  }: {
    streamId: string
    resourceId: string
    from: number
    reader: { left: boolean }
  }): AsyncGenerator<string> {
    let next = from
    let silentSince = Date.now()
    while (!reader.left) {
      const part = await this.#options.store.readStream({ runId: streamId, resourceId, from: next })
      if (!part) return
      yield* part.chunks
      next += part.chunks.length
      if (part.ended && next >= part.length) return
      if (part.chunks.length > 0) silentSince = Date.now()
      else if (Date.now() - silentSince > SILENCE) {
        yield JSON.stringify(BROKEN_OFF)
        return
      } else await new Promise((resolve) => setTimeout(resolve, POLL))
    }
  }

  /** Keeps with the conversation which answer is its newest: the ids of its answers, as a stream. */
  async #announce(place: Place, streamId: string): Promise<void> {
    const { store } = this.#options
    const { resourceId, threadId } = place
    const runId = indexKey(place)
    for (let attempt = 0; attempt < 20; attempt++) {
      const { length = 0 } = (await store.readStream({ runId, resourceId, limit: 1 })) ?? {}
      try {
        await store.appendToStream({ runId, resourceId, threadId, offset: length, chunks: [streamId] })
        return
      } catch (error) {
        if (!MillraceError.isInstance(error) || error.code !== 'STORAGE_CONFLICT') throw error
      }
    }
    throw new MillraceError(
      'STORAGE_BUSY',
      'Too many answers of this conversation begin at the same time. Try again.',
    )
  }

  async #newest(place: Place): Promise<string | undefined> {
    const { store } = this.#options
    const { resourceId } = place
    const runId = indexKey(place)
    const { length = 0 } = (await store.readStream({ runId, resourceId, limit: 1 })) ?? {}
    if (length === 0) return undefined
    const last = await store.readStream({ runId, resourceId, from: length - 1, limit: 1 })
    return last?.chunks[0]
  }
}

function indexKey({ agent, threadId }: Place): string {
  return `answers:${agent}:${threadId}`
}
