import { MillraceError } from '@millrace/core'
import { type CharacterSet, setFromSource } from './character-set.ts'

/** The syntax tree of a pattern, restricted to what a finite automaton can run. */
export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number }
  | AssertionNode

/**
 * An assertion on the character before or after a position, or on both (`boundary`: exactly one of them is in the set).
 * At the edges of the text there is no character, and no set contains it.
 */
interface AssertionNode {
  readonly kind: 'assertion'
  readonly on: 'before' | 'after' | 'boundary'
  readonly set: CharacterSet
  readonly negated: boolean
}

/** A parsed pattern, with the length of its longest match in UTF-16 units. */
export interface Pattern {
  readonly root: PatternNode
  readonly maxLength: number
}

/**
 * Parses a regular expression.
 *
 * @throws MillraceError `CONFIG_INVALID` if a finite automaton cannot run it.
 */
export function parsePattern(expression: RegExp): Pattern {
  const root = new Parser(expression).parse()
  return { root, maxLength: longest(root) }
}

/** The set of a pattern that is a single character or class. */
export function parseSet(expression: RegExp): CharacterSet {
  const { root } = parsePattern(expression)
  if (root.kind === 'set') return root.set
  throw new MillraceError(
    'CONFIG_INVALID',
    `${expression} must be a single character or class, such as /[\\w-]/.`,
  )
}

/** The length of the longest text a node matches, in UTF-16 units. */
export function longest(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
      return node.set.maxUnits
    case 'sequence':
      return node.nodes.reduce((sum, each) => sum + longest(each), 0)
    case 'choice':
      return node.nodes.reduce((most, each) => Math.max(most, longest(each)), 0)
    case 'repeat': {
      const length = longest(node.node)
      return length === 0 ? 0 : length * node.max
    }
    case 'assertion':
      return 0
    default:
      return node satisfies never
  }
}

const LINE_END = '\\n\\r\\u2028\\u2029'

class Parser {
  readonly #expression: RegExp
  readonly #source: string
  readonly #unicode: boolean
  readonly #nests: boolean
  #place = 0

  constructor(expression: RegExp) {
    this.#expression = expression
    this.#source = expression.source
    this.#nests = expression.flags.includes('v')
    this.#unicode = /[uv]/.test(expression.flags)
  }

