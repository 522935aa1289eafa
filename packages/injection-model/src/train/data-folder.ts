import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { hashOf } from './row-hash.ts'
import type { Row } from './rows.ts'

/** A row as a data folder has it. */
export interface DataRow extends Row {
  /** Where the text is from, where a file collects several works: `owner/repository:path`. */
  readonly source?: string
}

/** The labelled rows of all `.jsonl` and `.jsonl.gz` files in a folder and the folders in it, by their hashes. */
export function readDataFolder(folder: string): ReadonlyMap<string, DataRow> {
  const files = globSync('**/*.{jsonl,jsonl.gz}', { cwd: folder }).sort()
  const rows = files.flatMap((file) => readLines(join(folder, file))).filter(isRow)
  return new Map(rows.map((row) => [hashOf(row), row]))
}

function readLines(file: string): unknown[] {
  const bytes = readFileSync(file)
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Files of other kinds may lie in the folder too. */
function isRow(value: unknown): value is DataRow {
  const { text, label, set, licence } = value as Partial<DataRow>
  return [text, set, licence].every((field) => typeof field === 'string') && (label === 0 || label === 1)
}
