import { isStepCount, streamText, type TextStreamPart, type ToolSet, tool } from 'ai'
import { z } from 'zod'
import { StreamModel, textAnswer, toolAnswer } from '../src/stream-model.ts'
import { CHUNKS, LAST_CHUNKS, type Peer, read } from './peer.ts'

const tools = {
  weather: tool({
    description: 'Says what the weather is like.',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, degrees: 7 }),
  }),
}
const model = new StreamModel(textAnswer(CHUNKS))
const withTool = new StreamModel(toolAnswer('weather', { city: 'Oslo' }), textAnswer(LAST_CHUNKS))
const passes = () => new TransformStream<TextStreamPart<ToolSet>, TextStreamPart<ToolSet>>()
const ten = Array.from({ length: 10 }, () => passes)

export const aiSdk: Peer = {
  name: 'AI SDK',
  text: () => read(streamText({ model, prompt: 'Hi' }).fullStream, { isText, chunks: CHUNKS }),
  textWithTen: () =>
    read(streamText({ model, prompt: 'Hi', experimental_transform: ten }).fullStream, {
      isText,
      chunks: CHUNKS,
    }),
  toolStep: () =>
    read(streamText({ model: withTool, prompt: 'Hi', tools, stopWhen: isStepCount(20) }).fullStream, {
      isText,
      chunks: LAST_CHUNKS,
    }),
}

function isText({ type }: { type: string }): boolean {
  return type === 'text-delta'
}