  parse(): PatternNode {
    const node = this.#choice()
    if (this.#place < this.#source.length) this.#refuse('an unmatched )')
    return node
  }

  #choice(): PatternNode {
    const nodes = [this.#sequence()]
    while (this.#take('|')) nodes.push(this.#sequence())
    return nodes.length === 1 ? (nodes[0] as PatternNode) : { kind: 'choice', nodes }
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = []
    while (this.#place < this.#source.length && !this.#at('|') && !this.#at(')')) {
      nodes.push(this.#quantified(this.#term()))
    }
    return nodes.length === 1 ? (nodes[0] as PatternNode) : { kind: 'sequence', nodes }
  }

  #quantified(node: PatternNode): PatternNode {
    const match = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#place, this.#place + 24))
    if (!match) return node
    this.#place += match[0].length
    const [text, least, comma, most] = match
    const [min, max] =
      least !== undefined
        ? [Number(least), comma === '' ? Number(least) : most ? Number(most) : Number.POSITIVE_INFINITY]
        : text[0] === '?'
          ? [0, 1]
          : [text[0] === '*' ? 0 : 1, Number.POSITIVE_INFINITY]
    return { kind: 'repeat', node, min, max }
  }

  #term(): PatternNode {
    const character = this.#source[this.#place] as string
    switch (character) {
      case '(':
        return this.#group()
      case '[':
        return this.#set(this.#classText())
      case '.':
        this.#place++
        return this.#set('.')
      case '^':
      case '$': {
        this.#place++
        const inside = this.#expression.multiline ? `[^${LINE_END}]` : '[^]'
        const set = setFromSource(inside, '')
        return { kind: 'assertion', on: character === '^' ? 'before' : 'after', set, negated: true }
      }
      case '\\':
        return this.#escape()
      default: {
        const literal = String.fromCodePoint(this.#source.codePointAt(this.#place) as number)
        this.#place += literal.length
        return this.#set(literal)
      }
    }
  }

  #group(): PatternNode {
    const opening = /^\((?:\?(?::|<?[=!]|<(?![=!])[^>]*>|))?/.exec(this.#source.slice(this.#place))
    const text = opening?.[0] ?? '('
    if (text === '(?') this.#refuse('an inline modifier')
    this.#place += text.length
    const node = this.#choice()
    if (!this.#take(')')) this.#refuse('an unclosed group')
    const look = /^\(\?(<?)([=!])$/.exec(text)
    if (!look) return node
    return this.#assertion(node, look[1] === '<' ? 'before' : 'after', look[2] === '!')
  }

  /** Lookaround over one character, or over alternatives of one character each; `^`, `$` and `\b` may be among them. */
  #assertion(node: PatternNode, on: 'before' | 'after', negated: boolean): PatternNode {
    const alternatives = node.kind === 'choice' ? node.nodes : [node]
    const nodes = alternatives.map((each): AssertionNode => {
      if (each.kind === 'set') return { kind: 'assertion', on, set: each.set, negated }
      if (each.kind === 'assertion') return { ...each, negated: each.negated !== negated }
      return this.#refuse('lookaround over more than one character')
    })
    if (nodes.length === 1) return nodes[0] as PatternNode
    return negated ? { kind: 'sequence', nodes } : { kind: 'choice', nodes }
  }

  #escape(): PatternNode {
    const rest = this.#source.slice(this.#place)
    const letter = rest[1] ?? ''
    if (/[1-9k]/.test(letter)) this.#refuse('a backreference')
    if (/^\\c(?![a-zA-Z])/.test(rest)) {
      // Not an escape sequence: the backslash is literal.
      this.#place++
      return this.#set('\\\\')
    }
    const boundary = /^[bB]/.test(letter)
    const match = boundary
      ? rest.slice(0, 2)
      : (/^\\(?:u[dD][89a-bA-B][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z])/.exec(
          rest,
        )?.[0] ??
        // Without `u` and `v`, the braces after `\p` and `\u` are literal.
        (this.#unicode ? /^\\(?:[pP]\{[^}]*\}|u\{[\da-fA-F]+\})/.exec(rest)?.[0] : undefined) ??
        rest.slice(0, 1 + String.fromCodePoint(rest.codePointAt(1) ?? 0).length))
    this.#place += match.length
    if (!boundary) return this.#set(match)
    const set = setFromSource('\\w', this.#flags)
    return { kind: 'assertion', on: 'boundary', set, negated: letter === 'B' }
  }

  /** The source of a class, up to its closing bracket. With `v`, classes nest. */
  #classText(): string {
    let depth = 0
    for (let end = this.#place; end < this.#source.length; end++) {
      const character = this.#source[end]
      if (character === '\\') {
        if (this.#nests && this.#source[end + 1] === 'q') this.#refuse('strings in a class')
        end++
      } else if (character === '[' && (depth === 0 || this.#nests)) {
        depth++
      } else if (character === ']' && --depth === 0) {
        const text = this.#source.slice(this.#place, end + 1)
        this.#place = end + 1
        return text
      }
    }
    return this.#refuse('an unclosed class')
  }

  #set(source: string): PatternNode {
    return { kind: 'set', set: setFromSource(source, this.#flags) }
  }

  get #flags(): string {
    return this.#expression.flags.replace(/[^isuv]/g, '')
  }

  #at(character: string): boolean {
    return this.#source[this.#place] === character
  }

  #take(character: string): boolean {
    if (!this.#at(character)) return false
    this.#place++
    return true
  }

  #refuse(what: string): never {
    throw new MillraceError(
      'CONFIG_INVALID',
      `The pattern ${this.#expression} contains ${what} (at ${this.#place}), which cannot be run in linear time on a stream. Write it without, or use a recognizer with a function.`,
    )
  }
}
