import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
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

export const mastra: Peer = {
  name: 'Mastra',
  text: async () => read((await plain.stream('Hi')).fullStream, { isText, chunks: CHUNKS }),
  textWithTen: async () => read((await withTen.stream('Hi')).fullStream, { isText, chunks: CHUNKS }),
  toolStep: async () => read((await withTool.stream('Hi')).fullStream, { isText, chunks: LAST_CHUNKS }),
}

function isText({ type }: { type: string }): boolean {
  return type === 'text-delta'
}
