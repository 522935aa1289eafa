import { MillraceError } from '@millrace/core'

/** An embedding model of the AI SDK, of whatever version of its contract. */
export interface EmbeddingModel {
  readonly provider: string
  readonly modelId: string
  /** How many texts one call may have. */
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined
  doEmbed(options: {
    values: string[]
    abortSignal?: AbortSignal
  }): PromiseLike<{ embeddings: (readonly number[])[] }>
}

/** Texts per call where the model does not say how many it takes. */
const DEFAULT_BATCH = 100

/** How many vectors are kept: a query is asked for again when its turn is stored. */
const CACHE_SIZE = 256

/** Longer texts are cut: embedding models refuse them, or do so themselves. */
const MAX_CHARACTERS = 8_000

/** Turns texts into vectors, in batches, and remembers the last ones. */
export class Embedder {
  static readonly #byModel = new WeakMap<EmbeddingModel, Embedder>()

  /**
   * The one of a model: whoever asks for its vectors remembers them for all.
   *
   * @throws MillraceError `CONFIG_INVALID`
   */
  static of(model: EmbeddingModel): Embedder {
    if (typeof model?.doEmbed !== 'function') {
      throw new MillraceError(
        'CONFIG_INVALID',
        'embedder must be an embedding model of the AI SDK, such as openai.embeddingModel(…), and has no doEmbed().',
      )
    }
    const embedder = Embedder.#byModel.get(model) ?? new Embedder(model)
    Embedder.#byModel.set(model, embedder)
    return embedder
  }

  /** What vectors are stored under: those of other models are never compared with these. */
  readonly name: string
  readonly #model: EmbeddingModel
  readonly #cache = new Map<string, readonly number[]>()

  /** See `of`. */
  private constructor(model: EmbeddingModel) {
    this.#model = model
    this.name = `${model.provider}/${model.modelId}`
  }

  /**
   * One vector for each text, in order.
   *
   * @throws MillraceError `MODEL_OUTPUT_INVALID`, or whatever the model throws
   */
  async embed(
    uncut: readonly string[],
    { abortSignal }: { abortSignal?: AbortSignal } = {},
  ): Promise<(readonly number[])[]> {
    const texts = uncut.map((text) => text.slice(0, MAX_CHARACTERS).toWellFormed())
    const found = new Map<string, readonly number[]>()
    const missing = new Set<string>()
    for (const text of texts) {
      const vector = this.#cache.get(text)
      if (vector) found.set(text, vector)
      else missing.add(text)
    }
    const batchSize = Math.max(1, (await this.#model.maxEmbeddingsPerCall) ?? DEFAULT_BATCH)
    const waiting = [...missing]
    for (let start = 0; start < waiting.length; start += batchSize) {
      const values = waiting.slice(start, start + batchSize)
      const { embeddings } = await this.#model.doEmbed({ values, ...(abortSignal && { abortSignal }) })
      if (embeddings.length !== values.length) throw miscounted(values.length, embeddings.length)
      if (!embeddings.every(isVector)) throw notAVector()
      for (const [index, text] of values.entries()) {
        const vector = embeddings[index] as readonly number[]
        found.set(text, vector)
        this.#remember(text, vector)
      }
    }
    return texts.map((text) => found.get(text) as readonly number[])
  }

  #remember(text: string, vector: readonly number[]): void {
    this.#cache.set(text, vector)
    if (this.#cache.size <= CACHE_SIZE) return
    for (const oldest of this.#cache.keys()) {
      this.#cache.delete(oldest)
      break
    }
  }
}

function isVector(embedding: ArrayLike<number> | undefined): boolean {
  return embedding !== undefined && embedding.length > 0 && Array.from(embedding).every(Number.isFinite)
}

function notAVector(): MillraceError {
  return new MillraceError(
    'MODEL_OUTPUT_INVALID',
    'The embedding model returned a value that is not a list of finite numbers. Nothing was stored.',
  )
}

function miscounted(asked: number, got: number): MillraceError {
  return new MillraceError(
    'MODEL_OUTPUT_INVALID',
    `The embedding model was given ${asked} texts and returned ${got} vectors. Nothing was stored.`,
  )
}
