import { type Alphabet, EDGE, UNKNOWN } from './alphabet.ts'
import type { PatternGraph } from './pattern-graph.ts'

/** The state from which nothing matches any more. */
export const DEAD = 0
/** In {@link Automaton.onward} and {@link Starts.between}: known to lead nowhere. */
export const NOTHING = 1
/** Not known yet. It has a place in the tables, so that no state has its number. */
const UNEXPLORED = 1
/** Flags of a state: some pattern is matched here, and the match may continue. */
export const ACCEPTS = 1
export const ALIVE = 2

/** Places in each of the two tables: 4 MB. A text that needs more states begins them anew. */
const MOST_PLACES = 2 ** 21
const FIRST_SHIFT = 6

/** What can still be matched, and what just was. */
export interface State {
  /** Where the run stands: nodes that wait for a character. */
  readonly nodes: Int32Array
  /** The class of the character before; -1 where no waiting node asks for it. */
  readonly before: number
  /** Patterns matched up to here. */
  readonly accepted: readonly number[]
  /** Patterns matched up to the character before, now that this one is known. */
  readonly acceptedBefore: readonly number[]
}

/** Patterns that do not begin. `key` is the same for the same ones, and empty for none. */
export interface LeftOut {
  readonly key: string
  readonly patterns: readonly number[]
}

/** Where runs begin, of all patterns but some. */
export interface Starts {
  readonly without: LeftOut
  /**
   * By the classes of a character and the one after: the state in which a run begins between them, or {@link NOTHING}; 0
   * where {@link Automaton.begin} is to say it.
   */
  readonly between: Uint16Array
  /** By the class of the character before: the state. */
  readonly after: Uint16Array
}

/** None of the patterns is left out. */
export const ALL: LeftOut = { key: '', patterns: [] }

/** Of more combinations, the patterns of others begin where they are not to, which is noticed later. */
const MOST_STARTS = 64

const NONE: readonly number[] = []
const NO_NODES = new Int32Array(0)
/** Of no nodes, and no class before: see {@link PatternGraph.hash}. */
const DEAD_HASH = 0 ^ -1

/**
 * All patterns of a scanner as one machine that reads every character once: Thompson's construction, made
 * deterministic as far as the text needs it. It says at every character which patterns end there and whether any can
 * still continue, so no caller needs to know how much of a text's tail may become a match. Shared by all texts of a scanner.
 */
export class Automaton {
  readonly alphabet: Alphabet
  /**
   * What most characters take, by state and class: `onward[(state << shift) + class]` is the state after it, or
   * {@link NOTHING}. Where that is not known yet, or a pattern was matched, it is 0, and {@link next} says more.
   */
  onward: Uint16Array = new Uint16Array(0)
  shift: number = FIRST_SHIFT
  flags: Uint8Array = new Uint8Array(0)
  states: State[] = []
  /** Changes when state numbers lose their meaning. */
  generation = 0
  /** As {@link onward}, all that is known. */
  #transitions: Uint16Array = new Uint16Array(0)
  #starts: Starts = { without: ALL, between: new Uint16Array(0), after: new Uint16Array(0) }
  /** By the patterns that are left out. */
  readonly #fewer = new Map<string, Starts>()
  /** Of these, what was asked for last. */
  #last: Starts = this.#starts
  readonly #graph: PatternGraph
  /** States by a hash of what they are. */
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
  classBefore(text: string, place: number): number {
    if (place <= 0) return EDGE
    const unit = text.charCodeAt(place - 1)
    const known = this.alphabet.units[unit] as number
    if (known !== UNKNOWN) return known
    if ((unit & 0xfc00) !== 0xdc00 || place < 2) return this.classOf(unit)
    const codePoint = text.codePointAt(place - 2) as number
    return this.classOf(codePoint > 0xffff ? codePoint : unit)
  }

  /** Where runs begin, of all patterns but some. */
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

  /** The state in which a run begins after a character of the given class. */
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

  /** The state in which a run begins between characters of these classes; {@link DEAD} where nothing begins. */
  begin(before: number, characterClass: number, starts: Starts = this.#starts): number {
    const { generation } = this
    const state = this.start(before, starts)
    const begins = this.next(state, characterClass) !== DEAD
    const isKept = generation === this.generation
    const left = isKept ? starts : this.startsWithout(starts.without)
    const found = !begins ? DEAD : isKept ? state : this.start(before, left)
    left.between[(before << this.shift) + characterClass] = begins ? found : NOTHING
    return found
  }

  /** The state after one more character, or after the end of the text if its class is the edge. */
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

  /** The state of what the graph has reached, by a character of a class. */
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
    // The dead state, and the unexplored one.
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
