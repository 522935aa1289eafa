import { createContext, runInContext } from 'node:vm'
import { beforeAll, expect, it } from 'vitest'
import { type Bundle, bundle } from '../../../../scripts/bundle.ts'

/** What Node, Bun, Deno and workers share, as far as an agent may use it. */
const webGlobals = [
  'AbortController',
  'AbortSignal',
  'DOMException',
  'ReadableStream',
  'TextDecoder',
  'TextEncoder',
  'TransformStream',
  'URL',
  'WritableStream',
  'atob',
  'btoa',
  'clearTimeout',
  'crypto',
  'performance',
  'queueMicrotask',
  'setTimeout',
  'structuredClone',
] as const

const minimalAgentCode = `export { ask } from './packages/core/test/portability/minimal-agent.ts'`

let minimalAgent: Bundle

beforeAll(async () => {
  minimalAgent = await bundle(minimalAgentCode, {
    external: ['ai'],
    conditions: ['@millrace/source'],
    globalName: 'minimalAgent',
  })
})

it('leaves nothing to import but the optional peer, and that on demand', () => {
  expect(minimalAgent.imports).toEqual([{ path: 'ai', kind: 'dynamic-import' }])
})

it('runs a minimal agent with web globals only, no built-in modules and no eval', async () => {
  const context = createContext(Object.fromEntries(webGlobals.map((name) => [name, globalThis[name]])), {
    codeGeneration: { strings: false, wasm: false },
  })
  expect(runInContext('[typeof process, typeof Buffer, typeof require]', context)).toEqual(
    Array(3).fill('undefined'),
  )
  await expect(runInContext(`import('node:fs')`, context)).rejects.toThrow()

  const { ask } = runInContext(`${minimalAgent.code}; minimalAgent`, context)
  expect(await ask('What is the weather?')).toEqual({
    generated: 'There is rain in Oslo.',
    streamed: 'There is rain in Oslo.',
  })
})
