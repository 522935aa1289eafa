import { WORD_LISTS, type WordList } from './word-lists.ts'

/** For each word or phrase, the languages whose list contains it, as a bit mask. */
type Languages = ReadonlyMap<string, number>

/** Longer texts are never small talk. */
const MAX_CHARACTERS = 300
const MAX_TOKENS = 30

/** Number of characters from which the language is detected. */
const MAX_READ = 1_000

/** Maximum number of tokens of a phrase. */
const MAX_PHRASE_TOKENS = 14

/** The common words of a text, in its most likely language. */
export interface ConversationWords {
  /** Common words that occur in the text, without case and diacritics. */
  common: ReadonlySet<string>
  role: 'user' | 'assistant' | undefined
  /** The text refers back to what was said before. */
  pointsBack: boolean
}

export function conversationWords(text: string): ConversationWords {
  const { user, assistant, back, common } = lexicon()
  const tokens = tokensOf(text.slice(0, MAX_READ))
  // Scripts without spaces write a word with one or two characters.
  const words = new Set(tokens.flatMap((token, index) => [token, `${token} ${tokens[index + 1] ?? ''}`]))
  const counts = new Array<number>(LANGUAGES.length).fill(0)
  for (const word of words) {
    const languages = common.get(word) ?? 0
    for (const language of counts.keys()) if (languages & (1 << language)) (counts[language] as number)++
  }
  const language = counts.indexOf(Math.max(...counts))
  const isIn = (list: Languages, word: string): boolean => ((list.get(word) ?? 0) & (1 << language)) !== 0
  const own = [...words].filter((word) => isIn(common, word))
  const [isUser, isAssistant] = [user, assistant].map((list) => own.some((word) => isIn(list, word)))
  return {
    common: new Set(own),
    role: isUser === isAssistant ? undefined : isUser ? 'user' : 'assistant',
    pointsBack: own.some((word) => isIn(back, word)),
  }
}

/**
 * Whether a text contains only small talk, such as greetings, thanks or agreement: phrases of the word list,
 * and common words. A question must consist of such phrases and words that point back. One word that may be a
 * name is ignored.
 */
export function isSmallTalk(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false
  const tokens = tokensOf(text)
  if (tokens.length === 0) return true
  if (tokens.length > MAX_TOKENS) return false
  const { common, back } = lexicon()
  const fillers = QUESTION.test(text) ? back : common
  const addressed = addressedIn(text)
  return (
    isMadeOfPhrases(tokens, (token) => fillers.get(token) ?? 0) ||
    isMadeOfPhrases(tokens, (token) => (token === addressed ? ALL : 0))
  )
}

/** Removes case and diacritics. */
export function foldWord(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u064b-\u0655]/g, '')
    .normalize('NFC')
    .toLowerCase()
}

/** Splits a text into words without apostrophes, and into characters for scripts without spaces. */
function tokensOf(text: string): string[] {
  return foldWord(text).replace(/['’]/g, '').match(TOKEN) ?? []
}

const TOKEN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}\p{M}]+/gu

const QUESTION = /[?？؟]/u

/** "ha ha" in several languages. */
const LAUGHTER =
  /^(?:(?:ha|he|hi|ho|ja|je|ah|eh|xa|ха|хе|ах|wk|ks|rs|ه)+[hwk]?|k{3,}|w{2,}|[ㅋᄏ]+|[ㅎᄒ]+)$/u

const LANGUAGES = Object.values(WORD_LISTS)
const ALL = 2 ** LANGUAGES.length - 1

/** Whether, in one language, the tokens consist only of phrases and fillers, with at least one phrase. */
function isMadeOfPhrases(tokens: readonly string[], fillerIn: (token: string) => number): boolean {
  /**
   * For each prefix of the tokens, the languages in which it consists of fillers only, and of fillers and
   * phrases.
   */
  const made = [ALL, ...tokens.map(() => 0)]
  const withPhrase = [0, ...tokens.map(() => 0)]
  for (const [start, token] of tokens.entries()) {
    const [before, beforeWithPhrase] = [made[start] as number, withPhrase[start] as number]
    if ((before | beforeWithPhrase) === 0) continue
    const filler = fillerIn(token)
    made[start + 1] = (made[start + 1] as number) | (before & filler)
    withPhrase[start + 1] = (withPhrase[start + 1] as number) | (beforeWithPhrase & filler)
    let phrase = ''
    for (let end = start + 1; end <= Math.min(tokens.length, start + MAX_PHRASE_TOKENS); end++) {
      phrase += `${phrase && ' '}${tokens[end - 1]}`
      withPhrase[end] = (withPhrase[end] as number) | (phraseIn(phrase) & (before | beforeWithPhrase))
    }
  }
  return withPhrase.at(-1) !== 0
}

/** Looks the phrase up as written; then "soooo" as "soo" and as "so". */
function phraseIn(phrase: string): number {
  const { smallTalk } = lexicon()
  const known = smallTalk.get(phrase) ?? (LAUGHTER.test(phrase) ? ALL : 0)
  if (known !== 0 || !/(\p{L})\1\1/u.test(phrase)) return known
  const [twice, once] = ['$1$1', '$1'].map((letters) => phrase.replace(/(\p{L})\1{2,}/gu, letters))
  return smallTalk.get(twice as string) ?? smallTalk.get(once as string) ?? 0
}

/** The last capitalized word that is not the first word: "Thanks, Ada!" */
function addressedIn(text: string): string | undefined {
  const [, ...others] = text.match(/[\p{L}\p{M}]+/gu) ?? []
  const name = others.findLast((word) => /^\p{Lu}\p{Ll}/u.test(word))
  return name && foldWord(name)
}

let known: Record<keyof WordList, Languages> | undefined

/** Built on first use. */
function lexicon(): Record<keyof WordList, Languages> {
  if (known) return known
  const lists = {
    user: new Map<string, number>(),
    assistant: new Map<string, number>(),
    back: new Map<string, number>(),
    common: new Map<string, number>(),
    smallTalk: new Map<string, number>(),
  }
  for (const [index, words] of LANGUAGES.entries()) {
    for (const name of ['user', 'assistant', 'back', 'common', 'smallTalk'] as const) {
      // These phrases are also used in English by speakers of other languages.
      const languages = index === 0 && name === 'smallTalk' ? ALL : 1 << index
      for (const phrase of phrasesOf(words[name])) {
        add(lists[name], phrase, languages)
        if (name !== 'smallTalk') add(lists.common, phrase, languages)
      }
    }
  }
  known = lists
  return known
}

function add(list: Map<string, number>, phrase: string, languages: number): void {
  list.set(phrase, (list.get(phrase) ?? 0) | languages)
}

function phrasesOf(list: string): string[] {
  const phrases = foldWord(list).split(/ *[,،] */)
  return [...phrases, ...phrases.map(uncontracted)].map((phrase) => {
    const bare = phrase.replace(/['’]/g, '')
    return /^[a-z]+(?: [a-z]+)*$/.test(bare) ? bare : (bare.match(TOKEN)?.join(' ') ?? '')
  })
}

/** "you are" for "you're". */
function uncontracted(phrase: string): string {
  if (!phrase.includes("'")) return phrase
  return CONTRACTIONS.reduce((text, [short, long]) => text.replaceAll(short, long), phrase)
}

const CONTRACTIONS = [
  ["can't", 'cannot'],
  ["n't", ' not'],
  ["'re", ' are'],
  ["'m", ' am'],
  ["'s", ' is'],
  ["'ve", ' have'],
  ["'ll", ' will'],
  ["'d", ' would'],
] as const
