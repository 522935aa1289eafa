import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/**
 * The rows of a labeled file in `folder`: a JSON array in `name.json`, or JSON lines in `name.jsonl`; also with `.gz`.
 * Undefined if there is no such file.
 */
export function readRows<T>(folder: string, name: string): T[] | undefined {
  for (const extension of ['.json', '.jsonl', '.json.gz', '.jsonl.gz']) {
    const path = join(folder, name + extension)
    if (!existsSync(path)) continue
    const bytes = readFileSync(path)
    const text = (extension.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
    if (extension.startsWith('.jsonl')) {
      return text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line))
    }
    return JSON.parse(text)
  }
  return undefined
}
