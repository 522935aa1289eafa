import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { bundle } from '../../../../../scripts/bundle.ts'
import { TEXT_KINDS, type Weights } from './classifier.ts'
import { BUCKETS } from './features.ts'
import { loadWeights } from './load-weights.ts'
import { packWeights } from './weight-levels.ts'
import description from './weights.json' with { type: 'json' }

const bytes = readFileSync(new URL('./weights.bin', import.meta.url))

test('weights.bin matches its checksum, and has half a byte for each bucket of the two models', () => {
  expect(sha256(bytes)).toBe(description.sha256)
  expect(bytes.byteLength).toBe(BUCKETS)
})

test('loads the bytes and parameters of both models from the sources', async () => {
  const weights = await loadWeights()
  expect(sha256(bytesOf(weights))).toBe(description.sha256)
  for (const kind of TEXT_KINDS) {
    const { buckets, ...parameters } = weights[kind]
    expect(buckets.length).toBe(BUCKETS)
    expect(description[kind]).toEqual(parameters)
    expect(Object.keys(parameters)).toEqual(['levels', 'scale', 'bias', 'signs', 'alone', 'slope', 'offset'])
  }
})

test('the weights load in a worker', async () => {
  const url = new URL('./load-weights.ts', import.meta.url).href
  const worker = new Worker(
    `import(${JSON.stringify(url)}).then(async ({ loadWeights }) => {
      require('node:worker_threads').parentPort.postMessage(await loadWeights())
    })`,
    { eval: true },
  )
  const weights = await new Promise<Weights>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject)
  })
  await worker.terminate()
  expect(sha256(bytesOf(weights))).toBe(description.sha256)
})

test('a bundle loads the weights lazily, with web globals only', async () => {
  const code = `export { loadWeights } from './packages/guards/src/prompt-injection/classifier/load-weights.ts'`
  const chunks = await bundle(code, { external: [] })
  expect(chunks.gzippedBytes).toBeLessThan(1_000)
  expect(chunks.gzippedBytesOnDemand).toBeGreaterThan(bytes.byteLength / 2)

  const { code: script, imports } = await bundle(code, { external: [], globalName: 'guards' })
  expect(imports).toEqual([])
  const context = createContext({ setTimeout }, { codeGeneration: { strings: false, wasm: false } })
  const weights: Weights = await runInContext(`${script}; guards.loadWeights()`, context)
  expect(sha256(bytesOf(weights))).toBe(description.sha256)
})

/** The bytes of both models, in the order of `weights.bin`. */
function bytesOf({ prompt, data }: Weights): Int8Array {
  return Int8Array.from([prompt, data].flatMap(({ buckets, levels }) => [...packWeights(buckets, levels)]))
}

function sha256(data: Uint8Array | Int8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
