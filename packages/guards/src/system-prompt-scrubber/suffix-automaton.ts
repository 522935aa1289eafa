const NONE = -1

/**
 * A suffix automaton: represents every substring of a sequence of symbols, in linear space and time. For another
 * sequence read symbol by symbol, its state is the longest suffix that occurs in the first (Blumer et al. 1985, "The
 * smallest automaton recognizing the subwords of a text").
 */
export class SuffixAutomaton {
  /** By state: the length of its longest substring. */
  readonly length: Int32Array
  /** By state: its suffix link, the state of the longest suffix that belongs to another state. */
  readonly link: Int32Array
  /** By state: the first position where its substrings end. */
  readonly end: Int32Array
  readonly #firstEdge: Int32Array
  readonly #nextEdge: Int32Array
  readonly #symbol: Int32Array
  readonly #target: Int32Array
  /** Edges of the root, in a map: there may be one for each symbol, too many for a linear search. */
  readonly #fromRoot = new Map<number, number>()
  #states = 1
  #edges = 0

  constructor(symbols: ArrayLike<number>) {
    const states = Math.max(2, 2 * symbols.length)
    const edges = 3 * symbols.length + 1
    this.length = new Int32Array(states)
    this.link = new Int32Array(states).fill(NONE)
    this.end = new Int32Array(states).fill(NONE)
    this.#firstEdge = new Int32Array(states).fill(NONE)
    this.#nextEdge = new Int32Array(edges)
    this.#symbol = new Int32Array(edges)
    this.#target = new Int32Array(edges)
    let last = 0
    for (let place = 0; place < symbols.length; place++) last = this.#extend(last, symbols[place] as number)
  }

  /** The state after a symbol, or -1. */
  next(state: number, symbol: number): number {
    if (state === 0) return this.#fromRoot.get(symbol) ?? NONE
    const edge = this.#edge(state, symbol)
    return edge === NONE ? NONE : (this.#target[edge] as number)
  }

  #edge(state: number, symbol: number): number {
    let edge = this.#firstEdge[state] as number
    while (edge !== NONE && this.#symbol[edge] !== symbol) edge = this.#nextEdge[edge] as number
    return edge
  }

  #set(state: number, symbol: number, target: number): void {
    if (state === 0) {
      this.#fromRoot.set(symbol, target)
      return
    }
    const known = this.#edge(state, symbol)
    if (known !== NONE) this.#target[known] = target
    else this.#append(state, symbol, target)
  }

  #append(state: number, symbol: number, target: number): void {
    const edge = this.#edges++
    this.#symbol[edge] = symbol
    this.#target[edge] = target
    this.#nextEdge[edge] = this.#firstEdge[state] as number
    this.#firstEdge[state] = edge
  }

  #extend(last: number, symbol: number): number {
    const { length, link, end } = this
    const added = this.#states++
    length[added] = (length[last] as number) + 1
    end[added] = (length[added] as number) - 1
    let state = last
    while (state !== NONE && this.next(state, symbol) === NONE) {
      this.#set(state, symbol, added)
      state = link[state] as number
    }
    if (state === NONE) {
      link[added] = 0
      return added
    }
    const target = this.next(state, symbol)
    if ((length[state] as number) + 1 === length[target]) {
      link[added] = target
      return added
    }
    const copy = this.#copy(target, (length[state] as number) + 1)
    while (state !== NONE && this.next(state, symbol) === target) {
      this.#set(state, symbol, copy)
      state = link[state] as number
    }
    link[target] = copy
    link[added] = copy
    return added
  }

  #copy(original: number, length: number): number {
    const copy = this.#states++
    this.length[copy] = length
    this.link[copy] = this.link[original] as number
    this.end[copy] = this.end[original] as number
    for (let edge = this.#firstEdge[original] as number; edge !== NONE; ) {
      this.#append(copy, this.#symbol[edge] as number, this.#target[edge] as number)
      edge = this.#nextEdge[edge] as number
    }
    return copy
  }
}

/** Walks an automaton symbol by symbol, with the length of the longest suffix that matches. */
export class AutomatonWalk {
  readonly #automaton: SuffixAutomaton
  state = 0
  length = 0

  constructor(automaton: SuffixAutomaton) {
    this.#automaton = automaton
  }

  reset(): void {
    this.state = 0
    this.length = 0
  }

  read(symbol: number): void {
    const automaton = this.#automaton
    let { state } = this
    let next = automaton.next(state, symbol)
    while (next === NONE && state !== 0) {
      state = automaton.link[state] as number
      this.length = automaton.length[state] as number
      next = automaton.next(state, symbol)
    }
    this.state = next === NONE ? 0 : next
    this.length = next === NONE ? 0 : this.length + 1
  }
}
