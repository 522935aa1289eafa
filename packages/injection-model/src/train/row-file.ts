import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Row } from './rows.ts'

/** The rows of a file of JSON lines, or the passages of any other as harmless ones. A file may end in `.gz`. */
export function readRowFile(file: string): Row[] {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  if (!/\.jsonl(?:\.gz)?$/.test(file)) return passagesOf(text)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Three paragraphs each. */
function passagesOf(text: string): Row[] {
  const paragraphs = text.split(/\n{2,}/)
  const passages: Row[] = []
  for (let index = 0; index < paragraphs.length; index += 3) {
    const passage = paragraphs.slice(index, index + 3).join('\n\n')
    if (passage.length > 40) passages.push({ text: passage, label: 0, set: 'documents', licence: 'own' })
  }
  return passages
}
