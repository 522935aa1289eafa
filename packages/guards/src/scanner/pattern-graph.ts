import { MillraceError } from '@millrace/core'
import { Alphabet } from './alphabet.ts'
import type { PatternNode } from './pattern.ts'

const MAX_NODES = 400_000

/** Kinds of nodes: one waits for a character of a set, one branches, one ends a pattern. */
const SET = 0
const SPLIT = 1
const ACCEPT = 2
/** Assertions on the character before, on the one after, or on both; plus `NEGATED` if negated. */
const BEFORE = 3
const AFTER = 4
const BOUNDARY = 5
const NEGATED = 3

/** Longer lists of nodes are not cached: many of them would take too much memory. */
const LONGEST_KEPT = 64

/** Patterns as one nondeterministic automaton (Thompson's construction). Nodes are numbers. */
export class PatternGraph {
  readonly alphabet: Alphabet
  /** The nodes that {@link begin} or {@link step} reached last: the first `count` entries, in no order. */
  readonly reached: Int32Array
  count = 0
  /** A hash of the reached nodes that does not depend on their order. */
  hash = 0
  /** Whether a reached node tests the character before, directly or after other assertions. */
  looksBack = false
  /** Patterns that the last step has matched up to the character before. */
  acceptedBefore: readonly number[] = NONE
  readonly #root: number
  /** By node. */
  readonly #kinds: Uint8Array
  /** By node: the id of its set; for an accepting node, the number of its pattern. */
  readonly #sets: Int32Array
  /** By node: the next node. */
  readonly #next: Int32Array
  /** By node: 1 if an assertion on the character before is tested from here before the next character is read. */
  readonly #looksBack: Uint8Array
  /** By branching node: its successors. */
  readonly #ways: ReadonlyMap<number, readonly number[]>
  /** By node: the nodes reached from it without reading a character; cached if the list is short. */
  readonly #closures: (Int32Array | undefined)[]
  readonly #waiting: Int32Array
  readonly #marks: Uint32Array
  #mark = 0
  readonly #stack: number[] = []

  constructor(builder: GraphBuilder) {
    this.alphabet = builder.alphabet
    this.#root = builder.finish()
    this.#kinds = Uint8Array.from(builder.kinds)
    this.#sets = Int32Array.from(builder.sets)
    this.#next = Int32Array.from(builder.next)
    this.#ways = builder.ways
    this.#looksBack = this.#kinds.map((kind, node) => (kind >= BEFORE && this.#asksBefore(node) ? 1 : 0))
    const size = this.#kinds.length
    this.#closures = new Array(size)
    this.#marks = new Uint32Array(size)
    this.#waiting = new Int32Array(size)
    this.reached = new Int32Array(size)
  }

