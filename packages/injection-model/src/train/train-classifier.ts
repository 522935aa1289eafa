// Trains the classifier's weights: node --conditions=@millrace/source train-classifier.ts [--out file] <files...>
// A .jsonl or .jsonl.gz file has rows { text, label, set, licence }; any other file is taken as a harmless document.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { loadPrototypes } from '@millrace/guards/internals'
import { ownExamples } from './own-examples.ts'
import { replanted } from './replanted.ts'
import { readRowFile } from './row-file.ts'
import { hasShippableOrder, isShippable, withOrders } from './rows.ts'
import { readRow, trainOn } from './training.ts'
import { writtenExamples } from './written-examples.ts'

const { values: flags, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' } },
})

const prototypeOf = await loadPrototypes()
const given = files.flatMap(readRowFile)
const documents = given.filter(({ set }) => set === 'documents')
const labelled = withOrders(given.filter(({ set }) => set !== 'documents'))
const rows = [
  ...[...labelled.filter(isShippable), ...replanted(labelled.filter(hasShippableOrder), 11)]
    .map((row) => readRow(row, prototypeOf))
    .filter(({ fold }) => fold !== 0),
  ...[...documents, ...ownExamples(7), ...writtenExamples()].map((row) => readRow(row, prototypeOf)),
]
const { buckets, ...rest } = trainOn(rows)
const shown = (value: unknown): string =>
  Array.isArray(value) ? `[\n    ${value.join(', ')},\n  ]` : JSON.stringify(value)
const fields = Object.entries(rest).map(([name, value]) => `  ${name}: ${shown(value)},`)
const base64 = Buffer.from(buckets.buffer).toString('base64')
writeFileSync(
  flags.out ?? new URL('../../../guards/src/prompt-injection/classifier/weights.ts', import.meta.url),
  `// Made by injection-model/src/train/train-classifier.ts. See docs/injection-model-card.md.\nimport type { Weights } from './classifier.ts'\n\n/** The trained weights; \`buckets\` are signed bytes in base64. */\nexport const WEIGHTS: Omit<Weights, 'buckets'> & { readonly buckets: string } = {\n${fields.join('\n')}\n  buckets:\n    '${base64}',\n}\n`,
)
const attacks = rows.filter(({ label }) => label === 1).length
process.stdout.write(`${rows.length} texts, ${attacks} attacks; ${JSON.stringify(rest)}\n`)
