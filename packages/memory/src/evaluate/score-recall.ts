import type { Message, Store, StoredMessage } from '@millrace/core'
import { countTokens } from '@millrace/tokens'
import { backfill } from '../semantic-recall/backfill.ts'
import { Embedder, type EmbeddingModel } from '../semantic-recall/embedder.ts'
import { lineOf } from '../semantic-recall/recalled-message.ts'
import { searchMemory } from '../semantic-recall/search-memory.ts'
import type { Conversation, Question, Turn } from './conversations.ts'

/** Recall is measured at these numbers of turns, and at these numbers of tokens. */
export const TURNS_SHOWN = [1, 5, 10, 20] as const
export const TOKENS_SHOWN = [500, 1_000] as const

/** Means over all questions. */
export interface RecallScores {
  questions: number
  /** Recall at k: the share of the evidence among the first k turns. Neighbors count as turns. */
  turns: Record<(typeof TURNS_SHOWN)[number], number>
  /**
   * The share of the evidence among the first turns that fit into this many tokens, as formatted in the
   * prompt.
   */
  tokens: Record<(typeof TOKENS_SHOWN)[number], number>
  /** Mean reciprocal rank: 1 / rank of the first turn that is evidence, 0 if there is none. */
  MRR: number
}

export interface RecallReport {
  store: string
  all: RecallScores
  categories: Record<string, RecallScores>
  /** Milliseconds per search: median and 95th percentile. */
  latency: { median: number; p95: number }
}

interface Score extends Omit<RecallScores, 'questions'> {
  category: string
  milliseconds: number
}

/** Stores each conversation as a thread of its own resource, and runs all questions against it. */
export async function scoreRecall(
  name: string,
  store: Store,
  {
    conversations,
    embedder,
  }: { conversations: readonly Conversation[]; embedder?: EmbeddingModel | undefined },
): Promise<RecallReport> {
  const scores: Score[] = []
  for (const { id, turns, questions } of conversations) {
    await store.saveMessages({ threadId: id, resourceId: id, messages: toMessages(turns) })
    if (embedder) await backfill({ storage: store, embedder }, { resourceId: id })
    for (const question of questions) {
      const started = performance.now()
      const { hits, failure } = await searchMemory({
        storage: store,
        embedder: embedder && Embedder.of(embedder),
        filter: { resourceId: id },
        query: question.question,
      })
      if (failure !== undefined) throw failure
      const milliseconds = performance.now() - started
      scores.push({ ...(await scoreOf(question, hits)), milliseconds })
    }
  }
  const byCategory = Map.groupBy(scores, ({ category }) => category)
  const times = scores.map(({ milliseconds }) => milliseconds).sort((left, right) => left - right)
  return {
    store: name,
    all: meanOf(scores),
    categories: Object.fromEntries([...byCategory].sort().map(([category, own]) => [category, meanOf(own)])),
    latency: { median: at(times, 0.5), p95: at(times, 0.95) },
  }
}

/** The first speaker becomes the user, every other speaker the assistant. */
export function toMessages(turns: readonly Turn[]): Message[] {
  return turns.map(({ id, speaker, text, createdAt }) => ({
    id,
    role: speaker === turns[0]?.speaker ? 'user' : 'assistant',
    content: { parts: [{ type: 'text', text }], metadata: { speaker } },
    createdAt,
  }))
}

async function scoreOf(
  { category, evidence }: Question,
  hits: readonly StoredMessage[],
): Promise<Omit<Score, 'milliseconds'>> {
  const wanted = new Set(evidence)
  const isEvidence = ({ message }: StoredMessage): boolean => wanted.has(message.id)
  const recall = (count: number): number => hits.slice(0, count).filter(isEvidence).length / wanted.size
  const first = hits.findIndex(isEvidence)
  const sizes = await tokensUpTo(hits)
  return {
    category,
    turns: recordOf(TURNS_SHOWN, recall),
    tokens: recordOf(TOKENS_SHOWN, (budget) => recall(sizes.filter((size) => size <= budget).length)),
    MRR: first < 0 ? 0 : 1 / (first + 1),
  }
}

/** Cumulative token counts of the hits, up to the first count that exceeds the highest limit. */
async function tokensUpTo(hits: readonly StoredMessage[]): Promise<number[]> {
  const sizes: number[] = []
  let tokens = 0
  for (const { message } of hits) {
    tokens += await countTokens(`${lineOf(message)}\n`)
    sizes.push(tokens)
    if (tokens > Math.max(...TOKENS_SHOWN)) break
  }
  return sizes
}

function meanOf(scores: readonly Score[]): RecallScores {
  const mean = (of: (score: Score) => number): number =>
    scores.reduce((sum, score) => sum + of(score), 0) / scores.length
  return {
    questions: scores.length,
    turns: recordOf(TURNS_SHOWN, (count) => mean(({ turns }) => turns[count])),
    tokens: recordOf(TOKENS_SHOWN, (count) => mean(({ tokens }) => tokens[count])),
    MRR: mean(({ MRR }) => MRR),
  }
}

function recordOf<K extends number>(keys: readonly K[], of: (key: K) => number): Record<K, number> {
  return Object.fromEntries(keys.map((key) => [key, of(key)])) as Record<K, number>
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
