import { MillraceError, type OptionNames, requireOptions, requireTime } from '@millrace/core'
import { withDeadline } from '../judge/deadline.ts'
import { LruCache } from '../judge/lru-cache.ts'
import { type OnFailure, withoutVerdict } from '../judge/verdict.ts'
import { MODERATION_CATEGORIES, type ModerationCategory } from './categories.ts'
import { byScores, type CategoryScores, type ModerationTier, type TierJudgement } from './tier.ts'

export interface OpenAIModerationOptions {
  /** The API key. Environment variables are not read. */
  readonly apiKey: string
  /** The base URL, without `/moderations`. Default: `'https://api.openai.com/v1'`. */
  readonly baseURL?: string
  /** The id of the model. Default: `'omni-moderation-latest'`. */
  readonly model?: string
  /** The timeout of one request, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number
  /** The number of verdicts cached in process, by content. 0 disables the cache. Default: 500. */
  readonly cache?: number
  /** What happens if the endpoint fails, times out or gives no valid verdict: `'block'` or `'pass'`. Default: `'block'`. */
  readonly onFailure?: OnFailure
  /** Additional headers of the request. */
  readonly headers?: Readonly<Record<string, string>>
}

const OPEN_AI_MODERATION_OPTIONS: OptionNames<OpenAIModerationOptions> = {
  apiKey: 'required',
  baseURL: 'optional',
  model: 'optional',
  timeoutMs: 'optional',
  cache: 'optional',
  onFailure: 'optional',
  headers: 'optional',
}

/** The maximum number of texts in one request. */
const BATCH = 32

/**
 * A tier that calls OpenAI's endpoint (`POST /moderations`), or a compatible one.
 *
 * @throws MillraceError `CONFIG_INVALID`
 */
export function openAIModeration(options: OpenAIModerationOptions): ModerationTier {
  const {
    apiKey,
    baseURL = 'https://api.openai.com/v1',
    model = 'omni-moderation-latest',
    timeoutMs = 10_000,
    cache = 500,
    onFailure = 'block',
    headers = {},
  } = requireOptions('openAIModeration()', options, OPEN_AI_MODERATION_OPTIONS)
  requireTime('timeoutMs', timeoutMs)
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw new MillraceError('CONFIG_INVALID', 'openAIModeration has no apiKey. Pass one.')
  }
  const url = `${baseURL.replace(/\/+$/, '')}/moderations`
  const known = new LruCache<TierJudgement>(cache)

  async function request(input: readonly string[], abortSignal: AbortSignal): Promise<TierJudgement[]> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, input }),
      redirect: 'error',
      signal: abortSignal,
    })
    if (!response.ok) throw new Error(`The moderation endpoint answered with status ${response.status}.`)
    return readResults(await response.json(), input.length)
  }

  async function batch(texts: readonly string[], abortSignal: AbortSignal): Promise<TierJudgement[]> {
    try {
      const judgements = await withDeadline((signal) => request(texts, signal), { timeoutMs, abortSignal })
      for (const [index, text] of texts.entries()) known.set(text, judgements[index] as TierJudgement)
      return judgements.map((judgement, index) => ({ ...judgement, calls: index === 0 ? 1 : 0 }))
    } catch (error) {
      if (abortSignal.aborted) throw abortSignal.reason
      return texts.map((_, index) => ({
        ...withoutVerdict(error, onFailure, index === 0 ? 1 : 0),
        scores: {},
      }))
    }
  }

  return {
    name: 'openai',
    isLocal: false,
    async check(texts, { abortSignal }) {
      const judged = new Map<string, TierJudgement>()
      for (const text of texts) {
        const judgement = known.get(text)
        if (judgement) judged.set(text, judgement)
      }
      const unknown = [...new Set(texts)].filter((text) => !judged.has(text))
      for (let first = 0; first < unknown.length; first += BATCH) {
        const part = unknown.slice(first, first + BATCH)
        const judgements = await batch(part, abortSignal)
        for (const [index, text] of part.entries()) judged.set(text, judgements[index] as TierJudgement)
      }
      return texts.map((text) => judged.get(text) as TierJudgement)
    },
  }
}

function readResults(body: unknown, count: number): TierJudgement[] {
  const results = (body as { results?: unknown } | null)?.results
  if (!Array.isArray(results) || results.length !== count) throw malformed()
  return results.map(readResult)
}

function readResult(result: unknown): TierJudgement {
  const { categories, category_scores: scores } = (result ?? {}) as {
    categories?: Record<string, unknown>
    category_scores?: Record<string, unknown>
  }
  if (typeof categories !== 'object' || typeof scores !== 'object' || !categories || !scores)
    throw malformed()
  const read: { [CATEGORY in ModerationCategory]?: number } = {}
  const flagged: ModerationCategory[] = []
  for (const category of MODERATION_CATEGORIES) {
    const score = scores[category]
    if (typeof score === 'number' && score >= 0 && score <= 1) read[category] = score
    if (categories[category] === true) flagged.push(category)
  }
  // A response without any known category is invalid.
  if (Object.keys(read).length === 0) throw malformed()
  return byScores(read satisfies CategoryScores, { flagged, reason: '' })
}

function malformed(): Error {
  return new Error('The moderation endpoint answered in an unknown form.')
}
