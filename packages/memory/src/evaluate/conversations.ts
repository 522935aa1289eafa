import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { MillraceError } from '@millrace/core'

/** One row of `recall_turns`. */
interface TurnRow {
  conv: string
  session: number | string
  /** The start of the session, such as `2026-05-08 13:56` or `1:56 pm on 8 May, 2026`. */
  date?: string | null
  dia_id: string
  speaker: string
  text: string
  image_caption?: string | null
}

export interface Turn {
  id: string
  speaker: string
  text: string
  createdAt: Date
}

export interface Question {
  conv: string
  category: string
  question: string
  /** The `dia_id`s of the turns that contain the answer. */
  evidence: string[]
  /** Corrections of the labels. They replace `evidence`. */
  audit?: { correct_evidence?: string[] } | null
}

export interface Conversation {
  id: string
  turns: Turn[]
  questions: Question[]
}

/** The category of questions whose answer is not in the conversation. */
const UNANSWERABLE = 'adversarial'

/**
 * The files have a time for each session, not for each turn. Turns are dated this many milliseconds apart.
 */
const TURN_INTERVAL = 60_000

/** Milliseconds between two sessions of a conversation without dates. */
const SESSION_INTERVAL = 86_400_000

/**
 * Reads the labeled conversations of a folder: `recall_turns` and `recall_questions`, as `.jsonl` or
 * `.jsonl.gz`. Skips questions without evidence, and questions whose evidence is not among the turns. With
 * `captions`, the caption of a turn's picture is appended to its text.
 */
export function readConversations(
  folder: string,
  { captions = false }: { captions?: boolean } = {},
): Conversation[] {
  const turns = Map.groupBy(readRows<TurnRow>(folder, 'recall_turns'), ({ conv }) => conv)
  const questions = Map.groupBy(readRows<Question>(folder, 'recall_questions'), ({ conv }) => conv)
  return [...turns].map(([id, turnsOf]) => {
    const known = new Set(turnsOf.map(({ dia_id }) => dia_id))
    return {
      id,
      turns: toTurns(turnsOf, captions),
      questions: (questions.get(id) ?? [])
        .map((question) => ({ ...question, evidence: evidenceOf(question).filter((id) => known.has(id)) }))
        .filter(({ category, evidence }) => category !== UNANSWERABLE && evidence.length > 0),
    }
  })
}

function toTurns(rows: readonly TurnRow[], captions: boolean): Turn[] {
  const sessions = [...new Set(rows.map(({ session }) => session))]
  const begun = new Map<TurnRow['session'], number>()
  return rows.map(({ session, date, dia_id, speaker, text, image_caption }) => {
    const start = date ? timeOf(date) : sessions.indexOf(session) * SESSION_INTERVAL
    const turn = begun.get(session) ?? 0
    begun.set(session, turn + 1)
    return {
      id: dia_id,
      speaker,
      text: captions && image_caption ? `${text}\n[${image_caption}]` : text,
      createdAt: new Date(start + turn * TURN_INTERVAL),
    }
  })
}

/** @throws MillraceError `CONFIG_INVALID` if the date cannot be parsed */
function timeOf(date: string): number {
  const [, time = '', day = date] = /^(.*) on (.*)$/.exec(date) ?? []
  const milliseconds = Date.parse(`${day} ${time} UTC`)
  if (!Number.isNaN(milliseconds)) return milliseconds
  throw new MillraceError(
    'CONFIG_INVALID',
    `The date of a session is '${date}'. Write it as '2026-05-08 13:56' or '1:56 pm on 8 May, 2026'.`,
  )
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
