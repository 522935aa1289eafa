import type { ProcessorArgs } from '@millrace/core'
import { type Control, endRun } from './end-run.ts'

export type { Control }

/** What a check is given of the hook that asks for it. */
export type Asking = Pick<ProcessorArgs, 'abortSignal' | 'reportUsage' | 'requestContext'>

/** Where a text stands. Without `control`, a guard that ends runs only says that there was something. */
export interface Place<SURFACE extends string = string> {
  readonly surface: SURFACE
  readonly asking: Asking
  readonly control?: Control | undefined
  readonly messageId?: string | undefined
  readonly toolCallId?: string | undefined
  readonly toolName?: string | undefined
  /** Findings are not reported: the same text comes again as a whole. */
  readonly silent?: boolean
  /** It belongs to a run that is over: what would end that run is changed. */
  readonly isPast?: boolean
  found: boolean
}

/** What the strategies of guards come to. `rewrite` and `redact` change what was found and nothing else. */
type AnyStrategy = 'block' | 'halt' | 'redact' | 'rewrite' | 'filter' | 'warn'

/** What is told of a finding, but for where it was made and what becomes of it. */
export interface Found {
  readonly findings: readonly object[]
  /** Of the abort. */
  readonly reason: string
  readonly metadata: object
  /** Half of it cannot be changed: the run ends, unless the guard only reports. Default: false. */
  readonly ends?: boolean
}

export interface TreatmentSettings {
  readonly id: string
  readonly strategy: AnyStrategy
  /** Where another one counts: between one that ends runs and one that changes what was found. */
  readonly strategies?: Readonly<Partial<Record<string, 'block' | 'halt' | 'rewrite'>>> | undefined
  readonly enforced: boolean
  /** What a run that is halted answers. */
  readonly response?: ((finding: never) => string) | string | undefined
  readonly onDetection?: ((finding: never) => void) | undefined
}

/** What a guard does about findings, by its settings. */
export class Treatment {
  readonly #settings: TreatmentSettings

  constructor(settings: TreatmentSettings) {
    this.#settings = settings
  }

  /** Whether anything is changed, and not only reported. */
  get changes(): boolean {
    return this.#settings.enforced && this.#settings.strategy !== 'warn'
  }

  /** Whether parts in which something is found are left out. */
  get filters(): boolean {
    return this.#settings.enforced && this.#settings.strategy === 'filter'
  }

  /** Whether a finding ends the run, where it can. */
  get endsRuns(): boolean {
    const { strategy } = this.#settings
    return this.#settings.enforced && (strategy === 'block' || strategy === 'halt')
  }

  /** The strategy for what is found there. */
  strategyAt(surface: string): AnyStrategy {
    return this.#settings.strategies?.[surface] ?? this.#settings.strategy
  }

  /** Whether texts are changed there. */
  rewrites({ isPast = false, surface }: Pick<Place, 'isPast' | 'surface'>): boolean {
    return this.changes && (isPast || !this.#endsRunsAt(surface))
  }

  #endsRunsAt(surface: string): boolean {
    const strategy = this.strategyAt(surface)
    return this.#settings.enforced && (strategy === 'block' || strategy === 'halt')
  }

  /** Whether the message or part in which something was found is left out. */
  removes({ found, control, surface, isPast = false }: Omit<Place, 'asking'>): boolean {
    if (!found) return false
    return this.filters || (this.#endsRunsAt(surface) && control === undefined && !isPast)
  }

  /** Reports what was found, and ends the run if the strategy says so. */
  settle({ findings, reason, metadata, ends = false }: Found, place: Place): void {
    place.found = true
    const { id, enforced, onDetection } = this.#settings
    const strategy = this.strategyAt(place.surface)
    const { surface, messageId, toolCallId, toolName, control } = place
    const ending = (this.#endsRunsAt(surface) || (ends && this.changes)) && control
    const isTold = onDetection !== undefined && !place.silent
    if (!ending && !isTold) return
    const told = findings.map((finding) => ({
      ...finding,
      processorId: id,
      surface,
      strategy,
      enforced,
      ...(messageId !== undefined && { messageId }),
      ...(toolCallId !== undefined && { toolCallId }),
      ...(toolName !== undefined && { toolName }),
    }))
    if (isTold) for (const finding of told) onDetection(finding as never)
    if (!ending) return
    endRun(ending, { strategy, reason, metadata, finding: told[0], response: this.#settings.response })
  }
}
