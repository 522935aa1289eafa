import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { LanguageModel } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import type { EmbeddingModel } from '../semantic-recall/embedder.ts'
import { readConversations } from './conversations.ts'
import { toMarkdown } from './recall-table.ts'
import { type NotesReport, notesTable, scoreNotes } from './score-notes.ts'
import { type RecallReport, scoreRecall } from './score-recall.ts'
import { openStores } from './stores.ts'

const USAGE = `Usage: evaluate <folder> [--json] [--store <name>] [--captions] [--embedder <module>] [--notes <module>]

Scores recall on the labelled conversations of a folder: recall_turns and recall_questions, as .jsonl, also with .gz.

  --json               prints JSON instead of Markdown
  --store <name>       only this store: in-memory, sqlite, libsql or postgres
  --captions           a turn ends with the caption of its picture
  --embedder <module>  also by meaning: a module whose default export is an embedding model of the AI SDK
  --notes <module>     scores notes beside recall, in memory: a module whose default export is a language model of
                       the AI SDK, which is called about once for each 2,000 tokens of conversation
`

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    store: { type: 'string' },
    captions: { type: 'boolean', default: false },
    embedder: { type: 'string' },
    notes: { type: 'string' },
  },
})
const [folder] = positionals

if (folder === undefined) {
  process.stderr.write(USAGE)
  process.exitCode = 1
} else {
  const reports =
    flags.notes === undefined ? await evaluate(folder) : await evaluateNotes(folder, flags.notes)
  process.stdout.write(
    flags.json
      ? `${JSON.stringify(reports, null, 2)}\n`
      : `${Array.isArray(reports) ? toMarkdown(reports) : notesTable(reports)}\n`,
  )
}

async function evaluate(from: string): Promise<RecallReport[]> {
  const conversations = readConversations(from, { captions: flags.captions })
  const embedder = flags.embedder === undefined ? undefined : await defaultOf<EmbeddingModel>(flags.embedder)
  const directory = mkdtempSync(join(tmpdir(), 'millrace-recall-'))
  const reports: RecallReport[] = []
  try {
    for (const [name, open] of Object.entries(openStores(directory))) {
      if (flags.store !== undefined && flags.store !== name) continue
      const store = open()
      await store.migrate()
      reports.push(await scoreRecall(name, store, { conversations, embedder }))
      await store.close()
    }
  } finally {
    rmSync(directory, { recursive: true })
  }
  return reports
}

async function evaluateNotes(from: string, module: string): Promise<NotesReport> {
  const conversations = readConversations(from, { captions: flags.captions })
  return scoreNotes(new InMemoryStore(), { conversations, model: await defaultOf<LanguageModel>(module) })
}

async function defaultOf<T>(path: string): Promise<T> {
  const { default: value } = (await import(pathToFileURL(resolve(path)).href)) as { default: T }
  return value
}
