/** Shares the current input between threads: another thread can read it if the first one hangs. */
export class CurrentInput {
  static readonly bytes = 65_536
  /** The number of inputs so far, and the length of the last one. */
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
