import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@mastra/core/agent'
import { RegexFilterProcessor } from '@mastra/core/processors'
import { createTool } from '@mastra/core/tools'
import { LibSQLStore } from '@mastra/libsql'
import { Memory } from '@mastra/memory'
import { z } from 'zod'
import { StreamModel, textAnswer, toolAnswer } from '../src/stream-model.ts'
import { CHUNKS, LAST_CHUNKS, type Peer, read } from './peer.ts'

const weather = createTool({
  id: 'weather',
  description: 'Says what the weather is like.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, degrees: 7 }),
})
const shared = { instructions: 'Answer.' }
const model = new StreamModel(textAnswer(CHUNKS))
const plain = new Agent({ id: 'plain', name: 'plain', model, ...shared })
const withTen = new Agent({
  id: 'ten',
  name: 'ten',
  model,
  ...shared,
  outputProcessors: Array.from({ length: 10 }, (_, index) => ({
    id: `passes-${index}`,
    name: `passes-${index}`,
    processOutputStream: async ({ part }) => part,
  })),
})
const withTool = new Agent({
  id: 'tool',
  name: 'tool',
  model: new StreamModel(toolAnswer('weather', { city: 'Oslo' }), textAnswer(LAST_CHUNKS)),
  tools: { weather },
  ...shared,
})
/** The guard that needs no model. */
const guard = (options) => new RegexFilterProcessor({ strategy: 'redact', phase: 'output', ...options })
const withGuard = new Agent({
  id: 'guard',
  name: 'guard',
  model,
  ...shared,
  outputProcessors: [guard({ presets: ['pii'] })],
})
const withFourGuards = new Agent({
  id: 'guards',
  name: 'guards',
  model,
  ...shared,
  outputProcessors: [
    guard({ presets: ['pii'] }),
    guard({ presets: ['secrets'] }),
    guard({ rules: [{ name: 'keyword', pattern: /\bcodename\b/gi }] }),
    guard({ rules: [{ name: 'instructions', pattern: /Answer in one sentence, and name the city\./gi }] }),
  ],
})
const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
const remembering = new Agent({
  id: 'memory',
  name: 'memory',
  model: new StreamModel(textAnswer(LAST_CHUNKS)),
  ...shared,
  memory: new Memory({
    storage: new LibSQLStore({ id: 'bench', url: `file:${join(folder, 'memory.db')}` }),
    options: { lastMessages: 20 },
  }),
})
const place = { memory: { thread: 'talk', resource: 'ada' } }

export const mastra: Peer = {
  name: 'Mastra',
  text: async () => read((await plain.stream('Hi')).fullStream, { isText, chunks: CHUNKS }),
  textWithTen: async () => read((await withTen.stream('Hi')).fullStream, { isText, chunks: CHUNKS }),
  textWithGuard: async () => read((await withGuard.stream('Hi')).fullStream, { isText, chunks: 'some' }),
  textWithFourGuards: async () =>
    read((await withFourGuards.stream('Hi')).fullStream, { isText, chunks: 'some' }),
  memoryTurn: async () =>
    read((await remembering.stream('Hi', place)).fullStream, { isText, chunks: LAST_CHUNKS }),
  toolStep: async () => read((await withTool.stream('Hi')).fullStream, { isText, chunks: LAST_CHUNKS }),
}

function isText({ type }: { type: string }): boolean {
  return type === 'text-delta'
}
