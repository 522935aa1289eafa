import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConversations } from './conversations.ts'
import { toMarkdown } from './recall-table.ts'
import { type RecallReport, scoreRecall } from './score-recall.ts'
import { openStores } from './stores.ts'

const USAGE = `Usage: evaluate <folder> [--json] [--store <name>]

Scores recall by words on the labelled conversations of a folder: recall_turns and recall_questions, as .jsonl, also with .gz.

  --json          prints JSON instead of Markdown
  --store <name>  only this store: in-memory, sqlite, libsql or postgres
`

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, store: { type: 'string' } },
})
const [folder] = positionals

if (folder === undefined) {
  process.stderr.write(USAGE)
  process.exitCode = 1
} else {
  const reports = await evaluate(folder)
  process.stdout.write(flags.json ? `${JSON.stringify(reports, null, 2)}\n` : `${toMarkdown(reports)}\n`)
}

async function evaluate(from: string): Promise<RecallReport[]> {
  const conversations = readConversations(from)
  const directory = mkdtempSync(join(tmpdir(), 'millrace-recall-'))
  const reports: RecallReport[] = []
  try {
    for (const [name, open] of Object.entries(openStores(directory))) {
      if (flags.store !== undefined && flags.store !== name) continue
      const store = open()
      await store.migrate()
      reports.push(await scoreRecall(name, store, conversations))
      await store.close()
    }
  } finally {
    rmSync(directory, { recursive: true })
  }
  return reports
}
