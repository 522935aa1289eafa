/** The input under test, written by one thread and read by another when the first does not answer any more. */
export class CurrentInput {
  static readonly bytes = 65_536
  /** How many inputs there have been, and the length of the last. */
  readonly #header: Int32Array
  readonly #text: Buffer

  constructor(shared: SharedArrayBuffer) {
    this.#header = new Int32Array(shared, 0, 2)
    this.#text = Buffer.from(shared, 8)
  }

  write(input: unknown): void {
    this.#header[1] = this.#text.write(JSON.stringify(input))
    Atomics.add(this.#header, 0, 1)
  }

  /** Changes with every input. */
  get count(): number {
    return Atomics.load(this.#header, 0)
  }

  read(): unknown {
    return JSON.parse(this.#text.toString('utf8', 0, this.#header[1]))
  }
}
