import type { AbortOrRetry } from '@millrace/core'
import type { Detection } from '../scanner/recognizer.ts'
import type { Replacement } from './guarded-text.ts'
import { type Finding, type GuardOptions, type Strategy, SURFACE_NAMES, type Surface } from './options.ts'

/** A guard's settings, complete. */
export interface GuardSettings {
  readonly id: string
  readonly strategy: Strategy
  readonly enforced: boolean
  readonly surfaces: ReadonlySet<Surface>
  readonly replacement: Replacement
  /** What it finds, for the reason of an abort. */
  readonly label: string
  readonly onDetection: GuardOptions['onDetection']
}

/** Where a text stands. Without `abort`, a guard that blocks only says that there was something. */
export interface Place {
  readonly surface: Surface
  readonly abort?: AbortOrRetry | undefined
  readonly messageId?: string | undefined
  readonly toolCallId?: string | undefined
  /** Findings are not reported: the same text comes again as a whole. */
  readonly silent?: boolean
  /** It belongs to a run that is over: what would end that run is redacted. */
  readonly isPast?: boolean
  found: boolean
}

/** What a guard does about findings, by its settings. */
export class Treatment {
  readonly #settings: GuardSettings

  constructor(settings: GuardSettings) {
    this.#settings = settings
  }

  /** What stands in place of a finding; `undefined` where texts stay as they are. */
  get replacement(): Replacement | undefined {
    const { enforced, strategy, replacement } = this.#settings
    return enforced && strategy !== 'warn' ? replacement : undefined
  }

  /** Whether a finding there ends the run. */
  blocks({ abort }: Place): boolean {
    return this.#settings.enforced && this.#settings.strategy === 'block' && abort !== undefined
  }

  /** Whether the message or part in which something was found is left out. */
  removes({ found, surface }: Place): boolean {
    const { enforced, strategy } = this.#settings
    return found && enforced && (strategy === 'filter' || (strategy === 'block' && surface === 'history'))
  }

  block(found: readonly Detection[], place: Place): void {
    for (const detection of found) this.report(detection, place)
    const { label } = this.#settings
    const types = [...new Set(found.map(({ type }) => type))].join(', ')
    const detections = found.map((detection) => ({ ...detection }))
    place.abort?.(`${label} found in ${SURFACE_NAMES[place.surface]}: ${types}.`, {
      metadata: { surface: place.surface, detections },
    })
  }

  report(detection: Detection, { surface, messageId, toolCallId, silent }: Place): void {
    if (silent) return
    const { id, strategy, enforced, onDetection } = this.#settings
    const finding: Finding = {
      ...detection,
      processorId: id,
      surface,
      strategy,
      enforced,
      ...(messageId !== undefined && { messageId }),
      ...(toolCallId !== undefined && { toolCallId }),
    }
    onDetection?.(finding)
  }
}
