import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { endOfPause, type Pause } from './pause.ts'
import type { StreamOutcome, StreamRecorder } from './stream-record.ts'
import type { WrittenTurn } from './turn-writer.ts'

/** Waits out what a turn does before it answers, then refuses if the turn says so. */
export async function respond(
  turn: WrittenTurn,
  record: StreamRecorder,
  signal?: AbortSignal,
): Promise<void> {
  const onAbort = (): void => {
    record.aborted = true
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  try {
    signal?.throwIfAborted()
    for (const pause of turn.beforeResponse) {
      await endOfPause(pause, signal && !pause.ignoresAbort ? signal : new AbortController().signal)
      signal?.throwIfAborted()
    }
    if (turn.refusal) throw turn.refusal.error
  } catch (error) {
    record.settle(signal?.aborted ? 'aborted' : 'refused')
    throw error
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

/** The stream of a turn: each part is produced when the reader asks for it, never before. */
export function streamTurn(
  turn: WrittenTurn,
  record: StreamRecorder,
  signal?: AbortSignal,
): ReadableStream<LanguageModelV4StreamPart> {
  const stopped = new AbortController()
  let position = 0
  let current: Pause | undefined

  function settle(outcome: StreamOutcome): void {
    signal?.removeEventListener('abort', onAbort)
    record.settle(outcome)
    stopped.abort()
  }

  let errorStream: (reason: unknown) => void = () => {}

  function onAbort(): void {
    record.aborted = true
    if (current?.ignoresAbort) return
    settle('aborted')
    errorStream(signal?.reason)
  }

  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      start(controller) {
        errorStream = (reason) => controller.error(reason)
        signal?.addEventListener('abort', onAbort, { once: true })
        if (signal?.aborted) onAbort()
      },
      async pull(controller) {
        try {
          for (let step = turn.steps[position++]; step; step = turn.steps[position++]) {
            if (step.type === 'fail') throw step.error
            if (step.type === 'part') {
              record.chunksPulled++
              controller.enqueue(step.part)
              break
            }
            current = step.pause
            await endOfPause(step.pause, stopped.signal)
            current = undefined
            if (stopped.signal.aborted) return
            if (signal?.aborted) return onAbort()
          }
        } catch (error) {
          if (stopped.signal.aborted) return
          settle('failed')
          throw error
        }
        if (position >= turn.steps.length) {
          settle('completed')
          controller.close()
        }
      },
      cancel() {
        settle('cancelled')
      },
    },
    { highWaterMark: 0 },
  )
}