  /** The patterns that these nodes accept, in ascending order. */
  acceptedBy(nodes: Int32Array): readonly number[] {
    let accepted = NONE
    for (const node of nodes) {
      if (this.#kinds[node] === ACCEPT) accepted = [...accepted, this.#sets[node] as number]
    }
    return inOrder(accepted)
  }

  /** Whether the nodes are the ones that were reached last. */
  isReached(nodes: Int32Array): boolean {
    if (nodes.length !== this.count) return false
    for (let index = 0; index < nodes.length; index++) {
      if (this.#marks[nodes[index] as number] !== this.#mark) return false
    }
    return true
  }

  /** Reaches the starts of all patterns except some. */
  begin(without: readonly number[]): void {
    this.#clear()
    if (without.length === 0) {
      this.#reach(this.#root)
      return
    }
    for (const [pattern, start] of (this.#ways.get(this.#root) as readonly number[]).entries()) {
      if (!without.includes(pattern)) this.#reach(start)
    }
  }

  /**
   * Reaches the nodes that follow from reading a character of one class. `before` is the class of the character before
   * it.
   */
  step(nodes: Int32Array, before: number, characterClass: number): void {
    const { alphabet } = this
    const waiting = this.#resolve(nodes, before, characterClass)
    let acceptedBefore = NONE
    this.#clear()
    for (let index = 0; index < waiting; index++) {
      const node = this.#waiting[index] as number
      const set = this.#sets[node] as number
      if (this.#kinds[node] === ACCEPT) acceptedBefore = [...acceptedBefore, set]
      else if (alphabet.contains(set, characterClass)) this.#reach(this.#next[node] as number)
    }
    this.acceptedBefore = inOrder(acceptedBefore)
  }

  #clear(): void {
    this.#mark++
    this.count = 0
    this.hash = 0
    this.looksBack = false
    this.acceptedBefore = NONE
  }

  #reach(node: number): void {
    const closure = this.#closures[node] ?? this.#closureOf(node)
    const marks = this.#marks
    for (let index = 0; index < closure.length; index++) {
      const each = closure[index] as number
      if (marks[each] === this.#mark) continue
      marks[each] = this.#mark
      this.reached[this.count++] = each
      this.hash = (this.hash + Math.imul(each ^ (each >>> 7), 0x9e3779b1)) | 0
      this.looksBack ||= this.#looksBack[each] === 1
    }
  }

  /**
   * Evaluates the assertions between two characters. Returns how many nodes wait for the second character, or accept.
   */
  #resolve(nodes: Int32Array, before: number, after: number): number {
    this.#mark++
    const marks = this.#marks
    const waiting = this.#waiting
    let count = 0
    for (let index = 0; index < nodes.length; index++) {
      const node = nodes[index] as number
      const kind = this.#kinds[node] as number
      // A pattern that ended without an assertion was already reported.
      if (kind === ACCEPT) continue
      if (kind === SET) {
        if (marks[node] === this.#mark) continue
        marks[node] = this.#mark
        waiting[count++] = node
      } else count = this.#passConditions(node, { before, after }, count)
    }
    return count
  }

  #passConditions(node: number, between: Between, count: number): number {
    const stack = this.#stack
    let length = count
    stack.push(node)
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (this.#marks[id] === this.#mark) continue
      this.#marks[id] = this.#mark
      const kind = this.#kinds[id] as number
      if (kind === SPLIT) stack.push(...(this.#ways.get(id) as readonly number[]))
      else if (kind <= ACCEPT) this.#waiting[length++] = id
      else if (this.#holds(id, between)) stack.push(this.#next[id] as number)
    }
    return length
  }

  #holds(node: number, { before, after }: Between): boolean {
    const { alphabet } = this
    const set = this.#sets[node] as number
    const kind = this.#kinds[node] as number
    const negated = kind >= BEFORE + NEGATED
    const on = negated ? kind - NEGATED : kind
    if (on === BEFORE) return alphabet.contains(set, before) !== negated
    if (on === AFTER) return alphabet.contains(set, after) !== negated
    return (alphabet.contains(set, before) !== alphabet.contains(set, after)) !== negated
  }

  #asksBefore(node: number): boolean {
    const seen = new Set<number>()
    const stack = [node]
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (seen.has(id)) continue
      seen.add(id)
      const kind = this.#kinds[id] as number
      if (kind === SPLIT) stack.push(...(this.#ways.get(id) as readonly number[]))
      else if (kind === AFTER || kind === AFTER + NEGATED) stack.push(this.#next[id] as number)
      else if (kind >= BEFORE) return true
    }
    return false
  }

  #closureOf(node: number): Int32Array {
    const found: number[] = []
    const seen = new Set<number>()
    const stack = [node]
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (seen.has(id)) continue
      seen.add(id)
      const ways = this.#ways.get(id)
      if (ways) stack.push(...ways)
      else found.push(id)
    }
    const closure = Int32Array.from(found)
    if (closure.length <= LONGEST_KEPT) this.#closures[node] = closure
    return closure
  }
}

/** The classes of two consecutive characters. */
interface Between {
  readonly before: number
  readonly after: number
}

const NONE: readonly number[] = []

function inOrder(patterns: readonly number[]): readonly number[] {
  return patterns.length < 2 ? patterns : patterns.toSorted((a, b) => a - b)
}

/** The successor of a node that accepts or branches. */
const NO_NODE = -1

const CONDITIONS = { before: BEFORE, after: AFTER, boundary: BOUNDARY }

/** Builds the nodes of a graph, pattern by pattern. */
export class GraphBuilder {
  readonly alphabet: Alphabet = new Alphabet()
  readonly kinds: number[] = []
  readonly sets: number[] = []
  readonly next: number[] = []
  readonly ways: Map<number, readonly number[]> = new Map()
  readonly #starts: number[] = []

  /** The number of nodes. */
  get size(): number {
    return this.kinds.length
  }

  /** Adds the next pattern. Patterns are numbered from 0, in the order of the calls. */
  add(pattern: PatternNode): void {
    const accept = this.#node(ACCEPT, this.#starts.length, NO_NODE)
    this.#starts.push(this.#compile(pattern, accept))
  }

  /** Called after all patterns are added. Returns the root node. */
  finish(): number {
    return this.#split(this.#starts)
  }

  #node(kind: number, set: number, next: number): number {
    if (this.kinds.length >= MAX_NODES) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `The patterns of a scanner come to more than ${MAX_NODES} states. Make the counts in nested repetitions smaller.`,
      )
    }
    this.sets.push(set)
    this.next.push(next)
    return this.kinds.push(kind) - 1
  }

  #split(ways: readonly number[]): number {
    const id = this.#node(SPLIT, 0, NO_NODE)
    this.ways.set(id, ways)
    return id
  }

  /** Adds the nodes for `tree`, followed by `next`. Returns the first node. */
  #compile(tree: PatternNode, next: number): number {
    switch (tree.kind) {
      case 'set':
        return this.#node(SET, this.alphabet.add(tree.set), next)
      case 'assertion': {
        const kind = CONDITIONS[tree.on] + (tree.negated ? NEGATED : 0)
        return this.#node(kind, this.alphabet.add(tree.set), next)
      }
      case 'sequence':
        return tree.nodes.reduceRight((after, node) => this.#compile(node, after), next)
      case 'choice':
        return this.#split(tree.nodes.map((node) => this.#compile(node, next)))
      case 'repeat':
        return this.#repeat(tree, next)
      default:
        return tree satisfies never
    }
  }

  #repeat({ node, min, max }: Extract<PatternNode, { kind: 'repeat' }>, next: number): number {
    let start = next
    if (max === Number.POSITIVE_INFINITY) {
      const ways: number[] = []
      start = this.#split(ways)
      ways.push(this.#compile(node, start), next)
    } else {
      for (let count = min; count < max; count++) start = this.#split([this.#compile(node, start), next])
    }
    for (let count = 0; count < min; count++) start = this.#compile(node, start)
    return start
  }
}
