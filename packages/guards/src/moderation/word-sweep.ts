import {
  type BlacklistedTerm,
  type Node,
  type StatefulTransformer,
  SyntaxKind,
  type TransformerContainer,
} from 'obscenity'

/** How many UTF-16 units are joined at once. */
const AT_ONCE = 4_096

/** A character that the transformers remove. */
const LEFT_OUT = -1

/**
 * A pre-filter for the matcher of the library: whether a text contains any term, with the allow list ignored. Most
 * texts contain none, and one expression for all terms is faster than the matcher, which tries every term.
 */
export function wordSweep(
  terms: readonly BlacklistedTerm[],
  transformers: readonly TransformerContainer[],
): (text: string) => boolean {
  const any = new RegExp(terms.map(({ pattern }) => sourceOf(pattern)).join('|'), 's')
  const transform = transformation(transformers)
  return (text) => any.test(transform(text))
}

/** Applies the transformers to every character of a text. Transformers without state are cached by character. */
function transformation(transformers: readonly TransformerContainer[]): (text: string) => string {
  const first = transformers.findIndex((each) => 'factory' in each)
  const simple = first === -1 ? transformers : transformers.slice(0, first)
  const others = (first === -1 ? [] : transformers.slice(first)).map(stepOf)
  const known = new Map<number, number>()
  const find = (codePoint: number): number => {
    let found: number | undefined = codePoint
    for (const { transform } of simple.map(stepOf)) if (found !== undefined) found = transform(found)
    return found ?? LEFT_OUT
  }
  const ascii = Int32Array.from({ length: 128 }, (_, codePoint) => find(codePoint))
  const single = (codePoint: number): number => {
    if (codePoint < 128) return ascii[codePoint] as number
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
    for (const { reset } of others) reset()
    for (let place = 0; place < text.length; place++) {
      const codePoint = text.codePointAt(place) as number
      if (codePoint > 0xffff) place++
      let left: number | undefined = single(codePoint)
      if (left === LEFT_OUT) continue
      for (const { transform } of others) if (left !== undefined) left = transform(left)
      if (left === undefined) continue
      if (left > 0xffff) units[length++] = 0xd7c0 + (left >> 10)
      units[length++] = left > 0xffff ? 0xdc00 | (left & 0x3ff) : left
      if (length < AT_ONCE) continue
      out += String.fromCharCode(...units.subarray(0, length))
      length = 0
    }
    return out + String.fromCharCode(...units.subarray(0, length))
  }
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
