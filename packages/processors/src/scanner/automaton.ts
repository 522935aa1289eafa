import { MillraceError } from '@millrace/core'
import { Alphabet, EDGE, UNKNOWN } from './alphabet.ts'
import type { PatternNode } from './pattern.ts'

/** The state from which nothing matches any more. */
export const DEAD = 0
/** In {@link Automaton.onward} and {@link Automaton.starts}: known to lead nowhere. */
export const NOTHING = 1
/** Not known yet. It has a place in the tables, so that no state has its number. */
const UNEXPLORED = 1
/** Flags of a state: some pattern is matched here, and the match may go on. */
export const ACCEPTS = 1
export const ALIVE = 2

const MAX_NODES = 400_000
const MAX_STATES = 8_192
const FIRST_SHIFT = 6

type Node =
  | { readonly kind: 'set'; readonly set: number; readonly next: number }
  | { readonly kind: 'split'; readonly next: number[] }
  | {
      readonly kind: 'assertion'
      readonly on: 'before' | 'after' | 'boundary'
      readonly set: number
      readonly negated: boolean
      readonly next: number
    }
  | { readonly kind: 'accept'; readonly pattern: number }

/** What can still be matched, and what just was. */
export interface State {
  /** Where the run stands: nodes that wait for a character. */
  readonly nodes: readonly number[]
  /** The class of the character before; -1 where no waiting node asks for it. */
  readonly before: number
  /** Patterns matched up to here. */
  readonly accepted: readonly number[]
  /** Patterns matched up to the character before, now that this one is known. */
  readonly acceptedBefore: readonly number[]
}

const NONE: readonly number[] = []

/**
 * All patterns of a scanner as one machine that reads every character once: Thompson's construction, made
 * deterministic as far as the text needs it. It says at every character which patterns end there and whether any can
 * still go on, so nobody has to know how much of a text's tail may become a match. Shared by all texts of a scanner.
 */
export class Automaton {
  readonly alphabet: Alphabet = new Alphabet()
  /**
   * What most characters take, by state and class: `onward[(state << shift) + class]` is the state after it, or
   * {@link NOTHING}. Where that is not known yet, or a pattern was matched, it is 0, and {@link next} says more.
   */
  onward: Uint16Array = new Uint16Array(0)
  /**
   * By the classes of a character and the one after, as above: the state in which a run begins between them, or
   * {@link NOTHING}; 0 where {@link begin} is to say it.
   */
  starts: Uint16Array = new Uint16Array(0)
  shift: number = FIRST_SHIFT
  flags: Uint8Array = new Uint8Array(0)
  states: State[] = []
  /** Changes when state numbers lose their meaning. */
  generation = 0
  /** As {@link onward}, all that is known. */
  #transitions: Uint16Array = new Uint16Array(0)
  /** By the class of the character before. */
  #starts: Uint16Array = new Uint16Array(0)
  readonly #nodes: Node[] = []
  readonly #root: number
  readonly #ids = new Map<string, number>()
  readonly #marks: Uint32Array
  #mark = 0

  constructor(patterns: readonly PatternNode[]) {
    const starts = patterns.map((root, pattern) =>
      this.#compile(root, this.#add({ kind: 'accept', pattern })),
    )
    this.#root = this.#add({ kind: 'split', next: starts })
    this.#marks = new Uint32Array(this.#nodes.length)
    this.#reset()
  }

  classOf(codePoint: number): number {
    const found = this.alphabet.classOf(codePoint)
    if (this.alphabet.size > 1 << this.shift) {
      this.shift++
      this.#reset()
    }
    return found
  }

  /** The class of the character before `place`, or the edge. */
  classBefore(text: string, place: number): number {
    if (place <= 0) return EDGE
    const unit = text.charCodeAt(place - 1)
    const known = this.alphabet.units[unit] as number
    if (known !== UNKNOWN) return known
    if ((unit & 0xfc00) !== 0xdc00 || place < 2) return this.classOf(unit)
    const codePoint = text.codePointAt(place - 2) as number
    return this.classOf(codePoint > 0xffff ? codePoint : unit)
  }

  /** The state in which a run begins after a character of the given class. */
  start(before: number): number {
    const known = this.#starts[before] as number
    if (known !== UNEXPLORED) return known
    const nodes: number[] = []
    this.#mark++
    this.#close(this.#root, nodes)
    const id = this.#intern(nodes, NONE, before)
    this.#starts[before] = id
    return id
  }

  /** The state in which a run begins between characters of these classes; {@link DEAD} where nothing begins. */
  begin(before: number, characterClass: number): number {
    const { generation } = this
    const state = this.start(before)
    const begins = this.next(state, characterClass) !== DEAD
    const found = !begins ? DEAD : generation === this.generation ? state : this.start(before)
    this.starts[(before << this.shift) + characterClass] = begins ? found : NOTHING
    return found
  }

  /** The state after one more character, or after the end of the text if its class is the edge. */
  next(from: number, characterClass: number): number {
    const known = this.#transitions[(from << this.shift) + characterClass] as number
    return known === UNEXPLORED ? this.#explore(from, characterClass) : known
  }

