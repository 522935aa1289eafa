import { readFileSync } from 'node:fs'

interface WordList {
  readonly name: string
  readonly words: readonly string[]
}

/** Lists that templates share: `%name%` in a template is an entry of the list with that name. */
export const VOCABULARY: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  readFileSync(new URL('../../texts/vocabulary.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): WordList => JSON.parse(line))
    .map(({ name, words }) => [name, words]),
)
