import { type OptionNames, requireOptions } from '@millrace/core'
import type { Pause } from '../pause.ts'
import type { ScriptPart } from '../script-part.ts'

/** A part that waits. In a turn it delays the stream, in `beforeResponse()` the call. */
export interface PausePart extends ScriptPart {
  readonly pause: Pause
}

/** Waits for some milliseconds. Prefer `gate()`, which does not depend on timing. */
export function delay(milliseconds: number): PausePart {
  return pausePart({
    until: (stopped) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds)
        stopped.addEventListener('abort', () => clearTimeout(timer), { once: true })
      }),
  })
}

/** Waits for a promise, or for one that a function returns when the wait starts. If it rejects, the stream errors. */
export function wait(until: PromiseLike<unknown> | (() => PromiseLike<unknown>)): PausePart {
  return pausePart({ until: async () => await (typeof until === 'function' ? until() : until) })
}

export interface Gate extends PausePart {
  /** Resolves when the model has reached the gate, also if it was open. */
  readonly reached: Promise<void>
  /** Opens the gate for good: the model continues, now or when it reaches the gate. */
  open(): void
}

/** A gate in a turn: the model waits at it until the test calls `open()`. */
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
  /** Whether the model also ignores the abort signal. Default: `false`. */
  ignoreAbort?: boolean
}

const HANG_OPTIONS: OptionNames<HangOptions> = { ignoreAbort: 'optional' }

/** The model never continues: only the abort signal or a cancelled reader ends the stream. */
export function hang(options: HangOptions = {}): PausePart {
  const { ignoreAbort = false } = requireOptions('hang()', options, HANG_OPTIONS)
  const pause: Pause = { ignoresAbort: ignoreAbort, until: () => new Promise(() => {}) }
  return {
    pause,
    writeTo(turn) {
      turn.pause(pause)
      turn.stop('hang')
    },
  }
}

/** Waits before `doStream` resolves, as on a slow connection. It must be first in its turn. */
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
