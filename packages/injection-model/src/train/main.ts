import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { loadPrototypes } from '@millrace/guards/internals'
import { readDataFolder } from './data-folder.ts'
import { MANIFEST_FILE, type Manifest, readManifest } from './manifest.ts'
import { missingOwnRows, missingRows } from './missing-rows.ts'
import { ownRows } from './own-rows.ts'
import { hashOfAll } from './row-hash.ts'
import { selectRows } from './select-rows.ts'
import { readRow, trainOn } from './training.ts'
import { ownTrainingRows, trainingRows } from './training-rows.ts'
import { readDescription, WEIGHTS_FOLDER, writeWeights } from './weights-file.ts'

const USAGE = `Usage: train --data <folder> [--out <folder>] [--update-manifest]

Trains the classifier's weights on the rows that manifest.json names: our own, in texts/, and those of others, which are looked for in
all .jsonl and .jsonl.gz files of the data folder. The same rows give the same bytes with the same version of Node.

  --out              where to write weights.bin and weights.json, if not into @millrace/guards
  --update-manifest  chooses the rows anew of all that are in texts/ and in the data folder, and writes manifest.json
`

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string' },
    out: { type: 'string' },
    'update-manifest': { type: 'boolean', default: false },
  },
})

if (flags.data === undefined) fail(USAGE)
else await train(flags.data)

async function train(folder: string): Promise<void> {
  const data = readDataFolder(folder)
  if (flags['update-manifest']) {
    const thirdParty = await selectRows(data.values())
    const rows = trainingRows(thirdParty, data)
    writeManifest({
      node: process.versions.node,
      examples: { count: rows.length, sha256: hashOfAll(rows), own: hashOfAll(ownTrainingRows()) },
      own: ownRows(),
      thirdParty,
    })
  }
  const manifest = readManifest()
  const missing = [...missingOwnRows(manifest, ownRows()), ...missingRows(manifest, data, folder)]
  if (missing.length > 0) return fail(`${missing.join('\n')}\n`)

  const rows = trainingRows(manifest.thirdParty, data)
  if (hashOfAll(rows) !== manifest.examples.sha256) {
    return fail(
      'The rows are those of the manifest, but other examples are made of them than those it was written with. ' +
        'Use --update-manifest if that is meant.\n',
    )
  }
  if (process.versions.node !== manifest.node) {
    process.stderr.write(
      `This is Node ${process.versions.node}, the manifest says ${manifest.node}: the bytes may differ.\n`,
    )
  }
  const prototypeOf = await loadPrototypes()
  const weights = trainOn(rows.map((row) => readRow(row, prototypeOf)))
  const before = readDescription(WEIGHTS_FOLDER)
  const out = flags.out ?? WEIGHTS_FOLDER
  mkdirSync(out, { recursive: true })
  const { sha256 } = writeWeights(weights, out)
  const attacks = rows.filter(({ label }) => label === 1).length
  process.stdout.write(
    `${rows.length} examples, ${attacks} of them attacks\n${sha256} ${
      sha256 === before.sha256 ? 'as before' : `instead of ${before.sha256}`
    }\n`,
  )
}

function writeManifest(manifest: Manifest): void {
  writeFileSync(MANIFEST_FILE, `${JSON.stringify(manifest, null, 2)}\n`)
}

function fail(message: string): void {
  process.stderr.write(message)
  process.exitCode = 1
}
