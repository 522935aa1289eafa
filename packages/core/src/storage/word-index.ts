import { BM25 } from './bm25.ts'

/**
 * An inverted index in memory, ranked by Okapi BM25: Robertson and Zaragoza, "The Probabilistic Relevance Framework"
 * (2009), with a non-negative inverse document frequency.
 */
export class WordIndex<DOCUMENT> {
  /** The term frequency in each document, by term. */
  readonly #postings = new Map<string, Map<DOCUMENT, number>>()
  readonly #lengths = new Map<DOCUMENT, number>()
  #totalLength = 0

  /** @param terms Separated by spaces. A document may be added only once. */
  add(document: DOCUMENT, terms: string): void {
    if (terms === '') return
    const list = terms.split(' ')
    this.#lengths.set(document, list.length)
    this.#totalLength += list.length
    for (const term of list) {
      const documents = this.#postings.get(term) ?? new Map<DOCUMENT, number>()
      this.#postings.set(term, documents)
      documents.set(document, (documents.get(document) ?? 0) + 1)
    }
  }

  remove(document: DOCUMENT, terms: string): void {
    const length = this.#lengths.get(document)
    if (length === undefined) return
    this.#lengths.delete(document)
    this.#totalLength -= length
    for (const term of new Set(terms.split(' '))) {
      const documents = this.#postings.get(term)
      documents?.delete(document)
      if (documents?.size === 0) this.#postings.delete(term)
    }
  }

  /** The documents with one of the terms, and their scores, unordered. */
  search(terms: readonly string[]): Map<DOCUMENT, number> {
    const { k1, b } = BM25
    const scores = new Map<DOCUMENT, number>()
    const count = this.#lengths.size
    const averageLength = this.#totalLength / count
    for (const term of terms) {
      const documents = this.#postings.get(term)
      if (!documents) continue
      const weight = Math.log(1 + (count - documents.size + 0.5) / (documents.size + 0.5))
      for (const [document, frequency] of documents) {
        const length = (this.#lengths.get(document) ?? 0) / averageLength
        const share = (frequency * (k1 + 1)) / (frequency + k1 * (1 - b + b * length))
        scores.set(document, (scores.get(document) ?? 0) + weight * share)
      }
    }
    return scores
  }
}
