import { type CharacterSet, setFromFunction, setFromSource } from '../scanner/character-set.ts'
import type { PatternNode } from '../scanner/pattern.ts'
import type { TreeRecognizer } from '../scanner/scanner.ts'
import { compoundFolds, fold, isIgnored } from './fold.ts'

const WORD = setFromSource('[\\p{L}\\p{N}\\p{M}_]', 'u')
const SPACE = setFromFunction(
  'space or ignored',
  (codePoint) => /^\s$/.test(String.fromCodePoint(codePoint)) || isIgnored(codePoint),
)
const IGNORED: PatternNode = {
  kind: 'repeat',
  node: { kind: 'set', set: setFromFunction('ignored', isIgnored) },
  min: 0,
  max: Number.POSITIVE_INFINITY,
}

/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

export interface KeywordOptions {
  readonly type: string
  readonly id: string
  /** Whether a match must begin and end at a word boundary. */
  readonly wholeWords: boolean
}

/**
 * A recognizer of everything that {@link fold}s to the same text as a keyword; `undefined` if the folded keyword is
 * empty.
 */
export function keywordRecognizer(
  keyword: string,
  { type, id, wholeWords }: KeywordOptions,
): TreeRecognizer | undefined {
  const characters = [...fold(keyword).trim()]
  const first = characters[0]
  const last = characters.at(-1)
  if (first === undefined || last === undefined) return undefined
  const nodes: PatternNode[] = []
  if (wholeWords && needsBoundary(first))
    nodes.push({ kind: 'assertion', on: 'before', set: WORD, negated: true })
  nodes.push(...charactersPattern(characters))
  if (wholeWords && needsBoundary(last))
    nodes.push({ kind: 'assertion', on: 'after', set: WORD, negated: true })
  return { type, id, pattern: { kind: 'sequence', nodes }, maxLength: 16 * characters.length + 256 }
}

function needsBoundary(character: string): boolean {
  return WORD.has(character.codePointAt(0) as number) && !UNSPACED.test(character)
}

function charactersPattern(characters: readonly string[]): PatternNode[] {
  const nodes: PatternNode[] = []
  for (let place = 0; place < characters.length; ) {
    if (place > 0 && characters[place] !== ' ' && characters[place - 1] !== ' ') nodes.push(IGNORED)
    const lengths = compoundLengths(characters, place)
    const span = Math.max(1, ...lengths)
    const spelled = characters.slice(place, place + span)
    const alternatives = [
      sequence(spelled.map(single)),
      ...lengths.map((length) =>
        sequence([folded(spelled.slice(0, length).join('')), ...spelled.slice(length).map(single)]),
      ),
    ]
    nodes.push(
      alternatives.length === 1 ? (alternatives[0] as PatternNode) : { kind: 'choice', nodes: alternatives },
    )
    place += span
  }
  return nodes
}

/** The numbers of characters, from `place` on, that a single character may stand for. */
function compoundLengths(characters: readonly string[], place: number): number[] {
  const compounds = compoundFolds()
  return [4, 3, 2].filter((length) => {
    const text = characters.slice(place, place + length)
    return text.length === length && compounds.has(text.join(''))
  })
}

/** A sequence of characters, with ignored characters allowed in between. */
function sequence(nodes: readonly PatternNode[]): PatternNode {
  return { kind: 'sequence', nodes: nodes.flatMap((node, index) => (index === 0 ? [node] : [IGNORED, node])) }
}

function single(character: string): PatternNode {
  if (character !== ' ') return folded(character)
  return { kind: 'repeat', node: { kind: 'set', set: SPACE }, min: 1, max: Number.POSITIVE_INFINITY }
}

function folded(text: string): PatternNode {
  const has = (codePoint: number): boolean => fold(String.fromCodePoint(codePoint)) === text
  const set: CharacterSet = setFromFunction(`folds to ${text}`, has)
  return { kind: 'set', set }
}
