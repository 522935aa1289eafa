import { yieldToEventLoop } from '../event-loop.ts'
import { fold } from '../keyword-guard/fold.ts'
import type { ModerationCategory } from './categories.ts'
import { byScores, type ModerationTier, type TierJudgement } from './tier.ts'

type Find = (text: string) => Iterable<{ category: ModerationCategory; score: number }>

/**
 * A local tier that flags profane words and explicit phrases, in English and partly in ten other languages. It does not
 * understand text: for real moderation, add a model or a service as another tier.
 */
export function profanitySieve(): ModerationTier {
  let finders: Promise<readonly Find[]> | undefined

  function judge(text: string, find: readonly Find[]): TierJudgement {
    const folded = fold(text).replace(/[’ʼ]/g, "'")
    const scores: { [CATEGORY in ModerationCategory]?: number } = {}
    for (const each of find) {
      for (const { category, score } of each(folded)) {
        scores[category] = Math.max(score, scores[category] ?? 0)
      }
    }
    const flagged = Object.keys(scores) as ModerationCategory[]
    return byScores(scores, { flagged, reason: flagged.length > 0 ? 'It has words of this kind.' : '' })
  }

  function load(): Promise<readonly Find[]> {
    // Load one after the other, and yield to the event loop in between.
    finders ??= loadWords().then(async (words) => {
      await yieldToEventLoop()
      return [words, await loadPhrases()]
    })
    return finders.catch((error: unknown) => {
      finders = undefined
      throw error
    })
  }

  return {
    name: 'profanity-sieve',
    isLocal: true,
    async warmUp() {
      judge(SAMPLE, await load())
    },
    async check(texts) {
      const find = await load()
      return texts.map((text) => judge(text, find))
    },
  }
}

/** A text to judge once during warm-up: the finders compile and build their states lazily. */
const SAMPLE = 'The quick brown fox jumps over the lazy dog. PACK MY BOX WITH FIVE DOZEN LIQUOR JUGS!'

async function loadPhrases(): Promise<Find> {
  const { phraseFinder } = await import('./phrases.ts')
  await yieldToEventLoop()
  return phraseFinder()
}

async function loadWords(): Promise<Find> {
  await yieldToEventLoop()
  const { DataSet, englishDataset, englishRecommendedTransformers, RegExpMatcher } = await import('obscenity')
  await yieldToEventLoop()
  const { WORD_CATEGORIES } = await import('./words.ts')
  const { wordSweep } = await import('./word-sweep.ts')
  const words = new DataSet<{ originalWord: string }>()
    .addAll(englishDataset)
    .removePhrasesIf(({ metadata }) => !WORD_CATEGORIES.has(metadata?.originalWord ?? ''))
  const terms = words.build()
  const matcher = new RegExpMatcher({ ...terms, ...englishRecommendedTransformers })
  const { blacklistMatcherTransformers = [] } = englishRecommendedTransformers
  const mayHaveWords = wordSweep(terms.blacklistedTerms, blacklistMatcherTransformers)
  return (text) => {
    if (!mayHaveWords(text)) return []
    return matcher.getAllMatches(text).flatMap((match) => {
      const { phraseMetadata } = words.getPayloadWithPhraseMetadata(match)
      return WORD_CATEGORIES.get(phraseMetadata?.originalWord ?? '') ?? []
    })
  }
}
