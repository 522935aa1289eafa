import type { EmbeddingModel } from '../src/semantic-recall/embedder.ts'

/** Words of one line mean the same. */
const CONCEPTS = [
  ['dog', 'puppy', 'hound', 'pet'],
  ['car', 'automobile', 'vehicle', 'drive'],
  ['invoice', 'bill', 'payment'],
  ['holiday', 'vacation', 'trip'],
]

/** An embedding model that knows a few concepts, and records what it was asked for. */
export class ConceptEmbedder implements EmbeddingModel {
  readonly provider = 'scripted'
  readonly modelId: string
  readonly maxEmbeddingsPerCall: number
  readonly calls: string[][] = []
  /** Makes the next calls reject. */
  error: Error | undefined

  constructor({
    modelId = 'concepts',
    maxEmbeddingsPerCall = 100,
  }: { modelId?: string; maxEmbeddingsPerCall?: number } = {}) {
    this.modelId = modelId
    this.maxEmbeddingsPerCall = maxEmbeddingsPerCall
  }

  async doEmbed({ values }: { values: string[] }): Promise<{ embeddings: number[][] }> {
    this.calls.push(values)
    if (this.error) throw this.error
    return { embeddings: values.map(vectorOf) }
  }
}

function vectorOf(text: string): number[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? []
  const counts = CONCEPTS.map((concept) => words.filter((word) => concept.includes(word)).length)
  return [...counts, 0.1]
}
