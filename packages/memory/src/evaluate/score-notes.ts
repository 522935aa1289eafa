import type { LanguageModel, Store } from '@millrace/core'
import { countTokens } from '@millrace/tokens'
import { Memory } from '../memory.ts'
import { lineOf } from '../observations/observation.ts'
import type { Observer, Reflector } from '../observations/take-notes.ts'
import { searchMemory } from '../semantic-recall/search-memory.ts'
import type { Conversation } from './conversations.ts'
import { toMessages } from './score-recall.ts'

/** Number of turns that recall returns, in addition to the notes. */
const RECALLED_TURNS = 10

/** Mean share of the evidence that each method finds. */
interface NotesScores {
  questions: number
  /** By the sources of the notes. */
  notes: number
  /** By recall. */
  recall: number
  /** By either of them. */
  both: number
}

export interface NotesReport {
  all: NotesScores
  categories: Record<string, NotesScores>
  /** Number of notes at the end, over all conversations, and the tokens they take. */
  notes: { count: number; tokens: number }
}

/** Takes the notes: a model, or functions. */
export interface NoteTakers {
  model?: LanguageModel | undefined
  observe?: Observer | undefined
  reflect?: Reflector | undefined
  /** Token limit for the notes of one conversation. Default: 4,000. */
  maxTokens?: number | undefined
}

/**
 * Stores the conversations, takes notes of each one, and measures how much of each question's evidence the
 * notes and recall find.
 */
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
      const shown = new Set(hits.slice(0, RECALLED_TURNS).map(({ message }) => message.id))
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

/** Formats a report as a Markdown table, one row per category. */
export function notesTable({ all, categories, notes }: NotesReport): string {
  const rows = Object.entries({ all, ...categories }).map(
    ([category, { questions, notes: named, recall, both }]) =>
      `| ${category} | ${questions} | ${[named, recall, both].map((share) => share.toFixed(3)).join(' | ')} |`,
  )
  return [
    `## Notes: ${notes.count}, in ${notes.tokens} tokens`,
    '',
    `| questions | | named by notes | among ${RECALLED_TURNS} recalled | either |`,
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
