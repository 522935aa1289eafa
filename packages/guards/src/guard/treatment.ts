import type { ProcessorArgs } from '@millrace/core'
import { type Control, endRun } from './end-run.ts'

export type { Control }

/** What a check gets of the arguments of the hook that calls it. */
export type HookContext = Pick<ProcessorArgs, 'abortSignal' | 'reportUsage' | 'requestContext'>

/**
 * Where a text is in the run. Without `control`, a guard whose strategy ends runs only reports that it found something.
 */
export interface Place<SURFACE extends string = string> {
  readonly surface: SURFACE
  readonly context: HookContext
  readonly control?: Control | undefined
  readonly messageId?: string | undefined
  readonly toolCallId?: string | undefined
  readonly toolName?: string | undefined
  /** Findings are not reported: the same text follows as a whole. */
  readonly silent?: boolean
  /** The text cannot be changed: the run ends on a finding, unless the guard only reports. */
  readonly fixed?: boolean
  /** It belongs to a run that is over. Findings that would end the run are redacted instead. */
  readonly isPast?: boolean
  found: boolean
}

/** The strategies of all guards. `rewrite` and `redact` change only the finding. */
type AnyStrategy = 'block' | 'halt' | 'redact' | 'rewrite' | 'filter' | 'warn'

/** Findings to report. The treatment adds the place and the strategy. */
export interface Found {
  readonly findings: readonly object[]
  /** The reason of the abort. */
  readonly reason: string
  readonly metadata: object
  /** The text cannot be changed in part: the run ends, unless the guard only reports. Default: false. */
  readonly ends?: boolean
}

export interface TreatmentSettings {
  readonly id: string
  readonly strategy: AnyStrategy
  /**
   * Strategies for single surfaces. They may replace a strategy that ends runs by one that changes the text, and the
   * reverse.
   */
  readonly strategies?: Readonly<Partial<Record<string, 'block' | 'halt' | 'rewrite'>>> | undefined
  readonly enforced: boolean
  /** The answer of a halted run. */
  readonly response?: ((finding: never) => string) | string | undefined
  readonly onDetection?: ((finding: never) => void) | undefined
}

/** Applies a guard's strategy to findings. */
export class Treatment {
  readonly #settings: TreatmentSettings

  constructor(settings: TreatmentSettings) {
    this.#settings = settings
  }

  /** Whether findings are changed, not only reported. */
  get changes(): boolean {
    return this.#settings.enforced && this.#settings.strategy !== 'warn'
  }

  /** Whether parts with findings are removed. */
  get filters(): boolean {
    return this.#settings.enforced && this.#settings.strategy === 'filter'
  }

  /** Whether a finding ends the run, where that is possible. */
  get endsRuns(): boolean {
    const { strategy } = this.#settings
    return this.#settings.enforced && (strategy === 'block' || strategy === 'halt')
  }

  /** The strategy of a surface. */
  strategyAt(surface: string): AnyStrategy {
    return this.#settings.strategies?.[surface] ?? this.#settings.strategy
  }

  /** Whether texts of this place are changed. */
  rewrites({ isPast = false, surface }: Pick<Place, 'isPast' | 'surface'>): boolean {
    return this.changes && (isPast || !this.#endsRunsAt(surface))
  }

  #endsRunsAt(surface: string): boolean {
    const strategy = this.strategyAt(surface)
    return this.#settings.enforced && (strategy === 'block' || strategy === 'halt')
  }

  /** Whether the message or part with the finding is removed. */
  removes({ found, control, surface, isPast = false }: Omit<Place, 'context'>): boolean {
    if (!found) return false
    return this.filters || (this.#endsRunsAt(surface) && control === undefined && !isPast)
  }

  /** Reports findings, and ends the run if the strategy says so. */
  settle({ findings, reason, metadata, ends = false }: Found, place: Place): void {
    place.found = true
    const { id, enforced, onDetection } = this.#settings
    const strategy = this.strategyAt(place.surface)
    const { surface, messageId, toolCallId, toolName, control, fixed = false } = place
    const ending = (this.#endsRunsAt(surface) || ((ends || fixed) && this.changes)) && control
    const isReported = onDetection !== undefined && !place.silent
    if (!ending && !isReported) return
    const reported = findings.map((finding) => ({
      ...finding,
      processorId: id,
      surface,
      strategy,
      enforced,
      ...(messageId !== undefined && { messageId }),
      ...(toolCallId !== undefined && { toolCallId }),
      ...(toolName !== undefined && { toolName }),
    }))
    if (isReported) for (const finding of reported) onDetection(finding as never)
    if (!ending) return
    endRun(ending, { strategy, reason, metadata, finding: reported[0], response: this.#settings.response })
  }
}
