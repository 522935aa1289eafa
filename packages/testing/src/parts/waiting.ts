import type { Pause } from '../pause.ts'
import type { ScriptPart } from '../script-part.ts'

/** A part that waits. Within a turn it holds up the stream, within `beforeResponse()` the call itself. */
export interface PausePart extends ScriptPart {
  readonly pause: Pause
}

/** Waits for a time, in milliseconds. Tests are steadier with `gate()`. */
export function delay(milliseconds: number): PausePart {
  return pausePart({
    until: (stopped) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds)
        stopped.addEventListener('abort', () => clearTimeout(timer), { once: true })
      }),
  })
}

/**
 * Waits for a promise, or for the promise a function makes when the wait begins. If it rejects, the stream
 * errors.
 */
export function wait(until: PromiseLike<unknown> | (() => PromiseLike<unknown>)): PausePart {
  return pausePart({ until: async () => await (typeof until === 'function' ? until() : until) })
}

export interface Gate extends PausePart {
  /** Resolves when the model waits at the gate, or passed it open. */
  readonly reached: Promise<void>
  /** Lets the model go on, now or when it arrives. A gate stays open. */
  open(): void
}

/** A closed gate in a turn: the model waits there until the test calls `open()`. */
export function gate(): Gate {
  const arrival = latch()
  const opening = latch()
  const part = pausePart({
    until() {
      arrival.release()
      return opening.released
    },
  })
  return { ...part, reached: arrival.released, open: opening.release }
}

export interface HangOptions {
  /** The model does not react to the abort signal either. Default `false`. */
  ignoreAbort?: boolean
}

/** The model never goes on: only the abort signal or a reader that cancels ends the stream. */
export function hang({ ignoreAbort = false }: HangOptions = {}): PausePart {
  const pause: Pause = { ignoresAbort: ignoreAbort, until: () => new Promise(() => {}) }
  return {
    pause,
    writeTo(turn) {
      turn.pause(pause)
      turn.stop('hang')
    },
  }
}

/** Pauses that take place before `doStream` resolves, as on a slow connection. First in their turn. */
export function beforeResponse(...pauses: PausePart[]): ScriptPart {
  return {
    writeTo(turn) {
      for (const { pause } of pauses) turn.pauseBeforeResponse(pause)
    },
  }
}

function pausePart(pause: Pause): PausePart {
  return { pause, writeTo: (turn) => turn.pause(pause) }
}

function latch(): { released: Promise<void>; release: () => void } {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return { released, release }
}
