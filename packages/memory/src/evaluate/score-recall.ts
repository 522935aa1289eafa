import type { Message, Store, StoredMessage } from '@millrace/core'
import { searchMemory } from '../semantic-recall/search-memory.ts'
import type { Conversation, Question } from './conversations.ts'

/** Shares of the evidence among the first k hits, as means over questions. */
export interface RecallScores {
  questions: number
  /** The first k hits alone. */
  hits: Scores
  /** With one neighbour before and after each hit, of the same session. */
  neighbours: Scores
}

interface Scores {
  'R@1': number
  'R@5': number
  'R@10': number
  nDCG: number
}

export interface RecallReport {
  store: string
  all: RecallScores
  categories: Record<string, RecallScores>
  /** Of one search, in milliseconds: median and 95th percentile. */
  latency: { median: number; p95: number }
}

const CUTS = [1, 5, 10] as const

interface Score {
  category: string
  hits: Scores
  neighbours: Scores
  milliseconds: number
}

/** Stores the conversations, each as a thread of a resource of its own, and asks all questions. */
export async function scoreRecall(
  name: string,
  store: Store,
  conversations: readonly Conversation[],
): Promise<RecallReport> {
  for (const conversation of conversations) await save(store, conversation)
  const scores: Score[] = []
  for (const conversation of conversations) {
    const neighbours = neighboursIn(conversation)
    for (const question of conversation.questions) {
      const started = performance.now()
      const { hits } = await searchMemory({
        storage: store,
        embedder: undefined,
        filter: { resourceId: conversation.id },
        query: question.question,
      })
      scores.push({ ...score(question, hits, neighbours), milliseconds: performance.now() - started })
    }
  }
  const byCategory = Map.groupBy(scores, ({ category }) => category)
  const times = scores.map(({ milliseconds }) => milliseconds).sort((left, right) => left - right)
  return {
    store: name,
    all: mean(scores),
    categories: Object.fromEntries([...byCategory].sort().map(([category, own]) => [category, mean(own)])),
    latency: { median: at(times, 0.5), p95: at(times, 0.95) },
  }
}

async function save(store: Store, { id, turns }: Conversation): Promise<void> {
  const messages = turns.map(
    ({ dia_id, speaker, text }, index): Message => ({
      id: dia_id,
      role: speaker === turns[0]?.speaker ? 'user' : 'assistant',
      content: { parts: [{ type: 'text', text: `${speaker}: ${text}` }], metadata: { speaker } },
      createdAt: new Date(index),
    }),
  )
  await store.saveMessages({ threadId: id, resourceId: id, messages })
}

/** The turns before and after each one, in its session. */
function neighboursIn({ turns }: Conversation): Map<string, string[]> {
  return new Map(
    turns.map(({ dia_id, session }, index) => [
      dia_id,
      [turns[index - 1], turns[index + 1]].flatMap((turn) =>
        turn?.session === session ? [turn.dia_id] : [],
      ),
    ]),
  )
}

function score(
  { category, evidence }: Question,
  hits: readonly StoredMessage[],
  neighbours: Map<string, string[]>,
): Omit<Score, 'milliseconds'> {
  const alone = hits.map(({ message }) => [message.id])
  const widened = hits.map(({ message }) => [message.id, ...(neighbours.get(message.id) ?? [])])
  return { category, hits: scoresOf(alone, evidence), neighbours: scoresOf(widened, evidence) }
}

/** `ranked`: what each hit brings, best hit first. */
function scoresOf(ranked: readonly (readonly string[])[], evidence: readonly string[]): Scores {
  const wanted = new Set(evidence)
  const recall = (count: number): number => {
    const found = new Set(ranked.slice(0, count).flat())
    return evidence.filter((id) => found.has(id)).length / evidence.length
  }
  const [one, five, ten] = CUTS.map(recall) as [number, number, number]
  return { 'R@1': one, 'R@5': five, 'R@10': ten, nDCG: nDCG(ranked.slice(0, 10), wanted) }
}

/** Järvelin and Kekäläinen (2002), over the first ten hits: a hit gains by the evidence that no earlier one brought. */
function nDCG(ranked: readonly (readonly string[])[], wanted: ReadonlySet<string>): number {
  const left = new Set(wanted)
  let gain = 0
  for (const [rank, ids] of ranked.entries()) {
    for (const id of ids) if (left.delete(id)) gain += 1 / Math.log2(rank + 2)
  }
  let best = 0
  for (let rank = 0; rank < Math.min(wanted.size, 10); rank++) best += 1 / Math.log2(rank + 2)
  return Math.min(1, gain / best)
}

function mean(scores: readonly Score[]): RecallScores {
  const meanOf = (of: (score: Score) => Scores): Scores => {
    const average = (name: keyof Scores): number =>
      scores.reduce((sum, score) => sum + of(score)[name], 0) / scores.length
    return { 'R@1': average('R@1'), 'R@5': average('R@5'), 'R@10': average('R@10'), nDCG: average('nDCG') }
  }
  return {
    questions: scores.length,
    hits: meanOf(({ hits }) => hits),
    neighbours: meanOf(({ neighbours }) => neighbours),
  }
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
