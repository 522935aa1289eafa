// Millrace as it is built in this repository, and not as a dependency: what is measured is what is here.

import { z } from 'zod'
import { Agent, tool } from '../../../packages/core/dist/index.js'
import { StreamModel, textAnswer, toolAnswer } from '../src/stream-model.ts'
import { CHUNKS, LAST_CHUNKS, type Peer, read } from './peer.ts'

const weather = tool({
  description: 'Says what the weather is like.',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: 7 }),
})
const model = new StreamModel(textAnswer(CHUNKS))
const plain = new Agent({ model })
const withTen = new Agent({
  model,
  processors: Array.from({ length: 10 }, (_, index) => ({
    id: `passes-${index}`,
    processOutputStream: ({ part }) => part,
  })),
})
const withTool = new Agent({
  model: new StreamModel(toolAnswer('weather', { city: 'Oslo' }), textAnswer(LAST_CHUNKS)),
  tools: { weather },
})

export const millrace: Peer = {
  name: 'Millrace',
  text: () => read(plain.stream('Hi').fullStream, { isText, chunks: CHUNKS }),
  textWithTen: () => read(withTen.stream('Hi').fullStream, { isText, chunks: CHUNKS }),
  toolStep: () => read(withTool.stream('Hi').fullStream, { isText, chunks: LAST_CHUNKS }),
}

function isText({ type }: { type: string }): boolean {
  return type === 'text-delta'
}
