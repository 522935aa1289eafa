const DIMENSIONS = 384

/** Of how many independent directions what texts say is made: embeddings of texts use few of their dimensions. */
const TOPICS = 32

/** How much of a vector is nothing but noise. */
const NOISE = 0.1

/** Vectors of length 1 that lie as those of texts do, the same in every run. */
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

  /** Box and Muller's transform. */
  #normal(): number {
    return Math.sqrt(-2 * Math.log(this.#random())) * Math.cos(2 * Math.PI * this.#random())
  }

  /** Park and Miller's generator. */
  #random(): number {
    this.#seed = (this.#seed * 16_807) % 2_147_483_647
    return this.#seed / 2_147_483_647
  }
}
