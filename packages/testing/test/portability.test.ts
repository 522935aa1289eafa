import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'
import { bundle } from '../../../scripts/bundle.ts'

test('loads with require(), as CommonJS test runners do', async () => {
  const source = new URL('../src/index.ts', import.meta.url).pathname
  const program = `const { ScriptedModel } = require(${JSON.stringify(source)}); console.log(new ScriptedModel(['Hi']).modelId)`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@millrace/source',
    '--input-type=commonjs',
    '--eval',
    program,
  ])
  expect(stdout).toBe('scripted-model\n')
})

test('loads without Node and without import.meta.url, as in a worker', async () => {
  const { code, imports } = await bundle(`export * from '@millrace/testing'`, {
    external: ['ai', 'node:*'],
    conditions: ['@millrace/source', 'workerd', 'import'],
    globalName: 'testing',
  })
  // The optional peer of core, on demand. Vitest is not imported.
  expect(imports).toEqual([{ path: 'ai', kind: 'dynamic-import' }])
  const context = createContext({
    ReadableStream,
    structuredClone,
    AbortController,
    AbortSignal,
    TextEncoder,
    URL,
  })
  runInContext(code, context)
  const answer = runInContext("new testing.ScriptedModel(['Hi']).doGenerate({ prompt: [] })", context)
  expect(await answer).toMatchObject({ content: [{ type: 'text', text: 'Hi' }] })
})
