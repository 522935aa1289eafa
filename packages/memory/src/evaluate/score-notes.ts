import type { LanguageModel, Store } from '@millrace/core'
import { countTokens } from '@millrace/processors/token-limiter'
import { Memory } from '../memory.ts'
import { lineOf } from '../observations/observation.ts'
import type { Observer, Reflector } from '../observations/take-notes.ts'
import { searchMemory } from '../semantic-recall/search-memory.ts'
import type { Conversation } from './conversations.ts'
import { toMessages } from './score-recall.ts'

/** How many turns recall shows beside the notes. */
const TURNS_BESIDE = 10

/** Means over questions: the share of the evidence that is shown. */
interface NotesScores {
  questions: number
  /** Turns that a note names as its source. */
  notes: number
  /** Turns that recall shows. */
  recall: number
  /** Turns that either does. */
  both: number
}

export interface NotesReport {
  all: NotesScores
  categories: Record<string, NotesScores>
  /** Of all conversations: how many notes there are in the end, and what they take. */
  notes: { count: number; tokens: number }
}

/** Who takes notes: a model, or functions. */
export interface NoteTakers {
  model?: LanguageModel | undefined
  observe?: Observer | undefined
  reflect?: Reflector | undefined
  /** Of all notes of a conversation. Default: 4,000. */
  maxTokens?: number | undefined
}

/** Stores the conversations, has notes taken of each, and asks which turns with answers they and recall lead to. */
export async function scoreNotes(
  store: Store,
  { conversations, ...takers }: NoteTakers & { conversations: readonly Conversation[] },
): Promise<NotesReport> {
  const scores: (NotesScores & { category: string })[] = []
  const notes = { count: 0, tokens: 0 }
  for (const { id, turns, questions } of conversations) {
    const key = { threadId: id, resourceId: id }
    const memory = new Memory({ storage: store, observations: { countTokens, ...takers } })
    await store.saveMessages({ ...key, messages: toMessages(turns) })
    const taken = await memory.observe(key)
    notes.count += taken.length
    for (const note of taken) notes.tokens += await countTokens(lineOf(note))
    const named = new Set(taken.flatMap(({ sources }) => sources.flatMap(({ messageIds }) => messageIds)))
    for (const { question: query, category, evidence } of questions) {
      const { hits } = await searchMemory({
        storage: store,
        embedder: undefined,
        filter: { resourceId: id },
        query,
      })
      const shown = new Set(hits.slice(0, TURNS_BESIDE).map(({ message }) => message.id))
      const share = (isShown: (id: string) => boolean): number =>
        evidence.filter(isShown).length / evidence.length
      scores.push({
        questions: 1,
        category,
        notes: share((each) => named.has(each)),
        recall: share((each) => shown.has(each)),
        both: share((each) => named.has(each) || shown.has(each)),
      })
    }
  }
  const byCategory = [...Map.groupBy(scores, ({ category }) => category)].sort()
  return {
    all: meanOf(scores),
    categories: Object.fromEntries(byCategory.map(([category, own]) => [category, meanOf(own)])),
    notes,
  }
}

/** As a Markdown table, a line for each category. */
export function notesTable({ all, categories, notes }: NotesReport): string {
  const rows = Object.entries({ all, ...categories }).map(
    ([category, { questions, notes: named, recall, both }]) =>
      `| ${category} | ${questions} | ${[named, recall, both].map((share) => share.toFixed(3)).join(' | ')} |`,
  )
  return [
    `## Notes: ${notes.count}, in ${notes.tokens} tokens`,
    '',
    `| questions | | named by notes | among ${TURNS_BESIDE} recalled | either |`,
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

function meanOf(scores: readonly NotesScores[]): NotesScores {
  const mean = (of: (score: NotesScores) => number): number =>
    scores.reduce((sum, score) => sum + of(score), 0) / Math.max(scores.length, 1)
  return {
    questions: scores.length,
    notes: mean(({ notes }) => notes),
    recall: mean(({ recall }) => recall),
    both: mean(({ both }) => both),
  }
}
