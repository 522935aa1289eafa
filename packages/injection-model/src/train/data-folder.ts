import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { hashOf } from './row-hash.ts'
import type { Row } from './rows.ts'

/** A row of a data folder. */
export interface DataRow extends Row {
  /** The origin of the text, if a file contains several works: `owner/repository:path`. */
  readonly source?: string
}

/** The labeled rows of all `.jsonl` and `.jsonl.gz` files in a folder and its subfolders, by their hashes. */
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

/** The folder may also contain files of other kinds. */
function isRow(value: unknown): value is DataRow {
  const { text, label, set, licence } = value as Partial<DataRow>
  return [text, set, licence].every((field) => typeof field === 'string') && (label === 0 || label === 1)
}
