import { codePointIn } from '../code-point.ts'
import { type Alphabet, EDGE, UNKNOWN } from './alphabet.ts'
import type { PatternGraph } from './pattern-graph.ts'

/** The state in which no pattern can match any more. */
export const DEAD = 0
/** In {@link Automaton.onward} and {@link Starts.between}: known to lead to the dead state. */
export const NOTHING = 1
/** A transition that is not computed yet. It occupies a state number, so that no real state gets it. */
const UNEXPLORED = 1
/** Flags of a state: a pattern has matched here; a pattern may continue. */
export const ACCEPTS = 1
export const ALIVE = 2

/** Entries in each of the two transition tables: 4 MB. If a text needs more states, the tables are reset. */
const MOST_PLACES = 2 ** 21
const FIRST_SHIFT = 6

/** A state of the deterministic automaton: what can still match, and what has just matched. */
export interface State {
  /** The nodes of the graph that wait for a character. */
  readonly nodes: Int32Array
  /** The class of the character before; -1 if no node tests it. */
  readonly before: number
  /** Patterns that match up to here. */
  readonly accepted: readonly number[]
  /** Patterns that match up to the character before, which only the current character could confirm. */
  readonly acceptedBefore: readonly number[]
}

/** Patterns that must not begin. `key` identifies the list; it is empty for an empty list. */
export interface LeftOut {
  readonly key: string
  readonly patterns: readonly number[]
}

/** The start states of all patterns except those in `without`. */
export interface Starts {
  readonly without: LeftOut
  /**
   * By the class of a character and the class of the next one: the start state between them, or {@link NOTHING}; 0 if
   * {@link Automaton.begin} has not computed it yet.
   */
  readonly between: Uint16Array
  /** By the class of the character before: the start state. */
  readonly after: Uint16Array
}

/** No pattern is excluded. */
export const ALL: LeftOut = { key: '', patterns: [] }

/**
 * The maximum number of combinations with start tables. For others, all patterns begin, and matches of excluded
 * patterns are rejected later.
 */
const MOST_STARTS = 64

const NONE: readonly number[] = []
const NO_NODES = new Int32Array(0)
/** The hash of no nodes and no class before: see {@link PatternGraph.hash}. */
const DEAD_HASH = 0 ^ -1

/**
 * All patterns of a scanner as one automaton that reads every character once: Thompson's construction, with lazy
 * determinization. At every character it tells which patterns end there and whether any can still continue, so it is
 * always known how much text at the end may become a match. All texts of a scanner share it.
 */
export class Automaton {
  readonly alphabet: Alphabet
  /**
   * Transitions of the common case: `onward[(state << shift) + class]` is the next state, or {@link NOTHING}. It is 0
   * if the transition is not computed yet or a pattern has matched; {@link next} handles these.
   */
  onward: Uint16Array = new Uint16Array(0)
  shift: number = FIRST_SHIFT
  flags: Uint8Array = new Uint8Array(0)
  states: State[] = []
  /** Changes when the tables are reset, which invalidates all state numbers. */
  generation = 0
  /** Like {@link onward}, with all computed transitions. */
  #transitions: Uint16Array = new Uint16Array(0)
  #starts: Starts = { without: ALL, between: new Uint16Array(0), after: new Uint16Array(0) }
  /** Start tables by the key of the excluded patterns. */
  readonly #fewer = new Map<string, Starts>()
  /** The start table that was used last. */
  #last: Starts = this.#starts
  readonly #graph: PatternGraph
  /** States by a hash of their nodes. */
  readonly #ids = new Map<number, number[]>()

