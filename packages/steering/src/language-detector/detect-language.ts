import { yieldToEventLoop } from '@millrace/guards/guard'

/** What language a text is in. */
export interface DetectedLanguage {
  /** ISO 639-1, such as `en`; `undefined` where no language is recognised. */
  readonly language: string | undefined
  /** The library's score of that language, from 0 to 1. */
  readonly score: number
  /** There is enough text, and the next language is far enough behind. */
  readonly isReliable: boolean
}

export interface DetectLanguageOptions {
  /** Languages to tell apart, by ISO 639-1. Fewer are told apart better. Default: all 60 the library knows. */
  readonly candidates?: readonly string[] | undefined
  /** Letters a text must have to be judged; one in a script without spaces counts as three. Default: 10. */
  readonly minLetters?: number | undefined
}

interface Library {
  detect(text: string): { readonly language: string; getScores(): Record<string, number> }
  enableTextCleanup(flag: boolean): void
  setLanguageSubset(languages: string[] | boolean): Record<number, string>
  newInstance(): Library
}

/**
 * How far the second language must be behind. Of 200 sentences of a chat in 25 languages, one in twenty is left open by
 * this, and one of the others is taken for a neighbour of its language.
 */
const MARGIN = 0.01
const LOWEST_SCORE = 0.45

/** Languages the library has under another name: Malay and Indonesian are written nearly alike. */
const ALIASES: Record<string, string> = { id: 'ms', nb: 'no', nn: 'no' }

const KNOWN = new Set(
  'am ar az be bg bn ca cs da de el en es et eu fa fi fr gu he hi hr hu hy is it ja ka kn ko ku lo lt lv ml mr ms nl no or pa pl pt ro ru sk sl sq sr sv ta te th tl tr uk ur vi yo zh'.split(
    ' ',
  ),
)

/** As much of a text as the library looks at. */
const LONGEST = 1_000

const loaded = new Map<string, Promise<Library>>()

/**
 * Recognises the language of a text, without a model: by letter sequences, by the smallest table of
 * [eld](https://github.com/nitotm/efficient-language-detector-js), 1 MB, loaded with the first use in steps, between which other
 * work gets its turn.
 */
export async function detectLanguage(
  text: string,
  { candidates, minLetters = 10 }: DetectLanguageOptions = {},
): Promise<DetectedLanguage> {
  const library = await load(candidates)
  const start = text.slice(0, LONGEST)
  const scores = Object.entries(library.detect(start).getScores())
  const [[best, score], [, next]] = [scores[0] ?? [undefined, 0], scores[1] ?? ['', 0]]
  const isReliable = score >= LOWEST_SCORE && score - next >= MARGIN && lettersOf(start) >= minLetters
  return { language: best, score, isReliable }
}

/** Whether two names mean a language the library does not tell apart. */
export function isSameLanguage(one: string, other: string): boolean {
  return libraryName(one) === libraryName(other)
}

/** Whether a language, by ISO 639-1 and perhaps a region, can be recognised. */
export function isKnownLanguage(language: string): boolean {
  return KNOWN.has(libraryName(language))
}

/** The name the library has for a language, without its region. */
function libraryName(language: string): string {
  const name = language.toLowerCase().split(/[-_]/, 1)[0] as string
  return ALIASES[name] ?? name
}

function load(candidates: readonly string[] | undefined): Promise<Library> {
  const names = candidates?.map(libraryName).sort()
  const key = names?.join() ?? ''
  let library = loaded.get(key)
  if (!library) {
    library = loadLibrary().then((eld) => {
      const instance = eld.newInstance()
      instance.enableTextCleanup(true)
      if (names) instance.setLanguageSubset([...names])
      return instance
    })
    loaded.set(key, library)
    library.catch(() => loaded.delete(key))
  }
  return library
}

/** The library. The build takes its table apart, for it is compiled at one stretch. */
interface LibraryInParts {
  readonly eld: Library
  readonly parts?: readonly (() => Promise<{ default: string }>)[]
  readonly addPart?: (part: string) => void
}

let loading: Promise<Library> | undefined

function loadLibrary(): Promise<Library> {
  loading ??= loadInSteps()
  loading.catch(() => {
    loading = undefined
  })
  return loading
}

async function loadInSteps(): Promise<Library> {
  await yieldToEventLoop()
  const { eld, parts = [], addPart } = (await import('eld/extrasmall')) as LibraryInParts
  for (const load of parts) {
    await yieldToEventLoop()
    const { default: part } = await load()
    await yieldToEventLoop()
    addPart?.(part)
  }
  await yieldToEventLoop()
  return eld
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

function lettersOf(text: string): number {
  let count = 0
  for (const [letter] of text.matchAll(/\p{L}/gu)) count += UNSPACED.test(letter) ? 3 : 1
  return count
}
