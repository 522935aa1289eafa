import { MillraceError } from '@millrace/core'

/** An embedding model of the AI SDK, of any version of its specification. */
export interface EmbeddingModel {
  readonly provider: string
  readonly modelId: string
  /** Maximum number of texts per call. */
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined
  doEmbed(options: {
    values: string[]
    abortSignal?: AbortSignal
  }): PromiseLike<{ embeddings: (readonly number[])[] }>
}

/** Texts per call if the model does not state a maximum. */
const DEFAULT_BATCH = 100

/** Number of cached vectors. The vector of a query is needed again when its turn is stored. */
const CACHE_SIZE = 256

/** Longer texts are cut, because embedding models reject or cut them. */
const MAX_CHARACTERS = 8_000

/** Turns texts into vectors, in batches, with a cache of the last ones. */
export class Embedder {
  static readonly #byModel = new WeakMap<EmbeddingModel, Embedder>()

  /**
   * The embedder of a model. All users of a model share one embedder and its cache.
   *
   * @throws MillraceError `CONFIG_INVALID`
   */
  static of(model: EmbeddingModel): Embedder {
    if (typeof model?.doEmbed !== 'function') {
      throw new MillraceError(
        'CONFIG_INVALID',
        'embedder has no doEmbed(). Pass an embedding model of the AI SDK, such as openai.embeddingModel(…).',
      )
    }
    const embedder = Embedder.#byModel.get(model) ?? new Embedder(model)
    Embedder.#byModel.set(model, embedder)
    return embedder
  }

  /** Vectors are stored under this name. Vectors of different models are never compared. */
  readonly name: string
  readonly #model: EmbeddingModel
  readonly #cache = new Map<string, readonly number[]>()

  /** Use `of`. */
  private constructor(model: EmbeddingModel) {
    this.#model = model
    this.name = `${model.provider}/${model.modelId}`
  }

  /**
   * Returns one vector per text, in order.
   *
   * @throws MillraceError `MODEL_OUTPUT_INVALID`, or any error of the model
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
      if (embeddings.length !== values.length) throw vectorCountMismatch(values.length, embeddings.length)
      if (!embeddings.every(isVector)) throw invalidVector()
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

function invalidVector(): MillraceError {
  return new MillraceError(
    'MODEL_OUTPUT_INVALID',
    'The embedding model returned a vector that is not a list of finite numbers. Nothing was stored.',
  )
}

function vectorCountMismatch(asked: number, got: number): MillraceError {
  return new MillraceError(
    'MODEL_OUTPUT_INVALID',
    `The embedding model received ${asked} texts, but returned ${got} vectors. Nothing was stored.`,
  )
}
