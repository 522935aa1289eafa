// Imports the built packages of this repository, not published ones, so that the current code is measured.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { Agent, tool } from '../../../packages/core/dist/index.js'
import { KeywordGuard } from '../../../packages/guards/dist/keyword-guard/index.js'
import { SecretDetector } from '../../../packages/guards/dist/secrets/index.js'
import { SystemPromptScrubber } from '../../../packages/guards/dist/system-prompt-scrubber/index.js'
import { Memory } from '../../../packages/memory/dist/index.js'
import { PIIDetector } from '../../../packages/pii/dist/index.js'
import { SQLiteStore } from '../../../packages/store-sqlite/dist/index.js'
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
const withGuard = new Agent({ model, outputProcessors: [new PIIDetector({ strategy: 'redact' })] })
const withFourGuards = new Agent({
  model,
  instructions: 'Answer in one sentence, and name the city.',
  outputProcessors: [
    new PIIDetector({ strategy: 'redact' }),
    new SecretDetector(),
    new KeywordGuard({ keywords: ['codename'] }),
    new SystemPromptScrubber(),
  ],
})
const path = join(mkdtempSync(join(tmpdir(), 'millrace-bench-')), 'memory.db')
const remembering = new Agent({
  model: new StreamModel(textAnswer(LAST_CHUNKS)),
  memory: new Memory({ storage: new SQLiteStore({ path }), lastMessages: 20 }),
})
const place = { threadId: 'talk', resourceId: 'ada' }

export const millrace: Peer = {
  name: 'Millrace',
  text: () => read(plain.stream('Hi').fullStream, { isText, chunks: CHUNKS }),
  textWithTen: () => read(withTen.stream('Hi').fullStream, { isText, chunks: CHUNKS }),
  textWithGuard: () => read(withGuard.stream('Hi').fullStream, { isText, chunks: 'some' }),
  textWithFourGuards: () => read(withFourGuards.stream('Hi').fullStream, { isText, chunks: 'some' }),
  memoryTurn: () => read(remembering.stream('Hi', place).fullStream, { isText, chunks: LAST_CHUNKS }),
  toolStep: () => read(withTool.stream('Hi').fullStream, { isText, chunks: LAST_CHUNKS }),
}

function isText({ type }: { type: string }): boolean {
  return type === 'text-delta'
}
