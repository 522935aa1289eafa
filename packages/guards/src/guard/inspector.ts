import type { ValuePlace } from './message-text.ts'
import type { Task } from './task.ts'
import type { TextEdits } from './text-edits.ts'
import type { Place } from './treatment.ts'

/** A value that is not prose: a text, or JSON that contains texts. */
export interface ContentValue extends ValuePlace {
  readonly value: unknown
}

/** The end of the previous text of the same role. */
export interface PrecedingText {
  readonly text: string
  /** Removes the end of that text, from this position of `text` on. */
  truncate(from: number): void
}

export interface TextsOptions {
  /** Whether they are JSON when joined. */
  readonly json: boolean
  /** Whether each is also scanned by itself, as a reader may show them one by one. */
  readonly alone: boolean
  /** The previous text, if a match may continue from it. */
  readonly before: PrecedingText | undefined
}

export interface InspectedTexts {
  readonly treated: readonly string[]
  /** How many units at the end may be the beginning of a match, including text of the message before. */
  readonly open: number
}

export interface OpenText {
  /** Takes the next chunk. What it decides is in the edits when this returns, or resolves. */
  push(piece: string): PromiseLike<void> | undefined
  /** The next chunk belongs to another part. The parts are one text, but a match may also end where a part ends. */
  nextPart?(): void
  /** Ends the text: all of it is decided when this returns, or resolves. */
  end(): PromiseLike<void> | undefined
}

export interface OpenOptions {
  /** Whether it is JSON; `undefined`: decided by its beginning. */
  readonly json: boolean | undefined
  readonly before: PrecedingText | undefined
  /** Aborts when the step is over or discarded. */
  readonly until: AbortSignal
}

/**
 * What a guard looks for, and how. A {@link SurfaceRun} passes it every text of a run; the inspector passes its
 * findings to a {@link Treatment}.
 */
export interface Inspector {
  /** How many units at the end of a text may be the beginning of a match that continues in the next text. */
  readonly reach: number
  /** Inspects texts that count as one, such as the text parts of a message. Returns them after treatment. */
  texts(texts: readonly string[], place: Place, options: TextsOptions): Task<InspectedTexts>
  /** Like `texts`, for texts that were inspected before: looks only for matches that begin in the text before. */
  seam(before: PrecedingText, texts: readonly string[], place: Place): Task<InspectedTexts>
  /** Inspects the values of a part that are not prose. Returns them after treatment. */
  values(content: readonly ContentValue[], place: Place): Task<readonly unknown[]>
  /** Opens a text that arrives in chunks; `undefined` if such a text is only inspected later, as a whole. */
  open(place: Place, options: OpenOptions, edits: TextEdits): OpenText | undefined
  /**
   * For inspectors that wait for answers, such as a model's: checks all of these at the same time. The calls of `texts`
   * and `values` that follow find the answers ready.
   */
  ahead?(requests: readonly InspectionRequest[]): Task<void>
  /** Called when a step is over. */
  finishStep?(): void
}

/** A call of `texts` or `values` that will follow. */
export type InspectionRequest = { readonly place: Place } & (
  | { readonly texts: readonly string[]; readonly options: TextsOptions; readonly content?: undefined }
  | { readonly content: readonly ContentValue[]; readonly texts?: undefined }
)
