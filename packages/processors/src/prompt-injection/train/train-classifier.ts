// Trains the classifier's weights: node --conditions=@millrace/source train-classifier.ts [--all] [--dry] <files...>
// A .jsonl or .jsonl.gz file has rows { text, label, set, licence }; any other file is taken as a harmless document.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { loadPrototypes } from '../../unicode-normalizer/look-alikes.ts'
import { Classifier } from '../classifier/classifier.ts'
import { readText } from '../layers/read.ts'
import { type Example, exampleOf, fit, type Model, quantise } from './logistic-regression.ts'
import { ownExamples } from './own-examples.ts'
import { plattScale } from './platt-scaling.ts'
import { foldOf, isShippable, type Row } from './rows.ts'

const { values: flags, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, epochs: { type: 'string', default: '12' } },
})

const prototypeOf = await loadPrototypes()
const rows = files.flatMap((file): Row[] => {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  if (!/\.jsonl(?:\.gz)?$/.test(file)) return documentsOf(text)
  const parsed: Row[] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  return parsed.filter(isShippable)
})
const all = [...rows, ...ownExamples(7)]

/** Of five folds by the hash of the folded text, one is never trained on, and one calibrates. */
const train: Example[] = []
const calibrate: Row[] = []
for (const row of all) {
  const reading = readText(row.text, prototypeOf)
  const fold = foldOf(reading.words)
  if (fold === 0 && row.set !== 'own' && row.set !== 'documents') continue
  if (fold === 1) calibrate.push(row)
  else train.push(...exampleOf(reading, row))
}
const model: Model = fit(train, { epochs: Number(flags.epochs), seed: 1 })
const weights = quantise(model)
const classifier = new Classifier({ ...weights, slope: 1, offset: 0 })
const points = calibrate.map((row) => {
  const reading = readText(row.text, prototypeOf)
  return { value: classifier.highest(reading).value, label: row.label, weight: row.label === 1 ? 1 : 1 }
})
const { slope, offset } = plattScale(points)
const out = flags.out ?? new URL('../classifier/weights.ts', import.meta.url)
const { buckets, ...rest } = { ...weights, slope, offset }
const base64 = Buffer.from(buckets.buffer).toString('base64')
const fields = Object.entries(rest).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`)
writeFileSync(
  out,
  `// Made by train/train-classifier.ts. See MODEL_CARD.md.\nimport type { Weights } from './classifier.ts'\n\n/** The trained weights; \`buckets\` are signed bytes in base64. */\nexport const WEIGHTS: Omit<Weights, 'buckets'> & { readonly buckets: string } = {\n${fields.join('\n')}\n  buckets:\n    '${base64}',\n}\n`,
)
const attacks = all.filter(({ label }) => label === 1).length
process.stdout.write(`${all.length} texts, ${attacks} attacks; slope ${slope}, offset ${offset}\n`)

function documentsOf(text: string): Row[] {
  const pieces: Row[] = []
  const paragraphs = text.split(/\n{2,}/)
  for (let index = 0; index < paragraphs.length; index += 3) {
    const piece = paragraphs.slice(index, index + 3).join('\n\n')
    if (piece.length > 40) pieces.push({ text: piece, label: 0, set: 'documents', licence: 'own' })
  }
  return pieces
}
