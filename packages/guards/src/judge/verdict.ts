import type { ProcessorArgs, Schema } from '@millrace/core'

/** A judge's verdict on a window of text. */
export interface Verdict {
  readonly flagged: boolean
  /** The names of what it was flagged for. */
  readonly categories: readonly string[]
  /** How certain it is that the text must be flagged, from 0 to 1. */
  readonly score: number
  /** The reason in the judge's words. It may quote the text. */
  readonly reason: string
}

/** A verdict, and its cost. */
export interface Judgement extends Verdict {
  /** The number of requests: 0 if the verdict was cached or made in this process. */
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** The error, if there is no verdict. `flagged` is then decided by `onFailure`. */
  readonly failure?: unknown
}

/** The category of a text without a verdict. */
const UNCHECKED = 'unchecked'

/**
 * Judges texts. The judgements are in the order of the texts. Rejects only if the run is aborted. A check that calls a
 * model reports the usage of every call, if `reportUsage` is given.
 */
export type Check = (
  texts: readonly string[],
  options: Pick<ProcessorArgs, 'abortSignal'> &
    Partial<Pick<ProcessorArgs, 'reportUsage' | 'requestContext'>>,
) => Promise<readonly Judgement[]>

/** What happens without a verdict: `block` treats the text as flagged. */
export type OnFailure = 'block' | 'pass'

export function withoutVerdict(failure: unknown, onFailure: OnFailure, calls = 1): Judgement {
  const reason = 'There is no verdict: the check failed.'
  const flagged = onFailure === 'block'
  return {
    flagged,
    categories: [UNCHECKED],
    score: 1,
    reason,
    calls,
    inputTokens: 0,
    outputTokens: 0,
    failure,
  }
}

/** The schema of a verdict with these categories; if there are none, any name is valid. */
export function verdictSchema(categories: readonly string[]): Schema<Verdict> {
  const category = categories.length > 0 ? { type: 'string' as const, enum: [...categories] } : STRING
  return {
    _type: NO_VERDICT,
    jsonSchema: {
      type: 'object',
      properties: {
        flagged: { type: 'boolean' },
        categories: { type: 'array', items: category },
        score: { type: 'number', minimum: 0, maximum: 1 },
        reason: STRING,
      },
      required: ['flagged', 'categories', 'score', 'reason'],
      additionalProperties: false,
    },
    validate(value) {
      const verdict = value as Verdict | null
      const isVerdict =
        typeof verdict === 'object' &&
        verdict !== null &&
        typeof verdict.flagged === 'boolean' &&
        typeof verdict.reason === 'string' &&
        typeof verdict.score === 'number' &&
        verdict.score >= 0 &&
        verdict.score <= 1 &&
        Array.isArray(verdict.categories) &&
        verdict.categories.every(
          (name) => typeof name === 'string' && (categories.length === 0 || categories.includes(name)),
        )
      if (isVerdict) return { success: true, value: verdict }
      return { success: false, error: new Error('The judge gave no verdict of the required form.') }
    },
  }
}

const STRING: { readonly type: 'string' } = { type: 'string' }
const NO_VERDICT: Verdict = { flagged: false, categories: [], score: 0, reason: '' }
