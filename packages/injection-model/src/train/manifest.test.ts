import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hashOfManifest, readManifest } from './manifest.ts'
import { missingOwnRows } from './missing-rows.ts'
import { ownRows } from './own-rows.ts'
import { hashOfAll } from './row-hash.ts'
import { SOURCES } from './sources.ts'
import { ownTrainingRows } from './training-rows.ts'
import { readDescription, WEIGHTS_FOLDER } from './weights-file.ts'

const manifest = readManifest()
const description = readDescription(WEIGHTS_FOLDER)

test('the weights match their checksum', () => {
  const bytes = readFileSync(`${WEIGHTS_FOLDER}/weights.bin`)
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(description.sha256)
})

test('the weights were trained on the rows of the manifest', () => {
  expect(description.manifest).toBe(hashOfManifest())
  expect(description.node).toBe(manifest.node)
})

test('the manifest lists our own texts as they are', () => {
  expect(missingOwnRows(manifest, ownRows())).toEqual([])
})

test('the examples from our own texts are those that the weights were trained on', () => {
  expect(hashOfAll(ownTrainingRows())).toBe(manifest.examples.own)
})

test('no row is listed twice', () => {
  const hashes = manifest.thirdParty.flatMap(({ rows }) => rows)
  expect(new Set(hashes).size).toBe(hashes.length)
})

test('every third-party row has a known source and its license', () => {
  for (const { source, set, licence } of manifest.thirdParty) {
    const known = SOURCES.find(({ name, sets }) => name === source && sets.includes(set))
    expect(known, source).toBeDefined()
    expect(licence).toContain(known?.licence)
  }
})

test('every source is used, and the published NOTICE lists it with its URL and license', () => {
  const used = new Set(manifest.thirdParty.map(({ source }) => source))
  const notice = readFileSync(new URL('../../../guards/NOTICE', import.meta.url), 'utf8')
  for (const { name, url, licence } of SOURCES) {
    expect(used).toContain(name)
    const [, entry] = notice.split(`\n${name} `)
    expect(
      entry
        ?.split('\n')
        .map((line) => line.trim())
        .slice(0, 2),
    ).toEqual([licence, url])
  }
})
