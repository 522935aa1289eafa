const DIMENSIONS = 384

/** The number of independent directions: embeddings of texts use few of their dimensions. */
const TOPICS = 32

/** The share of noise in a vector. */
const NOISE = 0.1

/** Vectors of length 1 with a distribution like that of text embeddings, the same in every run. */
export class EmbeddedTexts {
  #seed = 1
  readonly #topics: readonly Float32Array[]

  constructor() {
    this.#topics = Array.from({ length: TOPICS }, () => this.#normals(DIMENSIONS))
  }

  next(): Float32Array<ArrayBuffer> {
    const vector = this.#normals(DIMENSIONS).map((value) => value * NOISE)
    for (const topic of this.#topics) {
      const share = this.#normal()
      for (let index = 0; index < DIMENSIONS; index++) {
        vector[index] = (vector[index] ?? 0) + (share * (topic[index] ?? 0)) / Math.sqrt(TOPICS)
      }
    }
    const length = Math.hypot(...vector)
    return vector.map((value) => value / length)
  }

  #normals(count: number): Float32Array<ArrayBuffer> {
    return Float32Array.from({ length: count }, () => this.#normal())
  }

  /** A normally distributed number, with the Box–Muller transform. */
  #normal(): number {
    return Math.sqrt(-2 * Math.log(this.#random())) * Math.cos(2 * Math.PI * this.#random())
  }

  /** A random number, with the Park–Miller generator. */
  #random(): number {
    this.#seed = (this.#seed * 16_807) % 2_147_483_647
    return this.#seed / 2_147_483_647
  }
}
