import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { MillraceError } from '@millrace/core'

/** One thing a speaker said, as the files label it. */
interface Turn {
  conv: string
  /** Turns of different sessions are no neighbours. */
  session: number | string
  /** When the session was; any text that says it. */
  date?: string
  dia_id: string
  speaker: string
  text: string
}

export interface Question {
  conv: string
  category: string
  question: string
  /** The `dia_id`s of the turns that hold the answer. */
  evidence: string[]
  /** Corrections of the labels. */
  audit?: { correct_evidence?: string[] } | null
}

export interface Conversation {
  id: string
  turns: Turn[]
  questions: Question[]
}

/** Questions that have no answer in the conversation. */
const WITHOUT_ANSWER = 'adversarial'

/**
 * The labelled conversations of a folder: `recall_turns` and `recall_questions`, as `.jsonl` or `.jsonl.gz`. Questions
 * whose evidence is not among the turns are left out, and so are those that have none.
 */
export function readConversations(folder: string): Conversation[] {
  const turns = Map.groupBy(readRows<Turn>(folder, 'recall_turns'), ({ conv }) => conv)
  const questions = Map.groupBy(readRows<Question>(folder, 'recall_questions'), ({ conv }) => conv)
  return [...turns].map(([id, turnsOf]) => {
    const known = new Set(turnsOf.map(({ dia_id }) => dia_id))
    return {
      id,
      turns: turnsOf,
      questions: (questions.get(id) ?? [])
        .map((question) => ({ ...question, evidence: evidenceOf(question).filter((id) => known.has(id)) }))
        .filter(({ category, evidence }) => category !== WITHOUT_ANSWER && evidence.length > 0),
    }
  })
}

function evidenceOf({ evidence, audit }: Question): string[] {
  return [...new Set(audit?.correct_evidence ?? evidence)]
}

function readRows<T>(folder: string, name: string): T[] {
  const path = [`${name}.jsonl`, `${name}.jsonl.gz`]
    .map((file) => join(folder, file))
    .find((file) => existsSync(file))
  if (path === undefined) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `The folder '${folder}' has no ${name}.jsonl and no ${name}.jsonl.gz.`,
    )
  }
  const bytes = readFileSync(path)
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T)
}
