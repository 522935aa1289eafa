import {
  type BlacklistedTerm,
  type Node,
  type StatefulTransformer,
  SyntaxKind,
  type TransformerContainer,
} from 'obscenity'
import { codePointAt } from '../code-point.ts'

/** The size of the output buffer, in UTF-16 units. */
const AT_ONCE = 4_096

/** In the tables: the transformers remove this character. */
const LEFT_OUT = -1

/**
 * A prefilter for the matcher of the library. The returned function tells whether a text contains any term; it ignores
 * the allow list. Most texts contain none, and one regular expression for all terms is faster than the matcher, which
 * tries every term.
 */
export function wordSweep(
  terms: readonly BlacklistedTerm[],
  transformers: readonly TransformerContainer[],
): (text: string) => boolean {
  const any = new RegExp(terms.map(({ pattern }) => sourceOf(pattern)).join('|'), 's')
  const transform = transformation(transformers)
  return (text) => any.test(transform(text))
}

/**
 * Applies the transformers to every character of a text, and caches the results by character. So a stateful transformer
 * may only limit how often a character repeats, as `collapseDuplicatesTransformer` does.
 */
function transformation(transformers: readonly TransformerContainer[]): (text: string) => string {
  const first = transformers.findIndex((each) => 'factory' in each)
  const simple = (first === -1 ? transformers : transformers.slice(0, first)).map(stepOf)
  const others = (first === -1 ? [] : transformers.slice(first)).map(stepOf)
  const known = new Map<number, Transformed>()
  const find = (codePoint: number): Transformed => {
    let found: number | undefined = codePoint
    for (const { transform } of simple) if (found !== undefined) found = transform(found)
    return found === undefined ? NOTHING : { codePoint: found, most: mostInARow(found, others) }
  }
  const ascii = Array.from({ length: 128 }, (_, codePoint) => find(codePoint))
  const codes = Int32Array.from(ascii, ({ codePoint }) => codePoint)
  const most = Float64Array.from(ascii, (each) => each.most)
  const single = (codePoint: number): Transformed => {
    let found = known.get(codePoint)
    if (found === undefined) {
      found = find(codePoint)
      if (known.size < MOST_KNOWN) known.set(codePoint, found)
    }
    return found
  }
  return (text) => {
    let out = ''
    let length = 0
    const units = new Uint16Array(Math.min(AT_ONCE, text.length + 1) + 1)
    let last = LEFT_OUT
    let left = 0
    for (let place = 0; place < text.length; place++) {
      const codePoint = codePointAt(text, place)
      let code: number
      let limit: number
      if (codePoint < 128) {
        code = codes[codePoint] as number
        limit = most[codePoint] as number
      } else {
        if (codePoint > 0xffff) place++
        ;({ codePoint: code, most: limit } = single(codePoint))
      }
      if (code === LEFT_OUT) continue
      if (code !== last) {
        last = code
        left = limit
      }
      if (left-- <= 0) continue
      if (code > 0xffff) units[length++] = 0xd7c0 + (code >> 10)
      units[length++] = code > 0xffff ? 0xdc00 | (code & 0x3ff) : code
      if (length < AT_ONCE) continue
      out += stringOf(units, length)
      length = 0
    }
    return out + stringOf(units, length)
  }
}

interface Transformed {
  readonly codePoint: number
  /** The maximum number of consecutive repetitions that are kept. */
  readonly most: number
}

const NOTHING: Transformed = { codePoint: LEFT_OUT, most: 0 }

/** The number of repetitions to try. If all are kept, there is no limit. */
const MOST_TRIED = 16

function mostInARow(codePoint: number, steps: readonly Step[]): number {
  for (const { reset } of steps) reset()
  let count = 0
  for (let tried = 0; tried < MOST_TRIED; tried++) {
    let left: number | undefined = codePoint
    for (const { transform } of steps) if (left !== undefined) left = transform(left)
    if (left === undefined) return count
    count++
  }
  return Number.POSITIVE_INFINITY
}

function stringOf(units: Uint16Array, length: number): string {
  return String.fromCharCode.apply(null, units.subarray(0, length) as unknown as number[])
}

const MOST_KNOWN = 20_000

interface Step {
  readonly transform: (codePoint: number) => number | undefined
  readonly reset: () => void
}

function stepOf(container: TransformerContainer): Step {
  if (!('factory' in container)) return { transform: container.transform, reset: () => {} }
  const made: StatefulTransformer = container.factory()
  return { transform: (codePoint) => made.transform(codePoint), reset: () => made.reset() }
}

function sourceOf({
  nodes,
  requireWordBoundaryAtStart,
  requireWordBoundaryAtEnd,
}: BlacklistedTerm['pattern']): string {
  const [start, end] = [requireWordBoundaryAtStart, requireWordBoundaryAtEnd].map((is) => (is ? '\\b' : ''))
  return `${start}${nodes.map(sourceOfNode).join('')}${end}`
}

function sourceOfNode(node: Node): string {
  if (node.kind === SyntaxKind.Optional) return `(?:${sourceOfNode(node.childNode)})?`
  if (node.kind === SyntaxKind.Wildcard) return '.'
  return node.chars.map((char) => String.fromCodePoint(char).replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')).join('')
}
