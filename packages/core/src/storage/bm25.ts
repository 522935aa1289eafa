/**
 * The parameters of BM25: `k1` is the saturation of term frequency, `b` the penalty for long messages. For short
 * texts the penalty should be lower than for web pages: Trotman, Jia and Crane, "Towards an Efficient and Effective
 * Search Engine" (2012), whose values Lucene's researchers use too.
 */
export const BM25: { readonly k1: number; readonly b: number } = { k1: 0.9, b: 0.4 }