  constructor(graph: PatternGraph) {
    this.#graph = graph
    this.alphabet = graph.alphabet
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
  classBefore(units: Uint16Array, place: number): number {
    if (place <= 0) return EDGE
    const unit = units[place - 1] as number
    const known = this.alphabet.units[unit] as number
    if (known !== UNKNOWN) return known
    if ((unit & 0xfc00) !== 0xdc00 || place < 2) return this.classOf(unit)
    const codePoint = codePointIn(units, place - 2, place)
    return this.classOf(codePoint > 0xffff ? codePoint : unit)
  }

  /** The start table of all patterns except those in `without`. */
  startsWithout(without: LeftOut): Starts {
    const { key, patterns } = without
    if (key === '') return this.#starts
    if (key === this.#last.without.key) return this.#last
    let starts = this.#fewer.get(key)
    if (!starts) {
      if (this.#fewer.size >= MOST_STARTS) return this.#starts
      starts = this.#newStarts({ key, patterns })
      this.#fewer.set(key, starts)
    }
    this.#last = starts
    return starts
  }

  /** The start state after a character of the given class. */
  start(before: number, { without, after }: Starts = this.#starts): number {
    const known = after[before] as number
    if (known !== UNEXPLORED) return known
    const { generation } = this
    this.#graph.begin(without.patterns)
    const id = this.#intern(before)
    if (generation === this.generation) after[before] = id
    else this.startsWithout(without).after[before] = id
    return id
  }

  /** The start state between characters of these classes; {@link DEAD} if no pattern begins there. */
  begin(before: number, characterClass: number, starts: Starts = this.#starts): number {
    const { generation } = this
    const state = this.start(before, starts)
    const begins = this.next(state, characterClass) !== DEAD
    const isKept = generation === this.generation
    const current = isKept ? starts : this.startsWithout(starts.without)
    const found = !begins ? DEAD : isKept ? state : this.start(before, current)
    current.between[(before << this.shift) + characterClass] = begins ? found : NOTHING
    return found
  }

  /** The state after one more character. The edge as class is the end of the text. */
  next(from: number, characterClass: number): number {
    const known = this.#transitions[(from << this.shift) + characterClass] as number
    return known === UNEXPLORED ? this.#explore(from, characterClass) : known
  }

  #explore(from: number, characterClass: number): number {
    const { nodes, before } = this.states[from] as State
    this.#graph.step(nodes, before, characterClass)
    const { generation } = this
    const id = this.#intern(characterClass)
    if (generation === this.generation) {
      const index = (from << this.shift) + characterClass
      this.#transitions[index] = id
      this.onward[index] = this.flags[id] === ALIVE ? id : id === DEAD ? NOTHING : 0
    }
    return id
  }

  /**
   * The number of the state for the nodes that the graph reached with a character of this class; a new one if needed.
   */
  #intern(characterClass: number): number {
    const { reached, count, looksBack, acceptedBefore } = this.#graph
    const before = looksBack ? characterClass : -1
    const hash = this.#graph.hash ^ before
    const known = this.#ids.get(hash)
    if (known) {
      for (const id of known) {
        const state = this.states[id] as State
        if (state.before !== before || !this.#graph.isReached(state.nodes)) continue
        if (isSame(state.acceptedBefore, acceptedBefore)) return id
      }
    }
    if (this.states.length >= MOST_PLACES >> this.shift) this.#reset()
    return this.#add({ nodes: reached.slice(0, count), before, acceptedBefore }, hash)
  }

  #add({ nodes, before, acceptedBefore }: Omit<State, 'accepted'>, hash: number): number {
    const accepted = this.#graph.acceptedBy(nodes)
    const id = this.states.push({ nodes, before, accepted, acceptedBefore }) - 1
    const others = this.#ids.get(hash)
    if (others) others.push(id)
    else this.#ids.set(hash, [id])
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

  #newStarts(without: LeftOut): Starts {
    return {
      without,
      between: new Uint16Array(1 << (2 * this.shift)),
      after: new Uint16Array(1 << this.shift).fill(UNEXPLORED),
    }
  }

  #reset(): void {
    this.generation++
    this.states = []
    this.#ids.clear()
    this.flags = new Uint8Array(0)
    this.#transitions = new Uint16Array(0)
    this.onward = new Uint16Array(0)
    this.#starts = this.#newStarts(ALL)
    this.#fewer.clear()
    this.#last = this.#starts
    // State 0 is the dead state, state 1 the placeholder of unexplored transitions.
    this.#add({ nodes: NO_NODES, before: -1, acceptedBefore: NONE }, DEAD_HASH)
    this.#transitions.fill(DEAD, 0, 1 << this.shift)
    this.states.push({ nodes: NO_NODES, before: -1, accepted: NONE, acceptedBefore: NONE })
  }
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  if (one.length !== other.length) return false
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false
  return true
}
