import { Agent, MemorySession, type Model, run, setTracingDisabled, tool } from '@openai/agents'
import { z } from 'zod'
import { StreamModel, textAnswer, toolAnswer } from '../src/stream-model.ts'
import { CHUNKS, LAST_CHUNKS, type Peer, read } from './peer.ts'

// Tracing would send data to a server.
setTracingDisabled(true)

/** The same model stream, through the interface of the Agents SDK. */
function modelOf(model: StreamModel): Model {
  let count = 0
  return {
    getResponse: () => Promise.reject(new Error('Only streams are measured.')),
    async *getStreamedResponse() {
      const { stream } = await model.doStream()
      const output = []
      let text = ''
      yield { type: 'response_started' }
      for await (const part of stream) {
        if (part.type === 'text-delta') {
          text += part.delta
          yield { type: 'output_text_delta', delta: part.delta }
        } else if (part.type === 'tool-call') {
          output.push({
            type: 'function_call',
            callId: part.toolCallId,
            name: part.toolName,
            arguments: part.input,
            status: 'completed',
          })
        }
      }
      if (text !== '') {
        output.push({
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text }],
        })
      }
      const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
      yield { type: 'response_done', response: { id: `response-${count++}`, usage, output } }
    },
  }
}

const weather = tool({
  name: 'weather',
  description: 'Says what the weather is like.',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, degrees: 7 }),
})
const plain = new Agent({ name: 'plain', model: modelOf(new StreamModel(textAnswer(CHUNKS))) })
const withTool = new Agent({
  name: 'tool',
  model: modelOf(new StreamModel(toolAnswer('weather', { city: 'Oslo' }), textAnswer(LAST_CHUNKS))),
  tools: [weather],
})
const remembering = new Agent({
  name: 'memory',
  model: modelOf(new StreamModel(textAnswer(LAST_CHUNKS))),
})
// In memory: it has no store on disk.
const session = new MemorySession()

export const openaiAgents: Peer = {
  name: 'OpenAI Agents',
  text: async () => read(await run(plain, 'Hi', { stream: true }), { isText, chunks: CHUNKS }),
  memoryTurn: async () =>
    read(await run(remembering, 'Hi', { stream: true, session }), { isText, chunks: LAST_CHUNKS }),
  toolStep: async () => read(await run(withTool, 'Hi', { stream: true }), { isText, chunks: LAST_CHUNKS }),
}

function isText({ type, data }: { type: string; data?: { type: string } }): boolean {
  return type === 'raw_model_stream_event' && data?.type === 'output_text_delta'
}
