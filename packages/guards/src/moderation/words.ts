import type { ModerationCategory } from './categories.ts'

/**
 * The categories of words in the lexicon. Mere swearing has no category, nor do words that are needed in health and
 * education.
 */
const CATEGORIES: readonly [ModerationCategory, number, string][] = [
  ['hate', 0.9, 'abeed africoon arabush boonga chingchong chink fag kike nigger tranny'],
  ['harassment', 0.6, 'bastard bitch cunt prick retard slut spastic twat whore'],
  [
    'sexual',
    0.7,
    'bestiality blowjob buttplug cum deepthroat dildo doggystyle felch fellatio fisting gangbang handjob hentai jizz lubejob masturbate orgy porn pussy wank',
  ],
]

/** By word of the lexicon: its category and score. */
export const WORD_CATEGORIES: ReadonlyMap<string, { category: ModerationCategory; score: number }> = new Map(
  CATEGORIES.flatMap(([category, score, words]) =>
    words.split(' ').map((word) => [word, { category, score }] as const),
  ),
)
