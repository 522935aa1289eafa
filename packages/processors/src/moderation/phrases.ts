import { Scanner } from '../scanner/scanner.ts'
import type { ModerationCategory } from './categories.ts'

const HOW = '(?:how (?:do i|do you|can i|could i|should i|to)|steps to|instructions (?:for|to)|best way to)'
const I_WILL = "(?:i|we)(?:'ll| will| am going to| are going to|'m going to|'re going to| gonna|'m gonna)"
const GROUPS =
  '(?:jews|muslims|christians|blacks|black people|whites|white people|asians|mexicans|immigrants|refugees|gays|gay people|lesbians|trans people|women|disabled people)'

/** What can be said by phrases, in English. They are read after folding: lower case, one space. */
const PHRASES: readonly { readonly category: ModerationCategory; readonly pattern: RegExp }[] = [
  {
    category: 'harassment/threatening',
    pattern: new RegExp(
      `\\b${I_WILL} (?:find you and )?(?:kill|murder|stab|shoot|strangle|behead|beat up) (?:you|him|her|them|your family)\\b`,
    ),
  },
  { category: 'harassment', pattern: /\b(?:go )?(?:kill yourself|hang yourself)\b|\bkys\b/ },
  {
    category: 'hate/threatening',
    pattern: new RegExp(
      `\\b${GROUPS} (?:should|must|deserve to|need to|have to) (?:all )?(?:die|hang|burn|be (?:killed|shot|gassed|hanged|exterminated|wiped out))\\b|\\b(?:kill|gas|exterminate|lynch) (?:all )?(?:the )?${GROUPS}\\b`,
    ),
  },
  {
    category: 'self-harm/intent',
    pattern:
      /\bi(?:'m| am| want| plan| need| have decided|'m going| am going|'ve decided) (?:going )?to (?:kill myself|end my life|hurt myself|cut myself|commit suicide)\b|\bi wanna (?:die|kill myself)\b/,
  },
  {
    category: 'self-harm/instructions',
    pattern: new RegExp(
      `\\b${HOW} (?:kill|hang|cut|harm|hurt|starve|poison) (?:myself|yourself|oneself)\\b|\\b${HOW} (?:commit suicide|end my life)\\b`,
    ),
  },
  {
    category: 'illicit/violent',
    pattern: new RegExp(
      `\\b${HOW} (?:make|build|construct|assemble|get|buy) (?:a |an )?(?:pipe |nail |dirty |car )?(?:bombs?|explosives?|grenades?|ghost guns?|untraceable guns?|silencers?|nerve gas|sarin)\\b`,
    ),
  },
  {
    category: 'illicit',
    pattern: new RegExp(
      `\\b${HOW} (?:cook|make|synthesi[sz]e|buy|sell) (?:crystal )?(?:meth|methamphetamine|fentanyl|heroin|crack)\\b|\\b${HOW} (?:launder money|shoplift|steal a car|pick pockets|forge a passport|make counterfeit money)\\b`,
    ),
  },
  {
    category: 'sexual/minors',
    pattern:
      /\b(?:child|children|kiddie|underage|preteen|minors?|toddler) ?(?:porn|pornography|sex|erotica|nudes)\b/,
  },
]

/** How sure a phrase is. */
const SCORE = 0.8

/** Finds the phrases in a folded text. */
export function phraseFinder(): (text: string) => { category: ModerationCategory; score: number }[] {
  const scanner = new Scanner(PHRASES.map(({ category, pattern }) => ({ type: category, pattern })))
  return (text) =>
    scanner.detect(text).map(({ type }) => ({ category: type as ModerationCategory, score: SCORE }))
}
