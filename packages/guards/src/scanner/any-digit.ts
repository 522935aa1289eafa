import { type CharacterSet, setFromSource } from './character-set.ts'
import type { PatternNode } from './pattern.ts'

const ANY_DIGIT = setFromSource('\\d', '')

/** Widens every set of digits, such as `[2-9]`, to any digit. Matches must be compared with the original pattern. */
export function withAnyDigit(node: PatternNode): PatternNode {
  switch (node.kind) {
    case 'set':
      return isOfDigits(node.set) ? { kind: 'set', set: ANY_DIGIT } : node
    case 'sequence':
    case 'choice':
      return { kind: node.kind, nodes: node.nodes.map(withAnyDigit) }
    case 'repeat':
      return { ...node, node: withAnyDigit(node.node) }
    case 'assertion':
      return node
    default:
      return node satisfies never
  }
}

const known = new WeakMap<CharacterSet, boolean>()

function isOfDigits(set: CharacterSet): boolean {
  let found = known.get(set)
  if (found === undefined) {
    found = DIGITS.test(set.key) || hasDigitsAlone(set)
    known.set(set, found)
  }
  return found
}

/** Keys of sets that have only digits: `5`, `\d`, `[0-4]`. Testing all characters is slow. */
const DIGITS = /^[a-z]*\/(?:\\d|\d|\[(?:\\d|\d(?:-\d)?)+\])$/

/** Whether all members are ASCII digits. Tests only the characters below U+0300 and one digit of another script. */
function hasDigitsAlone(set: CharacterSet): boolean {
  // Tested first, as most sets contain no digits.
  if (!hasAny(set, ZERO, NINE)) return false
  return !set.has(ARABIC_ONE) && !hasAny(set, 0, ZERO - 1) && !hasAny(set, NINE + 1, 0x2ff)
}

function hasAny(set: CharacterSet, first: number, last: number): boolean {
  for (let codePoint = first; codePoint <= last; codePoint++) if (set.has(codePoint)) return true
  return false
}

const ZERO = 0x30
const NINE = 0x39
const ARABIC_ONE = 0x661
