/**
 * The parameters of BM25: `k1` says how fast more of the same word stops to count, `b` how much longer messages are held
 * back. Of short texts they should be held back less than of web pages: Trotman, Jia and Crane, "Towards an Efficient and
 * Effective Search Engine" (2012), whose values Lucene's researchers use too.
 */
export const BM25: { readonly k1: number; readonly b: number } = { k1: 0.9, b: 0.4 }
