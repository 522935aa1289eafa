import type { ProcessorArgs, Schema } from '@millrace/core'

/** What a judge says about a window of text. */
export interface Verdict {
  readonly flagged: boolean
  /** What it was flagged for, by name. */
  readonly categories: readonly string[]
  /** How sure the judge is that the text must be flagged, from 0 to 1. */
  readonly score: number
  /** In the judge's words. It may quote the text. */
  readonly reason: string
}

/** A verdict and what it took to come to it. */
export interface Judgement extends Verdict {
  /** Requests made: 0 where the verdict was known, or came from this process. */
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Why there is no verdict; `flagged` is then what `onFailure` says. */
  readonly failure?: unknown
}

/** The category of a text about which there is no verdict. */
const UNCHECKED = 'unchecked'

/**
 * Texts to judgements, in order. Rejects only if the run is aborted. A check that asks a model reports every call, where
 * a listener counts them.
 */
export type Check = (
  texts: readonly string[],
  options: Pick<ProcessorArgs, 'abortSignal'> &
    Partial<Pick<ProcessorArgs, 'reportUsage' | 'requestContext'>>,
) => Promise<readonly Judgement[]>

/** What to do without a verdict: `block` takes the text for flagged. */
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

/** The schema of a verdict, with the categories there are; without any, names are free. */
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