  #explore(from: number, characterClass: number): number {
    const { nodes, before } = this.states[from] as State
    const waiting: number[] = []
    this.#mark++
    for (const node of nodes) this.#resolve(node, before, characterClass, waiting)
    const acceptedBefore: number[] = []
    const reached: number[] = []
    this.#mark++
    for (const id of waiting) {
      const node = this.#nodes[id] as Node
      if (node.kind === 'accept') acceptedBefore.push(node.pattern)
      else if (node.kind === 'set' && this.alphabet.contains(node.set, characterClass)) {
        this.#close(node.next, reached)
      }
    }
    const { generation } = this
    const id = this.#intern(reached, acceptedBefore, characterClass)
    if (generation === this.generation) {
      const index = (from << this.shift) + characterClass
      this.#transitions[index] = id
      this.onward[index] = this.flags[id] === ALIVE ? id : id === DEAD ? NOTHING : 0
    }
    return id
  }

  /** Follows what costs no character; stops at conditions, which wait for the next one. */
  #close(from: number, into: number[]): void {
    const stack = [from]
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (this.#marks[id] === this.#mark) continue
      this.#marks[id] = this.#mark
      const node = this.#nodes[id] as Node
      if (node.kind !== 'split') into.push(id)
      else for (let index = node.next.length - 1; index >= 0; index--) stack.push(node.next[index] as number)
    }
  }

  /** As {@link #close}, through the conditions that hold between the two characters. */
  #resolve(from: number, before: number, after: number, into: number[]): void {
    const stack = [from]
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (this.#marks[id] === this.#mark) continue
      this.#marks[id] = this.#mark
      const node = this.#nodes[id] as Node
      if (node.kind === 'split') stack.push(...node.next)
      else if (node.kind !== 'assertion') {
        // What was accepted without a condition has been reported where it ended.
        if (node.kind !== 'accept' || id !== from) into.push(id)
      } else if (this.#holds(node, before, after)) stack.push(node.next)
    }
  }

  #holds({ on, set, negated }: Extract<Node, { kind: 'assertion' }>, before: number, after: number): boolean {
    const { alphabet } = this
    if (on === 'before') return alphabet.contains(set, before) !== negated
    if (on === 'after') return alphabet.contains(set, after) !== negated
    return (alphabet.contains(set, before) !== alphabet.contains(set, after)) !== negated
  }

  #intern(nodes: number[], acceptedBefore: readonly number[], characterClass: number): number {
    nodes.sort((a, b) => a - b)
    const looksBack = nodes.some((id) => {
      const node = this.#nodes[id] as Node
      return node.kind === 'assertion' && node.on !== 'after'
    })
    const before = looksBack ? characterClass : -1
    const key = `${nodes.join()};${before};${acceptedBefore.join()}`
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    if (this.states.length >= MAX_STATES) this.#reset()
    const accepted: number[] = []
    for (const id of nodes) {
      const node = this.#nodes[id] as Node
      if (node.kind === 'accept') accepted.push(node.pattern)
    }
    const id = this.states.push({ nodes, before, accepted, acceptedBefore }) - 1
    this.#ids.set(key, id)
    this.#makeRoom()
    const accepts = accepted.length > 0 || acceptedBefore.length > 0 ? ACCEPTS : 0
    this.flags[id] = accepts | (nodes.length > accepted.length ? ALIVE : 0)
    return id
  }

  #makeRoom(): void {
    if (this.states.length <= this.flags.length) return
    const capacity = Math.max(32, this.flags.length * 2)
    const flags = new Uint8Array(capacity)
    flags.set(this.flags)
    this.flags = flags
    const transitions = new Uint16Array(capacity << this.shift).fill(UNEXPLORED)
    transitions.set(this.#transitions)
    this.#transitions = transitions
    const onward = new Uint16Array(capacity << this.shift)
    onward.set(this.onward)
    this.onward = onward
  }

  #reset(): void {
    this.generation++
    this.states = []
    this.#ids.clear()
    this.flags = new Uint8Array(0)
    this.#transitions = new Uint16Array(0)
    this.onward = new Uint16Array(0)
    this.starts = new Uint16Array(1 << (2 * this.shift))
    this.#starts = new Uint16Array(1 << this.shift).fill(UNEXPLORED)
    this.#intern([], NONE, -1)
    this.#transitions.fill(DEAD, 0, 1 << this.shift)
    this.states.push({ nodes: NONE, before: -1, accepted: NONE, acceptedBefore: NONE })
  }

  /** Adds the nodes for `tree`, followed by `next`. Returns where it begins. */
  #compile(tree: PatternNode, next: number): number {
    switch (tree.kind) {
      case 'set':
        return this.#add({ kind: 'set', set: this.alphabet.add(tree.set), next })
      case 'assertion': {
        const { on, negated } = tree
        return this.#add({ kind: 'assertion', on, set: this.alphabet.add(tree.set), negated, next })
      }
      case 'sequence':
        return tree.nodes.reduceRight((after, node) => this.#compile(node, after), next)
      case 'choice':
        return this.#add({ kind: 'split', next: tree.nodes.map((node) => this.#compile(node, next)) })
      case 'repeat':
        return this.#compileRepeat(tree, next)
      default:
        return tree satisfies never
    }
  }

  #compileRepeat({ node, min, max }: Extract<PatternNode, { kind: 'repeat' }>, next: number): number {
    let start = next
    if (max === Number.POSITIVE_INFINITY) {
      const split: number[] = []
      start = this.#add({ kind: 'split', next: split })
      split.push(this.#compile(node, start), next)
    } else {
      for (let count = min; count < max; count++) {
        start = this.#add({ kind: 'split', next: [this.#compile(node, start), next] })
      }
    }
    for (let count = 0; count < min; count++) start = this.#compile(node, start)
    return start
  }

  #add(node: Node): number {
    if (this.#nodes.length >= MAX_NODES) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `The patterns of a scanner come to more than ${MAX_NODES} states. Make the counts in nested repetitions smaller.`,
      )
    }
    return this.#nodes.push(node) - 1
  }
}
