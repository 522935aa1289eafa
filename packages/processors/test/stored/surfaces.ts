import {
  type AgentInput,
  type Message,
  type Processor,
  type ToolSet,
  tool,
  userMessage,
} from '@millrace/core'
import type { Surface } from '@millrace/guards/guard'
import { reasoning, type TurnContent, text, toolCall } from '@millrace/testing'
import { z } from 'zod'

/** A run with a text at one place. */
export interface Place {
  readonly name: string
  readonly surface: Surface
  readonly turns: TurnContent[]
  readonly input: AgentInput
  readonly output?: z.ZodType
  /** Adds the text to the prompt, like a memory. */
  readonly adds?: Processor
  readonly tools: ToolSet
}

/** The places at which a text can enter a run. */
export function placesOf(said: string): Place[] {
  const common = { input: 'Hello there', turns: ['Fine.'], tools: toolsOf(said) }
  const places: (Pick<Place, 'name' | 'surface'> & Partial<Place>)[] = [
    { name: 'user input', surface: 'input', input: [message('Hello there'), message(said)] },
    { name: 'a remembered message', surface: 'history', adds: adds(said, 'remembered') },
    { name: 'a context message', surface: 'history', adds: adds(said, 'context') },
    {
      name: 'tool input',
      surface: 'tool-input',
      turns: [toolCall('echo', { to: [said], [said]: 1 }, { chunkSize: 5 }), 'Fine.'],
    },
    { name: 'a tool result', surface: 'tool-result', turns: [toolCall('leak', {}), 'Fine.'] },
    { name: 'a preliminary result', surface: 'tool-result', turns: [toolCall('drip', {}), 'Fine.'] },
    { name: 'a tool error', surface: 'tool-result', turns: [toolCall('fail', {}), 'Fine.'] },
    { name: 'reasoning', surface: 'reasoning', turns: [[reasoning(said, { chunkSize: 3 }), 'Fine.']] },
    {
      name: 'structured output',
      surface: 'object',
      turns: [text(JSON.stringify({ note: said }), { chunkSize: 4 })],
      output: z.object({ note: z.string() }),
    },
    { name: 'the answer', surface: 'answer', turns: [text(said, { chunkSize: 3 })] },
    {
      name: 'an answer between tool calls',
      surface: 'answer',
      turns: [[text(said, { chunkSize: 7 }), toolCall('echo', {})], 'Fine.'],
    },
  ]
  return places.map((place) => ({ ...common, ...place }))
}

/** Adds a past message, like a memory or a retrieval. */
function adds(said: string, origin: 'remembered' | 'context'): Processor {
  return {
    id: 'adds',
    processInput: ({ messageList }) => {
      messageList.add({ ...message(said), role: 'assistant' }, origin)
      return messageList
    },
  }
}

function message(said: string): Message {
  return userMessage(said)
}

function toolsOf(said: string): ToolSet {
  return {
    echo: tool({ inputSchema: z.any(), execute: (input) => ({ input }) }),
    leak: tool({ inputSchema: z.object({}), execute: () => ({ rows: [said], [said]: true }) }),
    drip: tool({
      inputSchema: z.object({}),
      async *execute() {
        yield `So far: ${said}`
        yield `In all: ${said}`
      },
    }),
    fail: tool({
      inputSchema: z.object({}),
      execute: (): string => {
        throw new Error(`Refused: ${said}`, { cause: new Error(said) })
      },
    }),
  }
}
